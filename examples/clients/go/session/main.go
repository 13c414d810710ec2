// The session of the README through the client that oapi-codegen makes.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"mime/multipart"
	"net/http"
	"os"
	"time"

	"example.org/armature-client/armature"
	"github.com/google/uuid"
)

const (
	ward     = "go-ward"
	hospital = "go-hospital"
	ward7    = "go-ward-7"
)

func main() {
	ctx := context.Background()
	url := os.Getenv("ARMATURE_URL")

	// A token by client credentials.
	stranger := must(armature.NewClientWithResponses(url))
	token := must(stranger.GetTokenWithFormdataBodyWithResponse(ctx, armature.GetTokenFormdataRequestBody{
		GrantType:    "client_credentials",
		ClientId:     to(os.Getenv("ARMATURE_CLIENT_ID")),
		ClientSecret: to(os.Getenv("ARMATURE_CLIENT_SECRET")),
		Scope:        to("FrameApi FormsApi"),
	}))
	check(token.JSON200 != nil, string(token.Body))
	client := must(armature.NewClientWithResponses(url, armature.WithRequestEditorFn(
		func(_ context.Context, request *http.Request) error {
			request.Header.Set("Authorization", "Bearer "+token.JSON200.AccessToken)
			return nil
		})))

	// A structure type, and two entities in one request.
	structureType := must(client.PutStructureTypeWithResponse(ctx, armature.StructureTypeWrite{
		Key: ward, Name: "Ward", SubjectAssignable: true,
	}))
	check(structureType.StatusCode() < 300, string(structureType.Body))
	bulk := must(client.PutStructuralEntitiesWithResponse(ctx, nil, []armature.StructuralEntityWrite{
		{Key: ward7, DisplayName: "Ward 7", ParentKey: to(hospital), StructureTypeKey: ward},
		{Key: hospital, DisplayName: "General Hospital", StructureTypeKey: ward},
	}))
	check(bulk.StatusCode() == 204, string(bulk.Body))
	child := must(client.GetStructuralEntityWithResponse(ctx, ward7))
	check(child.JSON200 != nil && child.JSON200.Depth == 2, string(child.Body))
	jobs := must(client.ListJobsWithResponse(ctx, &armature.ListJobsParams{
		Kind:  &[]armature.ListJobsParamsKind{"structuralEntityBulkUpsert"},
		First: to(int64(1)),
	}))
	check(jobs.JSON200 != nil && len(jobs.JSON200.Edges) == 1, string(jobs.Body))

	// A subject in the ward, found by a field.
	zoe := must(client.UpsertSubjectWithResponse(ctx, armature.SubjectWrite{
		CustomFieldValues:    texts("nationalId", "GO-1", "givenName", "Zoë", "familyName", "Kowalczyk"),
		StructuralEntityKeys: &[]string{ward7},
	}))
	written := zoe.JSON201
	if written == nil {
		written = zoe.JSON200
	}
	check(written != nil, string(zoe.Body))
	found := must(client.QuerySubjectsWithResponse(ctx, nil, armature.SubjectQuery{StructuralEntityKeys: &[]string{ward7}}))
	check(found.JSON200 != nil && found.JSON200.Edges[0].Node.Id == written.InternalId, string(found.Body))

	// Everybody in the ward moves to the hospital: a job.
	transfer := must(client.TransferSubjectsWithResponse(ctx, hospital, nil, armature.SubjectTransfer{
		SourceStructuralEntityKey: ward7, TransferMode: to(armature.SubjectTransferTransferMode("Move")),
	}))
	check(transfer.JSON202 != nil, string(transfer.Body))
	until("the transfer ends", func() bool {
		job := must(client.GetJobWithResponse(ctx, transfer.JSON202.JobId))
		return job.JSON200 != nil && job.JSON200.Status == "Completed"
	})

	// A document of hers, as it was sent.
	var form bytes.Buffer
	parts := multipart.NewWriter(&form)
	check(parts.WriteField("title", "Letter") == nil && parts.WriteField("effectiveDate", "2026-11-01") == nil, "form")
	file := must(parts.CreatePart(map[string][]string{
		"Content-Disposition": {`form-data; name="file"; filename="letter.pdf"`},
		"Content-Type":        {"application/pdf"},
	}))
	must(file.Write([]byte("%PDF-1.4 a letter")))
	check(parts.Close() == nil, "form")
	letter := must(client.UploadRecordItemWithBodyWithResponse(ctx, written.InternalId, nil, parts.FormDataContentType(), &form))
	check(letter.JSON200 != nil, string(letter.Body))
	read := must(client.GetRecordItemFileWithResponse(ctx, written.InternalId, letter.JSON200.Id))
	check(string(read.Body) == "%PDF-1.4 a letter", string(read.Body))

	// A form of hers, and its answers in an extract.
	instance := must(client.CreateFormInstanceWithResponse(ctx, nil, armature.CreateForm{
		PatientIdentifier: written.InternalId.String(), InstanceIdentifier: "go-phq-9", FormKey: "phq-9", FormVersion: 2,
	}))
	check(instance.JSON200 != nil, string(instance.Body))
	if instance.JSON200.Status != "Complete" {
		answers := map[string]any{"filledInBy": "self", "difficulty": "1", "selfHarm": "0"}
		for _, question := range []string{"interest", "mood", "sleep", "energy", "appetite", "worth", "concentration", "movement"} {
			answers[question] = "1"
		}
		submitted := must(client.SubmitFormWithResponse(ctx, written.InternalId, instance.JSON200.InstanceGuid,
			&armature.SubmitFormParams{IfMatch: to("*")}, armature.FilledValues{Values: answers}))
		check(submitted.JSON200 != nil, string(submitted.Body))
	}
	extract := must(client.RunExtractWithResponse(ctx, nil, armature.ExtractRequest{
		SubjectIdentifiers: &[]uuid.UUID{written.InternalId},
		Definitions:        []armature.ExtractRequestDefinition{{Identifier: "phq-9", Type: "form", Key: "phq-9", Version: 2}},
	}))
	check(extract.JSON200 != nil, string(extract.Body))
	result := must(extract.JSON200.Results[0].AsFormExtractResults())
	check(hasSelection(result, "1"), string(extract.Body))

	// She leaves, and the places go: children first.
	left := must(client.UpsertSubjectWithResponse(ctx, armature.SubjectWrite{
		CustomFieldValues: texts("nationalId", "GO-1"), StructuralEntityKeys: &[]string{},
	}))
	check(left.JSON200 != nil, string(left.Body))
	for _, key := range []string{ward7, hospital} {
		check(must(client.DeleteStructuralEntityWithResponse(ctx, key)).StatusCode() == 204, key)
	}
	check(must(client.DeleteStructureTypeWithResponse(ctx, ward)).StatusCode() == 204, ward)

	// A refusal is a problem, which names every fault.
	refused := must(client.PutStructuralEntityWithResponse(ctx, armature.StructuralEntityWrite{
		Key: "go-lost", DisplayName: "Lost", ParentKey: to("nowhere"), StructureTypeKey: "go-none",
	}))
	var problem armature.Problem
	check(json.Unmarshal(refused.Body, &problem) == nil && problem.TraceId != "", string(refused.Body))
	check(refused.StatusCode() >= 400, refused.Status())
	fmt.Println("The session is done.")
}

func hasSelection(results armature.FormExtractResults, option string) bool {
	for _, result := range results.Results {
		for _, block := range result.BuildingBlocks {
			for _, control := range block.Controls {
				for _, value := range control.Values {
					if selection, err := value.AsSingleSelection(); err == nil && selection.Value == option {
						return true
					}
				}
			}
		}
	}
	return false
}

// texts makes values of pairs of a field's key and a text.
func texts(pairs ...string) []armature.SubjectValueWrite {
	values := []armature.SubjectValueWrite{}
	for i := 0; i < len(pairs); i += 2 {
		var input armature.InputValue
		input.String = &struct {
			Value string `json:"Value"`
		}{pairs[i+1]}
		var value armature.SubjectValueWrite_Value
		check(value.FromInputValue(input) == nil, pairs[i])
		values = append(values, armature.SubjectValueWrite{Key: pairs[i], Value: &value})
	}
	return values
}

func to[Value any](value Value) *Value { return &value }

func must[Value any](value Value, err error) Value {
	check(err == nil, err)
	return value
}

func check(holds bool, found any) {
	if !holds {
		log.Panicf("Not as expected: %v", found)
	}
}

func until(what string, holds func() bool) {
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(100 * time.Millisecond) {
		check(time.Now().Before(deadline), "waited in vain: "+what)
	}
}
