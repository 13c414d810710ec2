"""Reads what a later release may answer: new members, kinds, states, codes and statuses. The client need not be made anew."""

import json
import os
from uuid import UUID

import models
from armature_client import AuthenticatedClient
from armature_client.api.extracts import run_extract
from armature_client.api.groups import get_group
from armature_client.api.jobs import get_job
from armature_client.api.subjects import list_subject_changes
from armature_client.models import (
    ExtractRequest,
    ExtractResults,
    FormExtractResults,
    Job,
    ListSubjectChangesResponse200,
    Problem,
    Problem404Path,
    UnknownKind,
    WebhookEvent,
)

client = AuthenticatedClient(base_url=os.environ["ARMATURE_URL"], token="any")
ID = UUID("0190c2f0-0000-7000-8000-000000000000")

job = get_job.sync(ID, client=client)
assert isinstance(job, Job), job
assert (job.kind, job.status, job.progress.total) == ("subjectSplit", "Paused", 5_000_000_000)
assert models.Job.model_validate(job.to_dict()).status == "Paused"

changes = list_subject_changes.sync(client=client)
assert isinstance(changes, ListSubjectChangesResponse200), changes
assert [edge.node.change for edge in changes.edges] == ["split"]

request = {"subjectIdentifiers": [str(ID)], "definitions": []}
extract = run_extract.sync(client=client, body=ExtractRequest.from_dict(request))
assert isinstance(extract, ExtractResults), extract
form, summary = extract.results
assert isinstance(form, FormExtractResults) and isinstance(summary, UnknownKind) and summary.type_ == "summary"
[value] = form.results[0].building_blocks[0].controls[0].values
assert isinstance(value, UnknownKind) and value.type_ == "hologram"
assert len(models.ExtractResults.model_validate(extract.to_dict()).results) == 2

moved = get_group.sync("moved", client=client)
assert isinstance(moved, Problem404Path) and moved.type_ == "/problems/moved-away", moved
held = get_group.sync("held", client=client)
assert isinstance(held, Problem) and held.type_ == "/problems/held-back", held
assert [fault.code for fault in held.errors or []] == ["too-blue"]
assert models.Problem.model_validate(held.to_dict()).status == 451

event = json.loads(os.environ["ARMATURE_EVENT"])
assert WebhookEvent.from_dict(event).type_ == models.WebhookEvent.model_validate(event).type == "armature.subject.split"
