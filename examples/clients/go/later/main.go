// Reads what a later release may answer: new members, kinds, states, codes and statuses. The client need not be made anew.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"

	"example.org/armature-client/armature"
	"github.com/google/uuid"
)

func main() {
	ctx := context.Background()
	client, err := armature.NewClientWithResponses(os.Getenv("ARMATURE_URL"))
	check(err == nil, err)
	id := uuid.MustParse("0190c2f0-0000-7000-8000-000000000000")

	job, err := client.GetJobWithResponse(ctx, id)
	check(err == nil && job.JSON200 != nil, err)
	check(job.JSON200.Kind == "subjectSplit" && job.JSON200.Status == "Paused", job.JSON200)
	check(job.JSON200.Progress.Total == 5_000_000_000, job.JSON200)

	changes, err := client.ListSubjectChangesWithResponse(ctx, nil)
	check(err == nil && changes.JSON200.Edges[0].Node.Change == "split", err)

	request := armature.ExtractRequest{SubjectIdentifiers: &[]uuid.UUID{id}, Definitions: []armature.ExtractRequestDefinition{}}
	extract, err := client.RunExtractWithResponse(ctx, nil, request)
	check(err == nil && len(extract.JSON200.Results) == 2, err)
	form, err := extract.JSON200.Results[0].AsFormExtractResults()
	check(err == nil, err)
	summary, err := extract.JSON200.Results[1].AsUnknownKind()
	check(err == nil && summary.Type == "summary", summary)
	value, err := form.Results[0].BuildingBlocks[0].Controls[0].Values[0].AsUnknownKind()
	check(err == nil && value.Type == "hologram", value)

	moved, err := client.GetGroupWithResponse(ctx, "moved")
	check(err == nil && moved.ApplicationproblemJSON404.Type == "/problems/moved-away", err)
	held, err := client.GetGroupWithResponse(ctx, "held")
	check(err == nil && held.StatusCode() == 451, err)
	check(held.ApplicationproblemJSONDefault.Type == "/problems/held-back", string(held.Body))
	check((*held.ApplicationproblemJSONDefault.Errors)[0].Code == "too-blue", string(held.Body))

	var event armature.WebhookEvent
	err = json.Unmarshal([]byte(os.Getenv("ARMATURE_EVENT")), &event)
	check(err == nil && event.Type == "armature.subject.split", err)
}

func check(holds bool, found any) {
	if !holds {
		log.Panicf("Not as expected: %v", found)
	}
}
