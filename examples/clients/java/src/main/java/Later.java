import java.util.List;
import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.ExtractsApi;
import org.openapitools.client.api.GroupsApi;
import org.openapitools.client.api.JobsApi;
import org.openapitools.client.api.SubjectsApi;
import org.openapitools.client.model.*;

/** Reads what a later release may answer: new members, kinds, states, codes and statuses. The client need not be made anew. */
public class Later {
  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.setBasePath(System.getenv("ARMATURE_URL"));
    UUID id = UUID.fromString("0190c2f0-0000-7000-8000-000000000000");

    Job job = new JobsApi(client).getJob(id);
    check("subjectSplit".equals(job.getKind()) && "Paused".equals(job.getStatus()));
    check(job.getProgress().getTotal() == 5_000_000_000L);

    var changes = new SubjectsApi(client).listSubjectChanges(null, null, null).getEdges();
    check("split".equals(changes.get(0).getNode().getChange()));

    ExtractRequest request = new ExtractRequest().subjectIdentifiers(List.of(id)).definitions(List.of());
    ExtractResults extract = new ExtractsApi(client).runExtract(request, null, null);
    FormExtractResults form = (FormExtractResults) extract.getResults().get(0).getActualInstance();
    UnknownKind summary = (UnknownKind) extract.getResults().get(1).getActualInstance();
    ControlValue value = form.getResults().get(0).getBuildingBlocks().get(0).getControls().get(0).getValues().get(0);
    check("summary".equals(summary.getType()) && "hologram".equals(((UnknownKind) value.getActualInstance()).getType()));

    refused(client, "moved", 404, "/problems/moved-away");
    refused(client, "held", 451, "/problems/held-back");

    check("armature.subject.split".equals(WebhookEvent.fromJson(System.getenv("ARMATURE_EVENT")).getType()));
  }

  private static void refused(ApiClient client, String group, int status, String type) throws Exception {
    try {
      new GroupsApi(client).getGroup(group);
      check(false);
    } catch (ApiException refused) {
      Problem problem = Problem.fromJson(refused.getResponseBody());
      check(refused.getCode() == status && type.equals(problem.getType()));
      check("too-blue".equals(problem.getErrors().get(0).getCode()));
    }
  }

  private static void check(boolean holds) {
    if (!holds) throw new IllegalStateException("Not as expected");
  }
}
