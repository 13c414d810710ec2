"""The session of the README through the clients that openapi-python-client and datamodel-code-generator make."""

import io
import os
import time
from collections.abc import Callable
from typing import Any, TypeVar

import models
from armature_client import AuthenticatedClient, Client
from armature_client.api.extracts import run_extract
from armature_client.api.form_instances import create_form_instance, submit_form
from armature_client.api.jobs import get_job, list_jobs
from armature_client.api.structural_entities import (
    delete_structural_entity,
    get_structural_entity,
    list_structural_entities,
    put_structural_entities,
    put_structural_entity,
    transfer_subjects,
)
from armature_client.api.structure_types import delete_structure_type, put_structure_type
from armature_client.api.subject_records import get_record_item_file, upload_record_item
from armature_client.api.subjects import list_subjects, query_subjects, upsert_subject
from armature_client.api.tokens import get_token
from armature_client.models import (
    CreateForm,
    ExtractRequest,
    ExtractResults,
    FilledValues,
    FormExtractResults,
    GetTokenBody,
    GetTokenResponse200,
    Job,
    ListJobsKindItem,
    ListJobsResponse200,
    ListStructuralEntitiesResponse200,
    ListSubjectsResponse200,
    QuerySubjectsResponse200,
    SingleSelection,
    StructuralEntity,
    StructuralEntityWrite,
    StructureType,
    StructureTypeWrite,
    SubjectQuery,
    SubjectTransfer,
    SubjectWrite,
    UploadRecordItemBody,
    UploadRecordItemResponse200,
    WrittenFormInstance,
    WrittenSubject,
)
from armature_client.types import File

URL = os.environ.get("ARMATURE_URL", "http://127.0.0.1:3000")
WARD, HOSPITAL, WARD_7 = "py-ward", "py-hospital", "py-ward-7"

Answer = TypeVar("Answer")


def good(kind: type[Answer], answer: object) -> Answer:
    """The body of a good answer; a refusal is a problem of another class."""
    if not isinstance(answer, kind):
        raise RuntimeError(f"refused: {answer}")
    return answer


def until(what: str, is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not is_so():
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        time.sleep(0.1)


def text(key: str, value: str) -> dict[str, Any]:
    return {"Key": key, "Value": {"String": {"Value": value}}}


# A token by client credentials.
token = get_token.sync(
    client=Client(base_url=URL),
    body=GetTokenBody(
        grant_type="client_credentials",
        client_id=os.environ["ARMATURE_CLIENT_ID"],
        client_secret=os.environ["ARMATURE_CLIENT_SECRET"],
        scope="FrameApi FormsApi",
    ),
)
assert isinstance(token, GetTokenResponse200), token
client = AuthenticatedClient(base_url=URL, token=token.access_token)

# A structure type, and two entities in one request.
ward = {
    "Key": WARD,
    "Name": "Ward",
    "SubjectAssignable": True,
    "CustomFields": [{"Key": "beds", "Name": "Beds", "TypeKey": "Number", "Required": False}],
}
written = good(StructureType, put_structure_type.sync(client=client, body=StructureTypeWrite.from_dict(ward)))
assert [field.key for field in written.custom_fields] == ["beds"]
entities: list[dict[str, Any]] = [
    {
        "Key": WARD_7,
        "DisplayName": "Ward 7",
        "ParentKey": HOSPITAL,
        "StructureTypeKey": WARD,
        "CustomFieldValues": [{"Key": "beds", "Value": {"Integer": {"Value": 24}}}],
    },
    {"Key": HOSPITAL, "DisplayName": "General Hospital", "StructureTypeKey": WARD},
]
bulk = put_structural_entities.sync_detailed(
    client=client, body=[StructuralEntityWrite.from_dict(each) for each in entities]
)
assert bulk.status_code == 204, bulk
child = good(StructuralEntity, get_structural_entity.sync(WARD_7, client=client))
assert (child.parent_key, child.depth) == (HOSPITAL, 2)
assert child.custom_field_values[0].value.value_text == "24"
children = good(ListStructuralEntitiesResponse200, list_structural_entities.sync(client=client, parent_key=HOSPITAL, first=10))
assert children.page_info.total_count == 1
jobs = good(ListJobsResponse200, list_jobs.sync(client=client, kind=[ListJobsKindItem.STRUCTURALENTITYBULKUPSERT], first=1))
assert jobs.edges[0].node.kind == "structuralEntityBulkUpsert"

# A subject in the ward, found by words and by a field.
zoe = {
    "CustomFieldValues": [
        text("nationalId", "PY-1"),
        text("givenName", "Zoë"),
        text("familyName", "Kowalczyk"),
        {"Key": "languages", "Value": [{"String": {"Value": "pl"}}, {"String": {"Value": "fr"}}]},
        {"Key": "dateOfBirth", "Value": {"Date": {"Value": "1990-02-28"}}},
    ],
    "StructuralEntityKeys": [WARD_7],
}
subject = good(WrittenSubject, upsert_subject.sync(client=client, body=SubjectWrite.from_dict(zoe)))


def is_found() -> bool:
    found = list_subjects.sync(client=client, structural_entity_keys=[WARD_7], search_term="zoe kovalczyk")
    return good(ListSubjectsResponse200, found).page_info.total_count == 1


until("she is found", is_found)
by_field = {"customFieldValueFilter": {"values": {"nationalId": ["PY-1"]}}}
found = query_subjects.sync_detailed(client=client, body=SubjectQuery.from_dict(by_field))
assert [edge.node.id for edge in good(QuerySubjectsResponse200, found.parsed).edges] == [subject.internal_id]

# The same answer by the models of datamodel-code-generator, which check each member.
listed = good(QuerySubjectsResponse200, found.parsed).to_dict()["Edges"][0]["Node"]
assert str(models.ListedSubject.model_validate(listed).Id) == str(subject.internal_id)
models.SubjectWrite.model_validate(zoe)

# Everybody in the ward moves to the hospital: a job.
transfer = {"SourceStructuralEntityKey": WARD_7, "TransferMode": "Move"}
job = good(Job, transfer_subjects.sync(HOSPITAL, client=client, body=SubjectTransfer.from_dict(transfer)))
until("the transfer ends", lambda: good(Job, get_job.sync(job.job_id, client=client)).status == "Completed")

# A document of hers, as it was sent.
pdf = b"%PDF-1.4 a letter"
letter = UploadRecordItemBody(
    file=File(payload=io.BytesIO(pdf), file_name="letter.pdf", mime_type="application/pdf"),
    title="Letter",
    effective_date="2026-11-01",
)
document = good(UploadRecordItemResponse200, upload_record_item.sync(subject.internal_id, client=client, body=letter))
read = good(File, get_record_item_file.sync(subject.internal_id, document.id, client=client))
assert read.payload.read() == pdf

# A form of hers, and its answers in an extract.
form = {
    "patientIdentifier": str(subject.internal_id),
    "instanceIdentifier": "py-phq-9",
    "formKey": "phq-9",
    "formVersion": 2,
}
instance = good(WrittenFormInstance, create_form_instance.sync(client=client, body=CreateForm.from_dict(form)))
if instance.status != "Complete":
    questions = ["interest", "mood", "sleep", "energy", "appetite", "worth", "concentration", "movement"]
    answers = dict.fromkeys(questions, "1") | {"filledInBy": "self", "difficulty": "1", "selfHarm": "0"}
    filled = FilledValues.from_dict({"values": answers})
    submitted = submit_form.sync(
        subject.internal_id, instance.instance_guid, client=client, body=filled, if_match="*"
    )
    good(WrittenFormInstance, submitted)
definitions = [{"identifier": "phq-9", "type": "form", "key": "phq-9", "version": 2}]
request = {"subjectIdentifiers": [str(subject.internal_id)], "definitions": definitions}
extract = run_extract.sync(client=client, body=ExtractRequest.from_dict(request))
assert isinstance(extract, ExtractResults), extract
[result] = extract.results
assert isinstance(result, FormExtractResults)
controls = [control for each in result.results for block in each.building_blocks for control in block.controls]
assert any(isinstance(value, SingleSelection) and value.value == "1" for each in controls for value in each.values)
models.ExtractResults.model_validate(extract.to_dict())

# She leaves, and the places go: children first.
leaving = {"CustomFieldValues": [text("nationalId", "PY-1")], "StructuralEntityKeys": []}
good(WrittenSubject, upsert_subject.sync(client=client, body=SubjectWrite.from_dict(leaving)))
for key in (WARD_7, HOSPITAL):
    assert delete_structural_entity.sync_detailed(key, client=client).status_code == 204
assert delete_structure_type.sync_detailed(WARD, client=client).status_code == 204

# A refusal is a problem, which names every fault.
lost = {"Key": "py-lost", "DisplayName": "Lost", "ParentKey": "nowhere", "StructureTypeKey": "py-none"}
refused = put_structural_entity.sync_detailed(client=client, body=StructuralEntityWrite.from_dict(lost))
assert refused.status_code >= 400 and models.Problem.model_validate_json(refused.content).traceId
print("The session is done.")
