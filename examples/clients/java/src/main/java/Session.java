import java.io.File;
import java.nio.file.Files;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.ExtractsApi;
import org.openapitools.client.api.FormInstancesApi;
import org.openapitools.client.api.JobsApi;
import org.openapitools.client.api.StructuralEntitiesApi;
import org.openapitools.client.api.StructureTypesApi;
import org.openapitools.client.api.SubjectRecordsApi;
import org.openapitools.client.api.SubjectsApi;
import org.openapitools.client.api.TokensApi;
import org.openapitools.client.model.*;

/** The session of the README through the client that openapi-generator makes. */
public class Session {
  private static final String WARD = "java-ward";
  private static final String HOSPITAL = "java-hospital";
  private static final String WARD_7 = "java-ward-7";

  interface Condition {
    boolean holds() throws ApiException;
  }

  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.setBasePath(System.getenv("ARMATURE_URL"));

    // A token by client credentials.
    GetToken200Response token = new TokensApi(client).getToken(
        "client_credentials", System.getenv("ARMATURE_CLIENT_ID"), System.getenv("ARMATURE_CLIENT_SECRET"), "FrameApi FormsApi", null);
    client.setAccessToken(token.getAccessToken());

    // A structure type, and two entities in one request.
    StructureTypesApi types = new StructureTypesApi(client);
    StructureType type = types.putStructureType(new StructureTypeWrite()
        .key(WARD).name("Ward").subjectAssignable(true)
        .addCustomFieldsItem(new StructureTypeWriteCustomFieldsInner()
            .key("beds").name("Beds").required(false).typeKey(StructureTypeWriteCustomFieldsInner.TypeKeyEnum.NUMBER)));
    check("beds".equals(type.getCustomFields().get(0).getKey()));
    StructuralEntitiesApi entities = new StructuralEntitiesApi(client);
    InputValue beds = new InputValue().integer(new InputValueInteger().value(24L));
    entities.putStructuralEntities(List.of(
        new StructuralEntityWrite().key(WARD_7).displayName("Ward 7").parentKey(HOSPITAL).structureTypeKey(WARD)
            .addCustomFieldValuesItem(new EntityValueWrite().key("beds").value(new EntityValueWriteValue(beds))),
        new StructuralEntityWrite().key(HOSPITAL).displayName("General Hospital").structureTypeKey(WARD)), null, null);
    StructuralEntity child = entities.getStructuralEntity(WARD_7);
    check(HOSPITAL.equals(child.getParentKey()) && child.getDepth() == 2);
    check("24".equals(child.getCustomFieldValues().get(0).getValue().getValueText()));
    check(entities.queryStructuralEntities(new StructuralEntityQuery().parentKey(HOSPITAL).first(10L), null).getPageInfo().getTotalCount() == 1);
    JobsApi jobs = new JobsApi(client);
    check(!jobs.listJobs(List.of("structuralEntityBulkUpsert"), null, null, null, null, null, null, 1L, null, null, null).getEdges().isEmpty());

    // A subject in the ward, found by words and by a field.
    SubjectsApi subjects = new SubjectsApi(client);
    UUID zoe = subjects.upsertSubject(new SubjectWrite()
        .addCustomFieldValuesItem(text("nationalId", "JAVA-1"))
        .addCustomFieldValuesItem(text("givenName", "Zoë"))
        .addCustomFieldValuesItem(text("familyName", "Kowalczyk"))
        .addCustomFieldValuesItem(new SubjectValueWrite().key("languages").value(new SubjectValueWriteValue(List.of(string("pl"), string("fr")))))
        .addCustomFieldValuesItem(new SubjectValueWrite().key("dateOfBirth").value(
            new SubjectValueWriteValue(new InputValue().date(new InputValueDate().value(LocalDate.of(1990, 2, 28))))))
        .addStructuralEntityKeysItem(WARD_7)).getInternalId();
    until("she is found", () -> subjects.querySubjects(
        new SubjectQuery().addStructuralEntityKeysItem(WARD_7).searchTerm("zoe kovalczyk"), null).getPageInfo().getTotalCount() == 1);
    SubjectQuery byField = new SubjectQuery().customFieldValueFilter(
        new SubjectQueryCustomFieldValueFilter().putValuesItem("nationalId", List.of("JAVA-1")));
    check(zoe.equals(subjects.querySubjects(byField, null).getEdges().get(0).getNode().getId()));

    // Everybody in the ward moves to the hospital: a job.
    Job job = entities.transferSubjects(HOSPITAL, new SubjectTransfer()
        .sourceStructuralEntityKey(WARD_7).transferMode(SubjectTransfer.TransferModeEnum.MOVE), null);
    until("the transfer ends", () -> "Completed".equals(jobs.getJob(job.getJobId()).getStatus()));

    // A document of hers, as it was sent.
    SubjectRecordsApi records = new SubjectRecordsApi(client);
    File letter = File.createTempFile("letter", ".pdf");
    Files.writeString(letter.toPath(), "%PDF-1.4 a letter");
    UUID document = records.uploadRecordItem(zoe, letter, "Letter", "2026-11-01", null).getId();
    File read = records.getRecordItemFile(zoe, document);
    check(Files.mismatch(letter.toPath(), read.toPath()) == -1);
    letter.delete();
    read.delete();

    // A form of hers, and its answers in an extract.
    FormInstancesApi forms = new FormInstancesApi(client);
    WrittenFormInstance instance = forms.createFormInstance(
        new CreateForm().patientIdentifier(zoe.toString()).instanceIdentifier("java-phq-9").formKey("phq-9").formVersion(2L), null);
    if (!"Complete".equals(instance.getStatus())) {
      FilledValues answers = new FilledValues().putValuesItem("filledInBy", "self").putValuesItem("difficulty", "1").putValuesItem("selfHarm", "0");
      for (String question : List.of("interest", "mood", "sleep", "energy", "appetite", "worth", "concentration", "movement")) {
        answers.putValuesItem(question, "1");
      }
      forms.submitForm(zoe, instance.getInstanceGuid(), answers, "*");
    }
    ExtractResults extract = new ExtractsApi(client).runExtract(new ExtractRequest()
        .addSubjectIdentifiersItem(zoe)
        .addDefinitionsItem(new ExtractRequestDefinition()
            .identifier("phq-9").type(ExtractRequestDefinition.TypeEnum.FORM).key("phq-9").version(2L)), null, null);
    FormExtractResults results = (FormExtractResults) extract.getResults().get(0).getActualInstance();
    Stream<Object> values = results.getResults().stream()
        .flatMap(each -> each.getBuildingBlocks().stream())
        .flatMap(block -> block.getControls().stream())
        .flatMap(control -> control.getValues().stream())
        .map(ControlValue::getActualInstance);
    check(values.anyMatch(each -> each instanceof SingleSelection selection && "1".equals(selection.getValue())));

    // She leaves, and the places go: children first.
    subjects.upsertSubject(new SubjectWrite().addCustomFieldValuesItem(text("nationalId", "JAVA-1")).structuralEntityKeys(new ArrayList<>()));
    entities.deleteStructuralEntity(WARD_7);
    entities.deleteStructuralEntity(HOSPITAL);
    types.deleteStructureType(WARD);

    // A refusal is a problem, which names every fault.
    try {
      entities.putStructuralEntity(new StructuralEntityWrite().key("java-lost").displayName("Lost").parentKey("nowhere").structureTypeKey("java-none"));
      check(false);
    } catch (ApiException refused) {
      check(Problem.fromJson(refused.getResponseBody()).getTraceId() != null);
    }
    System.out.println("The session is done.");
  }

  private static InputValue string(String value) {
    return new InputValue().string(new InputValueString().value(value));
  }

  private static SubjectValueWrite text(String key, String value) {
    return new SubjectValueWrite().key(key).value(new SubjectValueWriteValue(string(value)));
  }

  private static void check(boolean holds) {
    if (!holds) throw new IllegalStateException("Not as expected");
  }

  private static void until(String what, Condition condition) throws Exception {
    long deadline = System.nanoTime() + 60_000_000_000L;
    while (!condition.holds()) {
      if (System.nanoTime() > deadline) throw new IllegalStateException("Waited in vain: " + what);
      Thread.sleep(100);
    }
  }
}
