// Types of the API, generated from its description by openapi-typescript. Do not edit: npm run client writes it.

/** SHA-256 of the paths and schemas of that description. */
export const descriptionDigest = '5e1933475174f800b53bd19bb51f4d13c50cb3f2530f7ce01f1efee1ba78c6b4'

/** Calls that take an Idempotency-Key. */
export const idempotentCalls: ReadonlySet<string> = new Set([
  "PUT /api/v1/structureType/bulk",
  "PUT /api/v1/structuralEntity/bulk",
  "PUT /api/v1/group/bulk",
  "POST /api/v2/subject/{subjectId}/erase",
  "POST /api/v2/subject/bulk",
  "POST /api/v2/messaging/subject/bulk",
  "POST /api/v2/subject/import",
  "POST /api/v1/subjects/{subjectId}/file/upload",
  "POST /api/v1/jobs/{jobId}/retry",
  "POST /api/v1/structuralEntity/{destinationStructuralEntityKey}/subjects/transfer",
  "POST /api/v1/jobs/{jobId}/undo",
  "POST /api/v1/dataSet/{dataExtractKey}/refresh",
  "POST /api/v2.0/extract"
])

/** The body of a file: bytes, or a stream of them. A function gives a new stream for each attempt. */
export type Binary = string | Blob | Uint8Array | ReadableStream | (() => ReadableStream)

export interface paths {
    "/identity/connect/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A token for the other endpoints, by client credentials
         * @description The client id and the secret are fields of the form, or stand in an Authorization header (Basic). The token is valid for an hour.
         */
        post: operations["getToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/structureType": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Structure types, searched and paged
         * @description Scope: FrameApi. Permission: List:StructuralEntity.
         */
        get: operations["listStructureTypes"];
        /**
         * Create or replace a structure type
         * @description Scope: FrameApi. Permission: Create:StructuralEntity or Edit:StructuralEntity.
         */
        put: operations["putStructureType"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/structureType/{structureTypeKey}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One structure type
         * @description Scope: FrameApi. Permission: View:StructuralEntity.
         */
        get: operations["getStructureType"];
        put?: never;
        post?: never;
        /**
         * Delete a structure type that no entity is of
         * @description Scope: FrameApi. Permission: Delete:StructuralEntity.
         */
        delete: operations["deleteStructureType"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/structureType/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Create or replace at most 20 structure types, all or nothing
         * @description Scope: FrameApi. Permission: Create:StructuralEntity or Edit:StructuralEntity.
         */
        put: operations["putStructureTypes"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/structuralEntity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Structural entities, filtered, searched and paged
         * @description Scope: FrameApi. Permission: List:StructuralEntity.
         */
        get: operations["listStructuralEntities"];
        /**
         * Create or replace a structural entity; another parent moves its whole subtree
         * @description Scope: FrameApi. Permission: Create:StructuralEntity or Edit:StructuralEntity.
         */
        put: operations["putStructuralEntity"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/structuralEntity/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The list of structural entities, its parameters in the body
         * @description Scope: FrameApi. Permission: List:StructuralEntity.
         */
        post: operations["queryStructuralEntities"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/structuralEntity/{structuralEntityKey}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One structural entity
         * @description Scope: FrameApi. Permission: View:StructuralEntity.
         */
        get: operations["getStructuralEntity"];
        put?: never;
        post?: never;
        /**
         * Delete a structural entity without children and subjects
         * @description Scope: FrameApi. Permission: Delete:StructuralEntity.
         */
        delete: operations["deleteStructuralEntity"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/structuralEntity/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Create or replace many structural entities, parents before children in whatever order they are listed
         * @description Scope: FrameApi. Permission: Create:StructuralEntity or Edit:StructuralEntity.
         */
        put: operations["putStructuralEntities"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/group": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Groups, searched and paged
         * @description Scope: FrameApi. Permission: List:Group.
         */
        get: operations["listGroups"];
        /**
         * Create or replace a group
         * @description Scope: FrameApi. Permission: Create:Group or Edit:Group.
         */
        put: operations["putGroup"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/group/{groupKey}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One group
         * @description Scope: FrameApi. Permission: View:Group.
         */
        get: operations["getGroup"];
        put?: never;
        post?: never;
        /**
         * Delete a group
         * @description Scope: FrameApi. Permission: Delete:Group.
         */
        delete: operations["deleteGroup"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/group/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Create or replace at most 20 groups, all or nothing
         * @description Scope: FrameApi. Permission: Create:Group or Edit:Group.
         */
        put: operations["putGroups"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/subject/{subjectId}/subjectAccessUsers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who may see the subject in the portal, paged
         * @description Scope: FrameApi. Permission: View:SubjectAccessInvite.
         */
        get: operations["listSubjectAccessUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/subject/{subjectId}/invite": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let third parties into the portal, by their e-mail addresses; without any, the subject itself
         * @description Scope: FrameApi. Permission: Create:SubjectAccessInvite.
         */
        post: operations["inviteToPortal"];
        /**
         * Take the access of third parties away, by their e-mail addresses; without any, that of the subject itself
         * @description Scope: FrameApi. Permission: Delete:SubjectAccessInvite.
         */
        delete: operations["removeFromPortal"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/subject/{subjectId}/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Erase a subject with its values, places, documents, forms, data points and portal users, for good, as a job; its id is then answered 410
         * @description Scope: FrameApi. Permission: Delete:Subject.
         */
        post: operations["eraseSubject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/subject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Subjects, filtered, searched and paged
         * @description Scope: FrameApi. Permission: List:Subject.
         */
        get: operations["listSubjects"];
        put?: never;
        /**
         * Create the subject that the matching fields name, or update it
         * @description Scope: FrameApi. Permission: Create:Subject or Edit:Subject.
         */
        post: operations["upsertSubject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/subject/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The list of subjects, its parameters in the body: for more keys than an address takes
         * @description Scope: FrameApi. Permission: List:Subject.
         */
        post: operations["querySubjects"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/subjectField": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The fields of subjects, in the order in which their values are shown
         * @description Scope: FrameApi. Permission: List:Subject.
         */
        get: operations["listSubjectFields"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/subject/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What has changed since: take EndCursor with FromNow, read the list of subjects, then ask again and again After the last EndCursor
         * @description Scope: FrameApi. Permission: List:Subject.
         */
        get: operations["listSubjectChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/subject/{subjectId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One subject with its values and the structural entities it is assigned to
         * @description Scope: FrameApi. Permission: View:Subject.
         */
        get: operations["getSubject"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change some values of a subject
         * @description Scope: FrameApi. Permission: Edit:Subject.
         */
        patch: operations["patchSubject"];
        trace?: never;
    };
    "/api/v2/subject/{subjectId}/deactivate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Leave a subject out of lists; it stays as it is, and an upsert reactivates it
         * @description Scope: FrameApi. Permission: Edit:Subject.
         */
        post: operations["deactivateSubject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/subject/{subjectId}/reactivate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Put a deactivated subject back into lists
         * @description Scope: FrameApi. Permission: Edit:Subject.
         */
        post: operations["reactivateSubject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/subject/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create or update at most 20 subjects, all or nothing
         * @description Scope: FrameApi. Permission: Create:Subject or Edit:Subject.
         */
        post: operations["upsertSubjects"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/messaging/subject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create the subject that the matching fields name, or update it
         * @description Scope: FrameApi. Permission: Create:Subject or Edit:Subject.
         */
        post: operations["upsertSubjectByMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/messaging/subject/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create or update at most 20 subjects, all or nothing
         * @description Scope: FrameApi. Permission: Create:Subject or Edit:Subject.
         */
        post: operations["upsertSubjectsByMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/subject/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create or update subjects from a file of any size, as a job
         * @description Scope: FrameApi. Permission: Create:Subject or Edit:Subject.
         */
        post: operations["importSubjects"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{jobId}/rejects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Rows that an import has refused until now, to be corrected and sent again
         * @description Scope: FrameApi. Permission: View:Job.
         */
        get: operations["listJobRejects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/subject/{subjectId}/structuralEntities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Assign a subject to structural entities, besides those it is assigned to
         * @description Scope: FrameApi. Permission: Create:SubjectLocation.
         */
        put: operations["addSubjectLocations"];
        post?: never;
        /**
         * Take a subject from structural entities
         * @description Scope: FrameApi. Permission: Delete:SubjectLocation.
         */
        delete: operations["removeSubjectLocations"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All users that match, by name
         * @description Scope: FrameApi. Permission: List:User.
         */
        get: operations["listUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{userId}/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a user to groups; being in one already is no fault
         * @description Scope: FrameApi. Permission: Create:UserGroup.
         */
        post: operations["addUserToGroups"];
        /**
         * Take a user out of groups; not being in one is no fault
         * @description Scope: FrameApi. Permission: Delete:UserGroup.
         */
        delete: operations["removeUserFromGroups"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/subjects/{subjectId}/file/upload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a PDF document to the record of a subject
         * @description Scope: FrameApi. Permission: Create:SubjectRecordItem.
         */
        post: operations["uploadRecordItem"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/subjects/{subjectId}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The documents in the record of a subject, paged
         * @description Scope: FrameApi. Permission: View:SubjectRecordItem.
         */
        get: operations["listRecordItems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/subjects/{subjectId}/file/{fileId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The document as it was uploaded
         * @description Scope: FrameApi. Permission: View:SubjectRecordItem.
         */
        get: operations["getRecordItemFile"];
        put?: never;
        post?: never;
        /**
         * Remove a document from the record of a subject
         * @description Scope: FrameApi. Permission: Delete:SubjectRecordItem.
         */
        delete: operations["deleteRecordItem"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Jobs, the newest first
         * @description Scope: FrameApi or FormsApi. Permission: List:Job.
         */
        get: operations["listJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{jobId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One job with its progress
         * @description Scope: FrameApi or FormsApi or FrameGlueDataProviderApi. Permission: View:Job, unless the client has started the job.
         */
        get: operations["getJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{jobId}/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Items of a job in the order they are written, with their outcomes
         * @description Scope: FrameApi or FormsApi or FrameGlueDataProviderApi. Permission: View:Job, unless the client has started the job.
         */
        get: operations["listJobItems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{jobId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a job; what is written stays, and the job says how far it came
         * @description Scope: FrameApi or FormsApi. Permission: Edit:Job.
         */
        post: operations["cancelJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{jobId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Go on with a failed or cancelled job where it stopped; with a body, import corrected rows of an import
         * @description Scope: FrameApi or FormsApi. Permission: Edit:Job.
         */
        post: operations["retryJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/structuralEntity/{destinationStructuralEntityKey}/subjects/transfer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Copy or move the subjects assigned to one structural entity to another, as a job
         * @description Scope: FrameApi. Permission: Edit:SubjectLocation.
         */
        post: operations["transferSubjects"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{jobId}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reverse a transfer of subjects that has ended, as a job; what changed since is left alone
         * @description Scope: FrameApi. Permission: Edit:SubjectLocation.
         */
        post: operations["undoJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dataSet/{dataExtractKey}/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fetch a data set from its provider. A refresh under way is joined; what it fetched before the request is fetched once more
         * @description Scope: FrameApi. Permission: Edit:DataSet.
         */
        post: operations["refreshDataSet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dataSet": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All data sets, and how fresh they are
         * @description Scope: FrameApi. Permission: View:DataSet.
         */
        get: operations["listDataSets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dataSet/{dataExtractKey}/rows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Rows of a data set, paged; with MinGeneration, once a change is in them. A cursor is of one refresh: after the next, begin again
         * @description Scope: FrameApi. Permission: View:DataSet.
         */
        get: operations["listDataSetRows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/glue-dataprovider/api/v1/dataChange/creationOrUpdate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Data of a subject was created or updated at its provider
         * @description Scope: FrameGlueDataProviderApi or FrameApi. No permission beyond the scope.
         */
        post: operations["dataCreatedOrUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/glue-dataprovider/api/v1/dataChange/removal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Data of a subject was removed at its provider
         * @description Scope: FrameGlueDataProviderApi or FrameApi. No permission beyond the scope.
         */
        post: operations["dataRemoved"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/clinicianforms/availableForms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The forms of which instances can be created, as their latest versions are
         * @description Scope: FormsApi. No permission beyond the scope.
         */
        get: operations["listCreatableForms"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/clinicianforms/allAvailableForms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every version of every form, with what can be done with its instances
         * @description Scope: FormsApi. No permission beyond the scope.
         */
        get: operations["listPublishedForms"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/tenant/{tenantKey}/formdefinition/{formKey}/{formVersion}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a form is made of: building blocks, sections, controls, repeats
         * @description Scope: FormsApi. No permission beyond the scope.
         */
        get: operations["getFormDefinition"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/tenant/{tenantKey}/formschema/{formKey}/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The XML Schema of the documents that single-pass forms are sent as
         * @description Scope: FormsApi. No permission beyond the scope.
         */
        get: operations["getFormSchema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/clinicianforms/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a form of a patient; the same request again answers the same instance
         * @description Scope: FormsApi. Permission: Create.
         */
        post: operations["createFormInstance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/patientforms/{patientId}/instance/{instanceGuid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One form instance with its values; `Accept: application/xml` asks for its PatientForm document
         * @description Scope: FormsApi. Permission: ListPatientForms or Create.
         */
        get: operations["getFormInstance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/patientforms/{patientId}/history/{instanceGuid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All versions of a form instance, and when it was withdrawn and reinstated
         * @description Scope: FormsApi. Permission: ListPatientForms or Create.
         */
        get: operations["getFormInstanceHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/patientforms/{patientId}/instance/{instanceGuid}/withdraw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Take a form instance and all its versions out of what is answered
         * @description Scope: FormsApi. Permission: Withdraw.
         */
        delete: operations["withdrawFormInstance"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/patientforms/{patientId}/instance/{instanceGuid}/reinstate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Bring a withdrawn form instance back
         * @description Scope: FormsApi. Permission: Reinstate.
         */
        patch: operations["reinstateFormInstance"];
        trace?: never;
    };
    "/api/patientforms/{patientId}/instance/{instanceGuid}/draft": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Save a draft of a form instance; what is required need not be there yet
         * @description Scope: FormsApi. Permission: Create.
         */
        put: operations["saveFormDraft"];
        post?: never;
        /**
         * Give up what is not complete: what was complete before counts again; without it the instance is gone (204)
         * @description Scope: FormsApi. Permission: Create.
         */
        delete: operations["discardFormDraft"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/patientforms/{patientId}/instance/{instanceGuid}/submit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete a form instance
         * @description Scope: FormsApi. Permission: Create.
         */
        post: operations["submitForm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/patientforms/{patientId}/instance/{instanceGuid}/amend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open a complete form instance again: a draft with its values
         * @description Scope: FormsApi. Permission: Create.
         */
        post: operations["amendForm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/patientforms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Form instances by their ids. Deprecated: see listSubjectForms
         * @description Scope: FormsApi. Permission: ListPatientForms.
         */
        get: operations["listFormInstances"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/patientforms/{patientId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Form instances of a patient, the first one first. Deprecated: see listSubjectForms
         * @description Scope: FormsApi. Permission: ListPatientForms.
         */
        get: operations["listPatientForms"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/tenant/{tenantKey}/subject/{subjectIdentifier}/forms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Form instances of a subject, filtered, sorted and paged
         * @description Scope: FormsApi. Permission: ListPatientForms.
         */
        get: operations["listSubjectForms"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/extract/formdefinition/{formKey}/{formVersion}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What extracts show of a form: its building blocks, their controls, and of which type their values are
         * @description Scope: FormsApi. No permission beyond the scope.
         */
        get: operations["getFormExtractDefinition"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/extract/buildingblockdefinition/{key}/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What extracts show of a building block: its controls, and of which type their values are
         * @description Scope: FormsApi. No permission beyond the scope.
         */
        get: operations["getBuildingBlockExtractDefinition"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/extract": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Extract what was submitted, by form or building block; waits for the result, or answers with its job
         * @description Scope: FormsApi. Permission: RunExtractsAndReports.
         */
        post: operations["runExtract"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{jobId}/result": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The result of an extract
         * @description Scope: FormsApi. Permission: RunExtractsAndReports.
         */
        get: operations["getJobResult"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/extract/subject/{subjectIdentifier}/instance/{instance}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What was submitted with an instance of a subject: its latest complete version
         * @description Scope: FormsApi. Permission: RunExtractsAndReports.
         */
        get: operations["extractInstance"];
        put?: never;
        /**
         * Some of what was submitted with an instance of a subject: only these building blocks and controls
         * @description Scope: FormsApi. Permission: RunExtractsAndReports.
         */
        post: operations["extractFromInstance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/tenants/{tenantKey}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The manifest of a tenant as it is applied, without secrets
         * @description Scope: PlatformAdmin. No permission beyond the scope.
         */
        get: operations["getTenant"];
        /**
         * Make a tenant what its manifest says; with plan=true, only show what would change
         * @description Scope: PlatformAdmin. No permission beyond the scope.
         */
        put: operations["putTenant"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/tenants/{tenantKey}/forms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All versions of all forms of a tenant, in development and in production
         * @description Scope: PlatformAdmin. No permission beyond the scope.
         */
        get: operations["listFormVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/tenants/{tenantKey}/forms/{formKey}/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A version of a form as it can be written again
         * @description Scope: PlatformAdmin. No permission beyond the scope.
         */
        get: operations["getForm"];
        /**
         * Write a version of a form; with plan=true, only check it. In production it never changes
         * @description Scope: PlatformAdmin. No permission beyond the scope.
         */
        put: operations["putForm"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/tenants/{tenantKey}/endpoints/{endpointKey}/apiKeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * API keys of an endpoint, without the keys themselves, the newest first
         * @description Scope: PlatformAdmin. No permission beyond the scope.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Make an API key of an endpoint; the key is shown once
         * @description Scope: PlatformAdmin. No permission beyond the scope.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/tenants/{tenantKey}/endpoints/{endpointKey}/apiKeys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key; it opens nothing from now on
         * @description Scope: PlatformAdmin. No permission beyond the scope.
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/tenants/{tenantKey}/mails": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Mails of a tenant, the newest first
         * @description Scope: PlatformAdmin. No permission beyond the scope.
         */
        get: operations["listMails"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/tenants/{tenantKey}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How the webhooks of a tenant stand
         * @description Scope: PlatformAdmin. No permission beyond the scope.
         */
        get: operations["listWebhooks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/tenants/{tenantKey}/webhooks/{webhookKey}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Goes on with a webhook at once; with from, changes since that moment are sent again
         * @description Scope: PlatformAdmin. No permission beyond the scope.
         */
        post: operations["replayWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/tenants/{tenantKey}/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Providers of a tenant, their limits, and whether the running processes call them
         * @description Scope: PlatformAdmin. No permission beyond the scope.
         */
        get: operations["listProviders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/signingKeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The keys of the identity service, the newest first, and what each is for now
         * @description Scope: PlatformAdmin. No permission beyond the scope.
         */
        get: operations["listSigningKeys"];
        put?: never;
        /**
         * Add a key: it is published now, signs in 15 minutes, and the one before goes away when its last token has expired
         * @description Scope: PlatformAdmin. No permission beyond the scope.
         */
        post: operations["rotateSigningKeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Problem: {
            /** @description Its last part is the stable code. */
            type: string;
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request. */
            errors?: {
                /** @description JSON pointer into the body, or /query/<name>, or /path/<name>. */
                pointer: string;
                code: string;
                detail: string;
                /** @description Item of a batch. */
                index?: number;
                /** @description Its Key, where it has one. */
                key?: string;
            }[];
        };
        PageInfo: {
            HasNextPage: boolean;
            HasPreviousPage: boolean;
            StartCursor: string;
            EndCursor: string;
            TotalCount: number;
        };
        CustomField: {
            Name: string;
            Key: string;
            Type: string;
            Required: boolean;
        };
        StructureType: {
            Name: string;
            Key: string;
            SubjectAssignable: boolean;
            CustomFields: components["schemas"]["CustomField"][];
        };
        StructureTypeWrite: {
            Name: string;
            /** @description Unique; no blanks at its ends. */
            Key: string;
            SubjectAssignable: boolean;
            CustomFields?: {
                /** @enum {string} */
                TypeKey: "Text" | "PhoneNumber" | "Number" | "Date" | "DateTime" | "Time" | "UserIdentifier";
                Name: string;
                /** @description Unique; no blanks at its ends. */
                Key: string;
                /** @default false */
                Required?: boolean;
            }[];
        };
        Job: {
            /** Format: uuid */
            jobId: string;
            /** @enum {string} */
            kind: "structuralEntityBulkUpsert" | "structureTypeBulkUpsert" | "groupBulkUpsert" | "subjectBulkUpsert" | "subjectImport" | "subjectTransfer" | "subjectTransferUndo" | "subjectErasure" | "portalInvitation" | "dataSetRefresh" | "dataChange" | "singlePassDelivery" | "multiExtract" | "formExport";
            /** @enum {string} */
            status: "Accepted" | "Running" | "Completed" | "Failed" | "Cancelled";
            /** @description Client that asked for it. */
            actor: string;
            /** @description Of the request that was accepted; the log lines carry it too. */
            traceId: string;
            progress: {
                done: number;
                total: number;
                /** @description Of an import that runs. */
                perSecond?: number;
                /** @description At that pace. */
                secondsLeft?: number;
            };
            /** @description Items by outcome. */
            counts: {
                [key: string]: number;
            };
            /** @description What it was asked to do, where that is not a batch of items: a transfer, by keys; an erasure, by its subject; an extract, with its instant. */
            input?: unknown;
            /**
             * Format: uuid
             * @description The job that reversed it.
             */
            undoneBy?: string;
            /** @description Why it failed, as the problem that a waiting caller got. */
            problem?: unknown;
            /** Format: date-time */
            acceptedAt: string;
            /** Format: date-time */
            startedAt: string | null;
            /** Format: date-time */
            finishedAt: string | null;
            links: {
                self: string;
                items: string;
                /** @description Of an import: the rows that it has refused until now. */
                rejects?: string;
                /** @description Of an extract: what it has found, once it is completed. */
                result?: string;
                /** @description Its run. Absent where Temporal was away: then the job was written without one. */
                temporalUi?: string;
            };
        };
        StructuralEntity: {
            Key: string;
            DisplayName: string;
            ParentKey: string | null;
            /** @description A root is 1. */
            Depth: number;
            StructureType: components["schemas"]["StructureType"];
            CustomFieldValues: {
                Field: components["schemas"]["CustomField"];
                Value: {
                    DataType: string;
                    ValueText: string;
                };
            }[];
        };
        StructuralEntityQuery: {
            /** @description Direct children of this entity. */
            ParentKey?: string;
            /** @description All that is below this entity, at any depth. */
            AncestorKey?: string;
            /** @description A root is 1. */
            Depth?: number;
            /** @description Every word occurs in the name or the key. */
            SearchTerm?: string;
            SubjectAssignable?: boolean;
            StructureTypeKey?: string;
            /**
             * Format: date-time
             * @description Written at this time or later. The time is that of the write, which may become visible some seconds later.
             */
            UpdatedFrom?: string;
            /**
             * Format: date-time
             * @description Written before this time.
             */
            UpdatedTo?: string;
            /** @description Cursor: entries after it only. */
            After?: string;
            /** @description Cursor: entries before it only. */
            Before?: string;
            /** @description The first n, at most 1000. Default 20. */
            First?: number;
            /** @description The last n, at most 1000; not together with First. */
            Last?: number;
            /**
             * @description Ties are broken by key.
             * @enum {string}
             */
            OrderBy?: "Key" | "DisplayName" | "Depth" | "UpdatedAt";
            /**
             * @description Default Ascending.
             * @enum {string}
             */
            OrderDirection?: "Ascending" | "Descending";
        };
        InputValue: {
            Boolean?: {
                Value: boolean;
            };
            String?: {
                Value: string;
            };
            Integer?: {
                /** Format: int64 */
                Value: number;
            };
            Decimal?: {
                Value: number;
            };
            DateTime?: {
                /** @description date-time of the years 0001 to 9999 in UTC */
                Value: string;
            };
            Date?: {
                /** @description date */
                Value: string;
            };
            Time?: {
                /** @description time of day, HH:MM[:SS[.fff]], without a zone */
                Value: string;
            };
            UserIdentifier?: {
                Value: string;
            };
        };
        EntityValueWrite: {
            Key: string;
            Value: components["schemas"]["InputValue"] | components["schemas"]["InputValue"][];
        };
        /** @description An entity as it is read is taken too: StructureType stands for StructureTypeKey, and Depth says nothing. A PUT says all of an entity: without ParentKey it becomes a root, and without CustomFieldValues it has none. */
        StructuralEntityWrite: {
            /** @description Unique; no blanks at its ends. */
            Key: string;
            DisplayName: string;
            /** @description Absent or null: a root. An entity is at most 1,000 deep, unless the operator says otherwise. */
            ParentKey?: string | null;
            StructureTypeKey: string;
            CustomFieldValues?: components["schemas"]["EntityValueWrite"][];
        };
        WrittenStructuralEntity: {
            Key: string;
            DisplayName: string;
            ParentKey: string | null;
            /** @description A root is 1. */
            Depth: number;
            StructureType: components["schemas"]["StructureType"];
            CustomFieldValues: {
                Field: components["schemas"]["CustomField"];
                Value: {
                    $type: string;
                    DataType: string;
                    Value: unknown;
                    ValueText: string;
                };
            }[];
        };
        Group: {
            Key: string;
            DisplayName: string;
            StructuralEntityKeys: string[];
        };
        /** @description A group as it is read is taken too: DisplayName stands for Name. */
        GroupWrite: {
            Name: string;
            /** @description Unique; no blanks at its ends. */
            Key: string;
            StructuralEntityKeys?: string[];
        };
        CamelPageInfo: {
            hasNextPage: boolean;
            hasPreviousPage: boolean;
            startCursor: string;
            endCursor: string;
            totalCount: number;
        };
        PortalUser: {
            /** Format: uuid */
            id: string;
            displayName: string;
            email: string;
            /** @enum {string} */
            inviteMethod: "SelfAccess" | "ThirdParty";
        };
        SubjectField: {
            Name: string;
            Key: string;
            Type: string;
            Required: boolean;
            IsArray: boolean;
        };
        ListedSubject: {
            /** Format: uuid */
            Id: string;
            /** Format: uuid */
            ExternalId: string;
            /**
             * Format: date-time
             * @description Only where the subject is deactivated: lists leave it out.
             */
            DeactivatedAt?: string;
            CustomFieldValues: {
                Field: components["schemas"]["SubjectField"];
                Value: {
                    DataType: string;
                    ValueText: string;
                } | {
                    DataType: string;
                    ValueText: string;
                }[];
            }[];
            StructuralEntities?: components["schemas"]["StructuralEntity"][];
        };
        /**
         * @example {
         *       "customFieldValueFilter": {
         *         "values": {
         *           "nationalId": [
         *             "A-1234"
         *           ]
         *         }
         *       },
         *       "First": 1
         *     }
         */
        SubjectQuery: {
            /** @description Assigned to any of these. */
            StructuralEntityKeys?: string[] | null;
            /** @description Assigned to no entity. Default false. */
            Unplaced?: boolean;
            /** @description Also subjects that are deactivated, which have DeactivatedAt. Default false. */
            IncludeDeactivated?: boolean;
            /**
             * Format: date-time
             * @description Written at this time or later. The time is that of the write, which may become visible some seconds later.
             */
            UpdatedFrom?: string;
            /**
             * Format: date-time
             * @description Written before this time.
             */
            UpdatedTo?: string;
            /** @description What each subject of the list has besides its values: the entities to which it is assigned. */
            Include?: "StructuralEntities"[];
            /** @description Also assigned to any entity below these, at any depth: a region with all its wards is one list. Default false. Of more than 20 entities, a TotalCount above 5,000 may be 10 s old. */
            IncludeDescendants?: boolean;
            /** @description Every word is in the values: whole, as a beginning, or with a typo. The best first. A subject is found by at most 200 words, of long texts the first ones; a word that is new to the tenant is found with a typo within seconds. A term without a letter or digit is refused; a blank one is no search. */
            SearchTerm?: string;
            /** @description Cursor: entries after it only. */
            After?: string;
            /** @description Cursor: entries before it only. */
            Before?: string;
            /** @description The first n, at most 1000. Default 20. */
            First?: number;
            /** @description The last n, at most 1000; not together with First. */
            Last?: number;
            /**
             * @description Ties are broken by key.
             * @enum {string}
             */
            OrderBy?: "Id" | "UpdatedAt";
            /**
             * @description Default Ascending.
             * @enum {string}
             */
            OrderDirection?: "Ascending" | "Descending";
            customFieldValueFilter?: {
                /** @description Holding these values exactly, by field key; repeatable. White space at the ends of a text, and its Unicode form, make no difference. */
                values: {
                    [key: string]: string[];
                };
                /**
                 * @description All of the values (at most 100), or any. Default ExactAll. Only with values.
                 * @enum {string}
                 */
                match?: "ExactAll" | "ExactAny";
            };
        };
        SubjectFieldDescription: {
            Name: string;
            Key: string;
            Type: string;
            Required: boolean;
            /** @description It takes several values. */
            IsArray: boolean;
            /** @description An upsert finds the subject by its value. */
            Matching: boolean;
        };
        SubjectChange: {
            /** Format: uuid */
            SubjectId: string;
            /**
             * @description `moved`: it is assigned to other entities. `deactivated`: lists leave it out, until it is `reactivated`. `erased`: delete your copy. Leave out what you do not know: more kinds may come.
             * @enum {string}
             */
            Change: "created" | "updated" | "moved" | "deactivated" | "reactivated" | "erased";
            /** Format: date-time */
            ChangedAt: string;
        };
        SubjectWithPlaces: {
            /** Format: uuid */
            Id: string;
            /** Format: uuid */
            ExternalId: string;
            /**
             * Format: date-time
             * @description Only where the subject is deactivated: lists leave it out.
             */
            DeactivatedAt?: string;
            CustomFieldValues: {
                Field: components["schemas"]["SubjectField"];
                Value: {
                    DataType: string;
                    ValueText: string;
                } | {
                    DataType: string;
                    ValueText: string;
                }[];
            }[];
            StructuralEntities: components["schemas"]["StructuralEntity"][];
        };
        SubjectValueWrite: {
            Key: string;
            Value: components["schemas"]["InputValue"] | components["schemas"]["InputValue"][] | null;
        };
        Subject: {
            /** Format: uuid */
            Id: string;
            /** Format: uuid */
            ExternalId: string;
            /**
             * Format: date-time
             * @description Only where the subject is deactivated: lists leave it out.
             */
            DeactivatedAt?: string;
            CustomFieldValues: {
                Field: components["schemas"]["SubjectField"];
                Value: {
                    DataType: string;
                    ValueText: string;
                } | {
                    DataType: string;
                    ValueText: string;
                }[];
            }[];
        };
        /**
         * @example {
         *       "CustomFieldValues": [
         *         {
         *           "Key": "nationalId",
         *           "Value": {
         *             "String": {
         *               "Value": "A-1234"
         *             }
         *           }
         *         },
         *         {
         *           "Key": "givenName",
         *           "Value": {
         *             "String": {
         *               "Value": "Zoë"
         *             }
         *           }
         *         },
         *         {
         *           "Key": "familyName",
         *           "Value": {
         *             "String": {
         *               "Value": "Kowalczyk"
         *             }
         *           }
         *         },
         *         {
         *           "Key": "languages",
         *           "Value": [
         *             {
         *               "String": {
         *                 "Value": "pl"
         *               }
         *             },
         *             {
         *               "String": {
         *                 "Value": "fr"
         *               }
         *             }
         *           ]
         *         }
         *       ],
         *       "StructuralEntityKeys": []
         *     }
         */
        SubjectWrite: {
            CustomFieldValues: components["schemas"]["SubjectValueWrite"][];
            /** @description All places of the subject; absent: they stay. */
            StructuralEntityKeys?: string[] | null;
        };
        WrittenSubject: {
            /** Format: uuid */
            internalId: string;
            /** Format: uuid */
            externalId: string;
            /** @enum {string} */
            outcome: "created" | "updated";
            customFieldValues: {
                customField: {
                    /** @description Key of the field. */
                    id: string;
                };
                value: {
                    $type: string;
                    dataType: string;
                    value: unknown;
                    valueText: string;
                } | {
                    $type: string;
                    dataType: string;
                    value: unknown;
                    valueText: string;
                }[];
            }[];
        };
        RefusedRow: {
            Refused: {
                /** @description Name of the column; of NDJSON a pointer into the line. Empty: the whole row. */
                column: string;
                code: string;
                detail: string;
                /** @description As a spreadsheet counts: the header of a CSV is 1. */
                row: number;
                /** @description All faults of the row; the first is that above. */
                errors: {
                    /** @description Name of the column; of NDJSON a pointer into the line. Empty: the whole row. */
                    column: string;
                    code: string;
                    detail: string;
                }[];
                /** @description The row as it came, where it is no JSON object. */
                line?: string;
            };
        };
        SubjectLocations: {
            keys: string[];
        };
        User: {
            /** @description Of the identity service. */
            id: string;
            displayName: string;
        };
        SubjectFile: {
            /** Format: uuid */
            id: string;
            title: string;
            /** @description A date, or a date-time in UTC. */
            effectiveDate: string;
            /** @description Empty where the upload named none. */
            fileName: string;
            /** @description Bytes. */
            size: number;
            sha256: string;
            /** Format: date-time */
            uploadedAt: string;
        };
        JobItem: {
            /** @description Place in the request, from 0. */
            index: number;
            key: string;
            /** @description Items of a lower layer are written first. */
            layer: number;
            /** @enum {string} */
            outcome: "created" | "updated" | "pending";
        };
        /**
         * @example {
         *       "SourceStructuralEntityKey": "ward-7",
         *       "TransferMode": "Move"
         *     }
         */
        SubjectTransfer: {
            SourceStructuralEntityKey: string;
            /**
             * @default Copy
             * @enum {string}
             */
            TransferMode?: "Copy" | "Move";
        };
        DataSetRefreshed: {
            /** Format: uuid */
            jobId: string;
            /**
             * Format: date-time
             * @description When the rows became visible.
             */
            refreshedAt: string;
            /**
             * Format: date-time
             * @description No row is older than this, which is after the request.
             */
            asOf: string;
            /** @description Visible ones. */
            rows: number;
            /** @description Rows of subjects that the tenant does not have; left out. */
            unknownSubjects: number;
        };
        DataSet: {
            Key: string;
            Source: string;
            Options: unknown;
            /** @description Between two refreshes. */
            RefreshSeconds?: number;
            /**
             * Format: date-time
             * @description No row is older than this; null before the first refresh.
             */
            AsOf: string | null;
            /** @description Every refresh and change accepted up to this number is in the rows, or has failed. */
            Generation: number;
            /**
             * Format: uuid
             * @description The refresh under way.
             */
            RefreshJobId?: string;
        };
        /** @description A column of the row that a data point is. */
        DataPointItem: {
            Key: string;
            Value: {
                DataType: string;
                Value: unknown;
            };
        };
        DataSetRow: {
            Id: string;
            /** Format: uuid */
            SubjectId: string;
            /** @description As the provider names the subject. */
            SubjectIdentifier: string;
            DataPointItems: components["schemas"]["DataPointItem"][];
        };
        DataPoint: {
            Id: string;
            SubjectIdentifier: string;
            DataPointItems: components["schemas"]["DataPointItem"][];
        };
        DataCreationOrUpdate: {
            SubjectIdentifier: string;
            /** @description Paths into the options of data extracts, as in name[0].child, and what must be there; all must match. */
            DataExtractsOptionsValuesFilter: {
                [key: string]: unknown;
            };
            NewOrUpdatedDataPoints?: components["schemas"]["DataPoint"][];
        };
        DataChangeAnswer: {
            /**
             * Format: uuid
             * @description The job that fetches the data again; null where nothing matched. Changes of a subject may share one.
             */
            JobId: string | null;
            /** @enum {string} */
            Status: "Refreshing" | "NothingMatched";
            MatchedDataExtracts: string[];
            /** @description Rows written or deleted now, in all matched data sets. */
            AffectedDataPoints: number;
            /** @description By data set: the minGeneration that waits for what is fetched after this change. */
            Generations: {
                [key: string]: number;
            };
            Explanation?: {
                DataExtract: string;
                Matches: boolean;
                Entries: {
                    Path: string;
                    Matches: boolean;
                    /** @description What is there; absent where nothing is. */
                    Found?: unknown;
                }[];
            }[];
        };
        DataRemoval: {
            SubjectIdentifier: string;
            /** @description Paths into the options of data extracts, as in name[0].child, and what must be there; all must match. */
            DataExtractsOptionsValuesFilter: {
                [key: string]: unknown;
            };
            RemovedDataPointIdentifiers?: string[];
        };
        CreatableForm: {
            key: string;
            title: string;
            classification: string;
        };
        PublishedForm: {
            key: string;
            versionNumber: number;
            formTitle: string;
            allowAmend: boolean;
            classification: string;
            allowSaveDraft: boolean;
            autoSaveIntervalSeconds: number;
            allowDiscard: boolean;
            allowRevoke: boolean;
        };
        ControlDefinition: {
            id: string;
            /** @description Where it stands in the XML of the form. */
            xPath: string;
            /** @enum {string} */
            dataType: "integer" | "decimal" | "string" | "boolean" | "date" | "time" | "datetime" | "annotated-image" | "geolocation" | "html" | "data-url" | "url" | "translatable-text-value";
            label: string;
            /** @description Empty where the form gives none. */
            hint: string;
            couldHaveValue: boolean;
            couldHaveMultipleValues: boolean;
            displayNameXPath: string | null;
            otherValueXPath: string | null;
        };
        RepeatDefinition: {
            id: string;
            /** @description Where it stands in the XML of the form. */
            xPath: string;
            label: string;
            minIterations: number;
            maxIterations: number | null;
            controls: components["schemas"]["ControlDefinition"][];
            repeats: components["schemas"]["RepeatDefinition"][];
        };
        FormDefinition: {
            key: string;
            version: number;
            title: string;
            allowAmend: boolean;
            classification: string;
            allowSaveDraft: boolean;
            /** @description In seconds. */
            autoSaveInteval: number;
            allowDiscard: boolean;
            allowRevoke: boolean;
            buildingBlocks: {
                key: string;
                version: number;
                /** @description Where it stands in the XML of the form. */
                xPath: string;
                sections: {
                    id: string;
                    /** @description Where it stands in the XML of the form. */
                    xPath: string;
                    controls: components["schemas"]["ControlDefinition"][];
                    repeats: components["schemas"]["RepeatDefinition"][];
                }[];
            }[];
        };
        CreateForm: {
            /** @description The subject's Id or ExternalId. */
            patientIdentifier: string;
            /** @description No blanks at its ends. */
            instanceIdentifier: string;
            formKey: string;
            formVersion: number;
            onBehalfOf?: {
                /** @description No blanks at its ends. */
                identifier: string;
                /** @enum {string} */
                type: "user" | "subject" | "system" | "external" | "subjectProxy";
            };
            /** @description At most 100 texts of at most 4,000 characters, under names of 1 to 255. It never changes. */
            instanceContext?: {
                [key: string]: string;
            };
            /** @description No blanks at its ends. */
            correlationId?: string;
        };
        WrittenFormInstance: {
            /** Format: uuid */
            instanceGuid: string;
            title: string;
            /** @description UTC, ISO 8601 with milliseconds and without a zone. */
            createDateTimeUtc: string;
            /** @description UTC, ISO 8601 with milliseconds and without a zone. */
            lastModifiedDateTimeUtc: string;
            /**
             * @description Of the current version, also while it is withdrawn.
             * @enum {string}
             */
            status: "New" | "Draft" | "Complete";
            /** @description It is complete, not withdrawn, and its form can be amended. */
            isAmendable: boolean;
            key: string;
            /** @description Of the form. */
            version: number;
            /** @description Relative address of the page that shows the version. */
            viewLink: string;
        };
        EmptyValue: {
            /** @constant */
            type: "empty";
            /** @description Of the innermost repeat; null outside repeats. */
            repeatIterationIndex: number | null;
            /** @description In nested repeats, the outer first. */
            repeatIterationPath?: number[];
        };
        SingleValue: {
            /** @constant */
            type: "single-value";
            /** @description Of the innermost repeat; null outside repeats. */
            repeatIterationIndex: number | null;
            /** @description In nested repeats, the outer first. */
            repeatIterationPath?: number[];
            /** @description Numbers with all their digits, true or false, dates and times in ISO 8601. */
            value: string;
        };
        SingleSelection: {
            /** @constant */
            type: "single-selection";
            /** @description Of the innermost repeat; null outside repeats. */
            repeatIterationIndex: number | null;
            /** @description In nested repeats, the outer first. */
            repeatIterationPath?: number[];
            value: string;
            /** @description What was shown of the option. */
            displayName: string;
        };
        SelectedOption: {
            value: string;
            /** @description What was shown of the option. */
            displayName: string;
        };
        MultipleSelection: {
            /** @constant */
            type: "multiple-selection";
            /** @description Of the innermost repeat; null outside repeats. */
            repeatIterationIndex: number | null;
            /** @description In nested repeats, the outer first. */
            repeatIterationPath?: number[];
            selections: components["schemas"]["SelectedOption"][];
        };
        Geolocation: {
            /** @constant */
            type: "geolocation";
            /** @description Of the innermost repeat; null outside repeats. */
            repeatIterationIndex: number | null;
            /** @description In nested repeats, the outer first. */
            repeatIterationPath?: number[];
            latitude: number;
            longitude: number;
        };
        ImageAnnotation: {
            /** @description The number of the pin, from 1. */
            position: number;
            value: string;
            /** @description Per cent of the width. */
            x: number;
            /** @description Per cent of the height. */
            y: number;
        };
        AnnotatedImage: {
            /** @constant */
            type: "annotated-image";
            /** @description Of the innermost repeat; null outside repeats. */
            repeatIterationIndex: number | null;
            /** @description In nested repeats, the outer first. */
            repeatIterationPath?: number[];
            /** @description A data URL of the image and its pins. */
            imageDataUri: string;
            annotations: components["schemas"]["ImageAnnotation"][];
        };
        PartialDate: {
            /** @constant */
            type: "partial-date";
            /** @description Of the innermost repeat; null outside repeats. */
            repeatIterationIndex: number | null;
            /** @description In nested repeats, the outer first. */
            repeatIterationPath?: number[];
            /**
             * @description How much of the date counts.
             * @enum {string}
             */
            dateKind: "yyyy" | "yyyy-MM" | "yyyy-MM-dd";
            /** Format: date */
            date: string;
        };
        TranslatableText: {
            /** @constant */
            type: "translatable-text-value";
            /** @description Of the innermost repeat; null outside repeats. */
            repeatIterationIndex: number | null;
            /** @description In nested repeats, the outer first. */
            repeatIterationPath?: number[];
            originalText: string;
            /** @description Null until somebody has translated it. */
            translatedText: string | null;
            sourceLanguageCode: string;
            targetLanguageCode: string | null;
            /** Format: date-time */
            translatedDateTime: string | null;
        };
        /** @description Its type says which members there are. */
        ControlValue: components["schemas"]["EmptyValue"] | components["schemas"]["SingleValue"] | components["schemas"]["SingleSelection"] | components["schemas"]["MultipleSelection"] | components["schemas"]["Geolocation"] | components["schemas"]["AnnotatedImage"] | components["schemas"]["PartialDate"] | components["schemas"]["TranslatableText"];
        FilledForm: {
            /** Format: uuid */
            instanceGuid: string;
            title: string;
            /** @description UTC, ISO 8601 with milliseconds and without a zone. */
            createDateTimeUtc: string;
            /** @description UTC, ISO 8601 with milliseconds and without a zone. */
            lastModifiedDateTimeUtc: string;
            /**
             * @description Of the current version, also while it is withdrawn.
             * @enum {string}
             */
            status: "New" | "Draft" | "Complete";
            /** @description It is complete, not withdrawn, and its form can be amended. */
            isAmendable: boolean;
            key: string;
            /** @description Of the form. */
            version: number;
            /** Format: uuid */
            subjectIdentifier: string;
            classification: string;
            correlationId: string | null;
            isWithdrawn: boolean;
            createdByUserIdentifier: string;
            /** @description Of the latest complete version, like the next. */
            submittedByUserIdentifier: string | null;
            /** Format: date-time */
            submissionDateTime: string | null;
            /** @description Relative address of the page that shows the version. */
            viewLink: string;
            instanceContext: {
                [key: string]: string;
            };
            /** @description By control id; of a control in a repeat the first iteration first. */
            values: {
                [key: string]: components["schemas"]["ControlValue"][];
            };
        };
        FormInstanceVersion: {
            /** Format: uuid */
            instanceGuid: string;
            /** Format: uuid */
            instanceVersionGuid: string;
            createdByUserIdentifier: string;
            /** Format: date-time */
            createdDateTimeUtc: string;
            /** @enum {string} */
            status: "New" | "Draft" | "Complete";
            /** @description False for what was not saved by a person: new, amended, auto-saved. */
            isEditMilestone: boolean;
            isCompleted: boolean;
            isDeleted: boolean;
            deletedByUserIdentifier: string | null;
            /** Format: date-time */
            deletedDateTimeUtc: string | null;
            key: string;
            version: number;
            /** @description Relative address of the page that shows the version. */
            viewLink: string;
        };
        FormWithdrawal: {
            /** Format: uuid */
            instanceGuid: string;
            /** @enum {string} */
            withdrawalStatus: "Withdrawn" | "Reinstated";
            reason: string;
            withdrawnByUserIdentifier: string;
            /** Format: date-time */
            actionTakenDateTime: string;
        };
        FormInstanceHistory: {
            compositeInstanceHistory: components["schemas"]["FormInstanceVersion"][];
            withdrawalHistory: components["schemas"]["FormWithdrawal"][];
        };
        FilledValues: {
            /** @description By control id: the value itself, or what was read back; in a repeat a list of {repeatIterationIndex, value}. */
            values: {
                [key: string]: unknown;
            };
        };
        FormInstanceSummary: {
            /** Format: uuid */
            instanceGuid: string;
            title: string;
            /** @description UTC, ISO 8601 with milliseconds and without a zone. */
            createDateTimeUtc: string;
            /** @description UTC, ISO 8601 with milliseconds and without a zone. */
            lastModifiedDateTimeUtc: string;
            /**
             * @description Of the current version, also while it is withdrawn.
             * @enum {string}
             */
            status: "New" | "Draft" | "Complete";
            /** @description It is complete, not withdrawn, and its form can be amended. */
            isAmendable: boolean;
            key: string;
            /** @description Of the form. */
            version: number;
        };
        ListedFormInstance: {
            /** Format: uuid */
            instanceGuid: string;
            title: string;
            /** @description UTC, ISO 8601 with milliseconds and without a zone. */
            createDateTimeUtc: string;
            /** @description UTC, ISO 8601 with milliseconds and without a zone. */
            lastModifiedDateTimeUtc: string;
            /**
             * @description Of the current version, also while it is withdrawn.
             * @enum {string}
             */
            status: "New" | "Draft" | "Complete";
            /** @description It is complete, not withdrawn, and its form can be amended. */
            isAmendable: boolean;
            key: string;
            /** @description Of the form. */
            version: number;
            /** Format: uuid */
            subjectIdentifier: string;
            classification: string;
            correlationId: string | null;
            isWithdrawn: boolean;
            createdByUserIdentifier: string;
            /** @description Of the latest complete version, like the next. */
            submittedByUserIdentifier: string | null;
            /** Format: date-time */
            submissionDateTime: string | null;
            /** @description Relative address of the page that shows the version. */
            viewLink: string;
        };
        ControlExtractDefinition: {
            id: string;
            label: string;
            /** @enum {string} */
            dataType: "integer" | "decimal" | "string" | "boolean" | "date" | "time" | "datetime" | "annotated-image" | "geolocation" | "html" | "data-url" | "url" | "translatable-text-value";
            /**
             * @description Of what is entered; a value may be of the type empty besides.
             * @enum {string}
             */
            extractValueType: "single-value" | "single-selection" | "multiple-selection" | "geolocation" | "annotated-image" | "partial-date" | "translatable-text-value";
        };
        BuildingBlockExtractDefinition: {
            key: string;
            version: number;
            /** @description Those that could have a value, in the order of the form. */
            controls: components["schemas"]["ControlExtractDefinition"][];
        };
        FormExtractDefinition: {
            key: string;
            version: number;
            buildingBlocks: components["schemas"]["BuildingBlockExtractDefinition"][];
        };
        ExtractSelection: {
            key: string;
            /** @description Each once; absent: all controls. */
            controlIds?: string[] | null;
        };
        ExtractRequestDefinition: {
            /** @description Names the results; unique in the request. */
            identifier: string;
            /** @enum {string} */
            type: "form" | "building-block";
            key: string;
            version: number;
            /** @description Of a form, each once; absent: all building blocks. */
            buildingBlocks?: components["schemas"]["ExtractSelection"][] | null;
            /** @description Each once; absent: all controls. */
            controlIds?: string[] | null;
        };
        /**
         * @example {
         *       "maxResultsPerDefinitionPerSubject": 1,
         *       "definitions": [
         *         {
         *           "identifier": "phq-9",
         *           "type": "form",
         *           "key": "phq-9",
         *           "version": 2,
         *           "buildingBlocks": [
         *             {
         *               "key": "phq9",
         *               "controlIds": [
         *                 "mood",
         *                 "score"
         *               ]
         *             }
         *           ]
         *         },
         *         {
         *           "identifier": "safety",
         *           "type": "building-block",
         *           "key": "phq9-safety",
         *           "version": 1
         *         }
         *       ]
         *     }
         */
        ExtractRequest: {
            /** @description Id or ExternalId of each. Who does not exist has no results. */
            subjectIdentifiers?: string[] | null;
            /** @description Of submissions, inclusive. ISO 8601; UTC where it names no zone. */
            from?: string;
            /** @description Exclusive. ISO 8601; UTC where it names no zone. */
            to?: string;
            /** @description Of all definitions together, after the other limit: the most recent. */
            maxResults?: number;
            /** @description Of each definition and subject: the most recent. */
            maxResultsPerDefinitionPerSubject?: number;
            definitions: components["schemas"]["ExtractRequestDefinition"][];
        };
        ControlExtractResult: {
            id: string;
            label: string;
            /** @enum {string} */
            dataType: "integer" | "decimal" | "string" | "boolean" | "date" | "time" | "datetime" | "annotated-image" | "geolocation" | "html" | "data-url" | "url" | "translatable-text-value";
            /** @description None where the control was not relevant. */
            values: components["schemas"]["ControlValue"][];
        };
        ExtractedBuildingBlock: {
            key: string;
            controls: components["schemas"]["ControlExtractResult"][];
        };
        /**
         * @example {
         *       "instanceGuid": "01a2021e-2bc6-75d6-96df-5e3584818c80",
         *       "subjectIdentifier": "01a2021d-66f4-7231-8c0f-0f5f0a6d3a54",
         *       "submittedByUserIdentifier": "ada.okafor",
         *       "submissionDateTime": "2026-11-02T09:41:07.312Z",
         *       "correlationId": null,
         *       "buildingBlocks": [
         *         {
         *           "key": "phq9",
         *           "controls": [
         *             {
         *               "id": "mood",
         *               "label": "2. Feeling down, depressed, or hopeless",
         *               "dataType": "integer",
         *               "values": [
         *                 {
         *                   "type": "single-selection",
         *                   "repeatIterationIndex": null,
         *                   "value": "1",
         *                   "displayName": "Several days"
         *                 }
         *               ]
         *             }
         *           ]
         *         }
         *       ]
         *     }
         */
        FormExtractResult: {
            /** Format: uuid */
            instanceGuid: string;
            /** Format: uuid */
            subjectIdentifier: string;
            submittedByUserIdentifier: string;
            /** Format: date-time */
            submissionDateTime: string;
            correlationId: string | null;
            buildingBlocks: components["schemas"]["ExtractedBuildingBlock"][];
        };
        FormExtractResults: {
            identifier: string;
            /** @constant */
            type: "form";
            results: components["schemas"]["FormExtractResult"][];
        };
        BuildingBlockExtractResult: {
            /** Format: uuid */
            instanceGuid: string;
            /** Format: uuid */
            subjectIdentifier: string;
            submittedByUserIdentifier: string;
            /** Format: date-time */
            submissionDateTime: string;
            correlationId: string | null;
            controls: components["schemas"]["ControlExtractResult"][];
        };
        BuildingBlockExtractResults: {
            identifier: string;
            /** @constant */
            type: "building-block";
            results: components["schemas"]["BuildingBlockExtractResult"][];
        };
        /**
         * @example {
         *       "results": [
         *         {
         *           "identifier": "phq-9",
         *           "type": "form",
         *           "results": [
         *             {
         *               "instanceGuid": "01a2021e-2bc6-75d6-96df-5e3584818c80",
         *               "subjectIdentifier": "01a2021d-66f4-7231-8c0f-0f5f0a6d3a54",
         *               "submittedByUserIdentifier": "ada.okafor",
         *               "submissionDateTime": "2026-11-02T09:41:07.312Z",
         *               "correlationId": null,
         *               "buildingBlocks": [
         *                 {
         *                   "key": "phq9",
         *                   "controls": [
         *                     {
         *                       "id": "mood",
         *                       "label": "2. Feeling down, depressed, or hopeless",
         *                       "dataType": "integer",
         *                       "values": [
         *                         {
         *                           "type": "single-selection",
         *                           "repeatIterationIndex": null,
         *                           "value": "1",
         *                           "displayName": "Several days"
         *                         }
         *                       ]
         *                     }
         *                   ]
         *                 }
         *               ]
         *             }
         *           ]
         *         },
         *         {
         *           "identifier": "safety",
         *           "type": "building-block",
         *           "results": []
         *         }
         *       ]
         *     }
         */
        ExtractResults: {
            /** @description One for each definition, in their order. */
            results: (components["schemas"]["FormExtractResults"] | components["schemas"]["BuildingBlockExtractResults"])[];
        };
        FormExtractLine: {
            identifier: string;
            /** @constant */
            type: "form";
            /** Format: uuid */
            instanceGuid: string;
            /** Format: uuid */
            subjectIdentifier: string;
            submittedByUserIdentifier: string;
            /** Format: date-time */
            submissionDateTime: string;
            correlationId: string | null;
            buildingBlocks: components["schemas"]["ExtractedBuildingBlock"][];
        };
        BuildingBlockExtractLine: {
            identifier: string;
            /** @constant */
            type: "building-block";
            /** Format: uuid */
            instanceGuid: string;
            /** Format: uuid */
            subjectIdentifier: string;
            submittedByUserIdentifier: string;
            /** Format: date-time */
            submissionDateTime: string;
            correlationId: string | null;
            controls: components["schemas"]["ControlExtractResult"][];
        };
        /**
         * @description A result as a line of JSON; definition after definition.
         * @example {
         *       "identifier": "phq-9",
         *       "type": "form",
         *       "instanceGuid": "01a2021e-2bc6-75d6-96df-5e3584818c80",
         *       "subjectIdentifier": "01a2021d-66f4-7231-8c0f-0f5f0a6d3a54",
         *       "submittedByUserIdentifier": "ada.okafor",
         *       "submissionDateTime": "2026-11-02T09:41:07.312Z",
         *       "correlationId": null,
         *       "buildingBlocks": [
         *         {
         *           "key": "phq9",
         *           "controls": [
         *             {
         *               "id": "mood",
         *               "label": "2. Feeling down, depressed, or hopeless",
         *               "dataType": "integer",
         *               "values": [
         *                 {
         *                   "type": "single-selection",
         *                   "repeatIterationIndex": null,
         *                   "value": "1",
         *                   "displayName": "Several days"
         *                 }
         *               ]
         *             }
         *           ]
         *         }
         *       ]
         *     }
         */
        ExtractLine: components["schemas"]["FormExtractLine"] | components["schemas"]["BuildingBlockExtractLine"];
        /**
         * @example {
         *       "definitions": [
         *         {
         *           "key": "phq9",
         *           "controlIds": [
         *             "score"
         *           ]
         *         }
         *       ]
         *     }
         */
        SubjectExtractRequest: {
            /** @description The building blocks that are wanted, each once. */
            definitions: components["schemas"]["ExtractSelection"][] | null;
        };
        ClientManifest: {
            /** @description Unique in the installation. */
            id: string;
            name?: string;
            /** @description Only written. Absent: the present one stays; a new client gets a random one, which the answer shows once. */
            secret?: string;
            scopes: ("FrameApi" | "FormsApi" | "GlueRuntimeApi" | "FrameGlueDataProviderApi" | "PlatformAdmin")[];
            permissions?: string[];
            /** @default false */
            disabled?: boolean;
        };
        SubjectFieldManifest: {
            /** @description Unique; no blanks at its ends. */
            key: string;
            name: string;
            /** @enum {string} */
            type: "Text" | "PhoneNumber" | "Number" | "Date" | "DateTime" | "Time" | "UserIdentifier" | "Boolean";
            /**
             * @description A subject is not created without a value.
             * @default false
             */
            required?: boolean;
            /**
             * @description Several values.
             * @default false
             */
            isArray?: boolean;
        };
        PortalManifest: {
            /**
             * @description Subjects may be invited themselves; needs `emailField`.
             * @default false
             */
            selfAccess?: boolean;
            /**
             * @description Others may be invited by their e-mail addresses.
             * @default false
             */
            thirdParty?: boolean;
            /** @description Fields that a subject must have values for before anybody is invited. */
            matchingFields?: string[];
            /** @description The field with the subject's own e-mail address. */
            emailField?: string;
            /** @description Fields whose values make a subject's display name, in this order, also on pages of forms. Without it Text fields by their keys: givenName, middleName, familyName, or name (docs/forms.md, "The person"). */
            displayNameFields?: string[];
            /** @description Address of the portal, for the mails. */
            url?: string;
        };
        ImportMapManifest: {
            /** @description Unique; no blanks at its ends. */
            key: string;
            /** @description By the name of a column: the key of its field, `StructuralEntityKeys` for places, or an empty text for a column that is not read. */
            columns: {
                [key: string]: string;
            };
        };
        SubjectsManifest: {
            /** @description A field that subjects hold values of neither goes nor changes its type or isArray (409). */
            fields?: components["schemas"]["SubjectFieldManifest"][];
            /** @description Required fields of one value each, whose values together name a subject in an upsert. Texts are compared in NFC and without white space at their ends. */
            matchingFields?: string[];
            /**
             * @description The subject upsert API is on; needs `matchingFields`.
             * @default false
             */
            upsert?: boolean;
            /** @description The field whose value names a subject to data providers, and to people on pages of forms. Without it pages of forms show the matching fields. Compared as matching fields are. */
            identifierField?: string;
            /** @description A Date field of one value, shown on pages of forms. Without it the Date field whose key is dateOfBirth, birthDate, birthday or dob. */
            dateOfBirthField?: string;
            portal?: components["schemas"]["PortalManifest"];
            /** @description Columns of CSV files; an import names one as `MapKey`. */
            importMaps?: components["schemas"]["ImportMapManifest"][];
        };
        /** @description The id is that of the identity service. */
        UserManifest: {
            /** @description Unique; no blanks at its ends. */
            id: string;
            displayName: string;
            /** @default true */
            active?: boolean;
            /** @description Keys of exactly the groups of the user. Absent: the memberships stay as they are. */
            groups?: string[];
        };
        SecretManifest: {
            /** @description A letter, then letters, digits and _: 64 at most. */
            name: string;
            /** @description Only written. Absent: the present one stays. */
            value?: string;
        };
        /** @description OAuth 2.0 client credentials; every call carries the token. */
        ProviderAuthentication: {
            /** @description Liquid. Issuer whose metadata names the token endpoint. */
            authority?: string;
            /** @description Liquid. The token endpoint itself, in place of the authority. */
            tokenUrl?: string;
            /** @description Liquid. Our client id there. */
            clientId: string;
            /** @description Names a secret, as {{ variables.name }}. */
            clientSecret: string;
            /** @description Liquid. Scopes asked for. */
            scope?: string;
        };
        ProviderLimits: {
            requestsPerSecond?: number;
            /** @description Of one worker process. */
            concurrency?: number;
        };
        /** @description A system that endpoints call. */
        ProviderManifest: {
            /** @description Unique; no blanks at its ends. */
            key: string;
            /** @description Base address of its calls: https://…. */
            url: string;
            authentication?: components["schemas"]["ProviderAuthentication"];
            limits?: components["schemas"]["ProviderLimits"];
            /** @default 30 */
            timeoutSeconds?: number;
            /**
             * @description How long a failing call is tried again.
             * @default 900
             */
            retrySeconds?: number;
            /** @default 16 */
            maxAnswerMb?: number;
        };
        /** @description Exactly one of them. */
        EndpointAuthentication: {
            openIdConnect?: {
                /** @description Liquid. Issuer base URL, exactly as in `iss`. */
                authority: string;
                /** @description Liquid. Comma-separated; the token has any one. */
                audiences: string;
                /** @description Liquid. Comma-separated; the token has all. */
                scopes?: string;
            };
            clientCredentials?: Record<string, never>;
            apiKey?: Record<string, never>;
        };
        HttpRequestStep: {
            /** @description Key; then its limits and token apply. */
            provider?: string;
            /**
             * @default GET
             * @enum {string}
             */
            method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
            /** @description The provider does the same, whether it gets the call once or several times, for instance because it knows Idempotency-Key. Then the call is repeated after failures that leave open whether it was carried out. Absent: true but for POST and PATCH. */
            idempotent?: boolean;
            /** @description Liquid. Absolute, or relative to the provider. */
            url: string;
            headers?: {
                [key: string]: string;
            };
            query?: {
                [key: string]: string;
            };
            /** @description Liquid. Sent as JSON unless a header says otherwise. */
            body?: string;
            /** @description Statuses besides 2xx that are no failure. */
            accept?: number[];
        };
        JwtStep: {
            /** @enum {string} */
            algorithm: "RS256" | "PS256" | "ES256" | "EdDSA" | "HS256";
            /** @description Names a secret, as {{ variables.name }}: a private key (PKCS #8 PEM or JWK), or the secret of HS256. */
            key: string;
            keyId?: string;
            claims?: {
                [key: string]: string;
            };
            /** @default 300 */
            expiresInSeconds?: number;
        };
        /** @description Either body or expression, or neither. */
        RespondStep: {
            /** @default 200 */
            status?: number;
            headers?: {
                [key: string]: string;
            };
            /** @description Liquid: a text. */
            body?: string;
            /** @description JSONata over request, steps and variables. */
            expression?: string;
        };
        /** @description Exactly one thing that it does, and the name under which later steps read its output. */
        PipelineStep: {
            /** @description A letter, then letters, digits and _: 64 at most. */
            name: string;
            httpRequest?: components["schemas"]["HttpRequestStep"];
            jwt?: components["schemas"]["JwtStep"];
            transform?: {
                /** @description JSONata over request, steps and variables. */
                expression: string;
            };
            respond?: components["schemas"]["RespondStep"];
        };
        /** @description Served at /glue/{tenantKey}/{key}. */
        GlueEndpointManifest: {
            /** @description Letters, digits and -: 64 at most. */
            key: string;
            /** @description All must pass; without any it is open. */
            authentication?: components["schemas"]["EndpointAuthentication"][];
            /** @enum {string} */
            capability?: "structuredData";
            steps: components["schemas"]["PipelineStep"][];
        };
        DataSourceManifest: {
            /** @description Unique; no blanks at its ends. */
            key: string;
            /** @description Answers the data points of one subject. */
            subjectEndpoint?: string;
            /** @description Answers those of all subjects, page by page. */
            pageEndpoint?: string;
            /** @default 500 */
            pageSize?: number;
        };
        DataExtractManifest: {
            /** @description Unique; no blanks at its ends. */
            key: string;
            /** @description Key of a data source. */
            source: string;
            /** @description Handed to the source's endpoints; data changes are matched with them. */
            options?: {
                [key: string]: unknown;
            };
            /** @description Between two refreshes; absent: only when asked. */
            refreshSeconds?: number;
        };
        /** @description An address that gets events, signed as Standard Webhooks say. */
        WebhookManifest: {
            /** @description Letters, digits and -: 64 at most. */
            key: string;
            /** @description The receiver: https://…. */
            url: string;
            events: ("subject.created" | "subject.updated" | "subject.moved" | "subject.deactivated" | "subject.reactivated" | "subject.erased")[];
            /** @description Names of secrets, each whsec_ and 24 to 64 bytes in base64. Two while one replaces the other. */
            secrets: string[];
        };
        GlueManifest: {
            /** @description By name; templates and expressions read variables.name. */
            variables?: {
                [key: string]: string;
            };
            /** @description Variables that are kept sealed. Callers never see them. */
            secrets?: components["schemas"]["SecretManifest"][];
            providers?: components["schemas"]["ProviderManifest"][];
            endpoints?: components["schemas"]["GlueEndpointManifest"][];
            dataSources?: components["schemas"]["DataSourceManifest"][];
            dataExtracts?: components["schemas"]["DataExtractManifest"][];
            webhooks?: components["schemas"]["WebhookManifest"][];
        };
        /** @description Who may open single-pass forms: everybody, or who has a token of an authority. */
        LaunchManifest: {
            openIdConnect?: {
                /** @description Liquid. Issuer base URL, exactly as in `iss`. */
                authority: string;
                /** @description Liquid. Comma-separated; the token has any one. */
                audiences: string;
                /** @description Liquid. Comma-separated; the token has all. */
                scopes?: string;
            };
            /** @description Origins whose pages may show forms in a frame, such as https://portal.example.org. */
            frameAncestors?: string[];
        };
        FormDeliveryManifest: {
            /** @description A provider of the glue: its credentials, limits and times. */
            provider?: string;
            /** @description Liquid. Where each form is sent, as XML by POST; relative to the provider. */
            url: string;
            headers?: {
                [key: string]: string;
            };
        };
        ExportSelectionManifest: {
            key: string;
            /** @description Absent: all controls. */
            controlIds?: string[];
        };
        /** @description As in a multi extract. */
        ExportDefinitionManifest: {
            /** @description Names the file and the results in it; unique in the export, in large and small letters alike. A letter or digit, then letters, digits, ., _ and -: 100 at most. */
            identifier: string;
            /** @enum {string} */
            type: "form" | "building-block";
            key: string;
            version: number;
            /** @description Of a form; absent: all building blocks. */
            buildingBlocks?: components["schemas"]["ExportSelectionManifest"][];
            /** @description Absent: all controls. */
            controlIds?: string[];
        };
        /** @description A recurring extract, delivered as files of NDJSON in gzip. */
        ExportManifest: {
            /** @description Names the folder; unique in large and small letters alike. A letter or digit, then letters, digits, ., _ and -: 100 at most. */
            key: string;
            /** @description Seconds between two; or give dailyAt. */
            every?: number;
            /** @description HH:MM in the time zone; or give every. */
            dailyAt?: string;
            /** @description Of dailyAt: an IANA name, such as Europe/Vienna. Absent: UTC. */
            timeZone?: string;
            /**
             * @description Everything, or what has changed since the one before.
             * @default full
             * @enum {string}
             */
            mode?: "full" | "incremental";
            /**
             * @description The directory or the bucket that the installation has for exports.
             * @enum {string}
             */
            destination: "directory" | "s3";
            definitions: components["schemas"]["ExportDefinitionManifest"][];
        };
        FormsManifest: {
            launch?: components["schemas"]["LaunchManifest"];
            delivery?: components["schemas"]["FormDeliveryManifest"];
            exports?: components["schemas"]["ExportManifest"][];
        };
        LimitsManifest: {
            /** @description Of one client, and of one address that opens a single-pass form; absent: no limit. */
            requestsPerMinute?: number;
            /** @description Structural entities of one bulk request. */
            bulkMaxItems?: number;
        };
        TenantManifest: {
            /** @description Letters, digits, - and _: 64 at most; the path has it too. */
            key?: string;
            name?: string;
            clients?: components["schemas"]["ClientManifest"][];
            subjects?: components["schemas"]["SubjectsManifest"];
            users?: components["schemas"]["UserManifest"][];
            /**
             * @description Which subjects a user has access to by a group: `direct`, those assigned to an entity of the group; `descendants`, also those assigned to an entity below one, so that a group of a region needs not list its wards.
             * @default direct
             * @enum {string}
             */
            userAccess?: "direct" | "descendants";
            glue?: components["schemas"]["GlueManifest"];
            forms?: components["schemas"]["FormsManifest"];
            limits?: components["schemas"]["LimitsManifest"];
        };
        ManifestChange: {
            /** @description JSON pointer; a client or user is named by its id, a field by its key. */
            path: string;
            /** @enum {string} */
            change: "created" | "updated" | "deleted";
            before?: unknown;
            after?: unknown;
        };
        /** @description What may be applied and is probably not meant. */
        ManifestWarning: {
            /** @description JSON pointer into the manifest. */
            pointer: string;
            code: string;
            detail: string;
        };
        FormVersion: {
            key: string;
            version: number;
            /** @enum {string} */
            status: "Development" | "Production";
            title: string;
            classification: string;
        };
        /** @description A control (or context) and one comparison: equals, in, answered, atLeast or atMost. Or one of all, any, not. */
        FormCondition: {
            /** @description Id of a control that stands earlier, in the same iteration or around it. */
            control?: string;
            /** @description Key of the context of the instance, in place of a control. Not empty. */
            context?: string;
            /** @description The value, or one of those chosen. Quote digits that begin with 0. */
            equals?: string | number | boolean;
            in?: (string | number | boolean)[];
            /** @description Whether there is a value. */
            answered?: boolean;
            /** @description Of numbers, inclusive. */
            atLeast?: number;
            /** @description Of numbers, inclusive. */
            atMost?: number;
            all?: components["schemas"]["FormCondition"][];
            any?: components["schemas"]["FormCondition"][];
            not?: components["schemas"]["FormCondition"];
        };
        FormBand: {
            /** @description Inclusive; absent in the last band. */
            upTo?: number;
            /** @description The value that the calculated control then has. Quote digits that begin with 0. */
            value: string | number | boolean;
        };
        FormBands: {
            /** @description Id of a numeric control. */
            of: string;
            /** @description In ascending order. */
            bands: components["schemas"]["FormBand"][];
        };
        /** @description Either sum or bands, of controls that stand earlier. Empty until all of them have values. */
        FormCalculation: {
            /** @description Ids of numeric controls. */
            sum?: string[];
            bands?: components["schemas"]["FormBands"];
        };
        /** @description What the field holds at first: either of them. */
        FormInitial: {
            /** @description A value, or that of an option. Quote digits that begin with 0. */
            value?: string | number | boolean;
            /** @description Key of the context of the instance. Not empty. */
            context?: string;
        };
        FormOption: {
            /** @description Of the data type. Quote digits that begin with 0. */
            value: string | number | boolean;
            /** @description What is shown. Not empty. */
            label: string;
        };
        FormControl: {
            /** @description Unique in the form; values are sent and extracted by it. A letter or _, then letters, digits, _ and -: 64 at most; not beginning with xml. */
            id: string;
            /** @description The question, or the heading of a text that is only read. Not empty. */
            label: string;
            /** @description Shown below the label. */
            hint?: string;
            /**
             * @description What its values are.
             * @default string
             * @enum {string}
             */
            dataType?: "integer" | "decimal" | "string" | "boolean" | "date" | "time" | "datetime" | "annotated-image" | "geolocation" | "html" | "data-url" | "url" | "translatable-text-value";
            /**
             * @description False for what is only read: `text` stands there.
             * @default true
             */
            couldHaveValue?: boolean;
            /** @description What stands there where couldHaveValue is false. */
            text?: string;
            /**
             * @description A form is not complete without it, where it is relevant.
             * @default false
             */
            required?: boolean;
            relevant?: components["schemas"]["FormCondition"];
            calculate?: components["schemas"]["FormCalculation"];
            initial?: components["schemas"]["FormInitial"];
            /** @description What to choose from; of scalars only. */
            options?: components["schemas"]["FormOption"][];
            /**
             * @description Several options may be chosen.
             * @default false
             */
            couldHaveMultipleValues?: boolean;
            /**
             * @description Besides the options, a value of one’s own.
             * @default false
             */
            allowOther?: boolean;
            /** @description Lowest number, date, time or datetime. Quote digits that begin with 0. */
            min?: string | number | boolean;
            /** @description Highest number, date, time or datetime. Quote digits that begin with 0. */
            max?: string | number | boolean;
            /** @description Of texts, in characters. */
            minLength?: number;
            /**
             * @description Of texts (also of pins), in characters.
             * @default 10000
             */
            maxLength?: number;
            /** @description Regular expression (JavaScript) that the whole text matches. */
            pattern?: string;
            /**
             * @description A field of several lines.
             * @default false
             */
            multiline?: boolean;
            /** @description Shown behind a number. Not empty. */
            unit?: string;
            /**
             * @description A date that may be a year, or a year and month.
             * @default false
             */
            partial?: boolean;
            /** @description A picture as a data URL (SVG, PNG, JPEG or GIF of at most 1 MB). `armature apply` takes the name of a file beside the template. */
            image?: string;
            /** @description What the picture shows, for who cannot see it. Not empty. */
            imageDescription?: string;
            /** @description Of data URLs; absent: all. */
            mediaTypes?: string[];
            /**
             * @description Largest file of a data URL.
             * @default 2097152
             */
            maxBytes?: number;
            /** @description Into which a translatable text is to be translated. A BCP 47 code such as en or pt-BR. */
            targetLanguage?: string;
        };
        /** @description Filled in once for each iteration. At most 4 stand in each other. */
        FormRepeat: {
            /** @description Unique in the form. A letter or _, then letters, digits, _ and -: 64 at most; not beginning with xml. */
            id: string;
            /** @description Of one iteration, such as Wound. Not empty. */
            label: string;
            /** @description Shown below the label. */
            hint?: string;
            /** @default 0 */
            minIterations?: number;
            /**
             * @description Null: 1000.
             * @default null
             */
            maxIterations?: number | null;
            relevant?: components["schemas"]["FormCondition"];
            /** @description They come before the repeats. */
            controls?: components["schemas"]["FormControl"][];
            repeats?: components["schemas"]["FormRepeat"][];
        };
        FormSection: {
            /** @description Unique in its building block. A letter or _, then letters, digits, _ and -: 64 at most; not beginning with xml. */
            id: string;
            /** @description Its heading. Not empty. */
            title?: string;
            /** @description Shown below the heading. */
            hint?: string;
            relevant?: components["schemas"]["FormCondition"];
            /** @description They come before the repeats. */
            controls?: components["schemas"]["FormControl"][];
            repeats?: components["schemas"]["FormRepeat"][];
        };
        FormBuildingBlock: {
            /** @description Once in a form; the same block may be part of other forms. A letter or _, then letters, digits, _ and -: 64 at most; not beginning with xml. */
            key: string;
            /**
             * @description In production, the same key and version is the same block in every form.
             * @default 1
             */
            version?: number;
            /** @description Its heading. Not empty. */
            title?: string;
            sections: components["schemas"]["FormSection"][];
        };
        /** @description One version of a form. */
        FormTemplate: {
            /** @description Letters, digits, - and _: 64 at most; the path has it too. AvailableForms is no key. */
            key?: string;
            /** @description The path has it too. */
            version?: number;
            /**
             * @description In production it never changes.
             * @default Development
             * @enum {string}
             */
            status?: "Development" | "Production";
            /** @description Of the form. Not empty. */
            title: string;
            /**
             * @description Open text, such as Observation or Plans. Not empty.
             * @default Uncategorised
             */
            classification?: string;
            /** @description Shown above the first section. */
            introduction?: string;
            /**
             * @description Of the texts. A BCP 47 code such as en or pt-BR.
             * @default en
             */
            language?: string;
            /**
             * @description A complete form may be changed: that makes a new version of it.
             * @default true
             */
            allowAmend?: boolean;
            /**
             * @description It may be saved before it is complete.
             * @default true
             */
            allowSaveDraft?: boolean;
            /**
             * @description Drafts save themselves so often.
             * @default 30
             */
            autoSaveIntervalSeconds?: number;
            /**
             * @description A draft may be discarded.
             * @default true
             */
            allowDiscard?: boolean;
            /**
             * @description An instance may be withdrawn and reinstated.
             * @default true
             */
            allowRevoke?: boolean;
            buildingBlocks: components["schemas"]["FormBuildingBlock"][];
        };
        /** @description What an extract definition for the other version would find no more, or otherwise. */
        FormBreak: {
            /** @enum {string} */
            code: "building-block-removed" | "control-removed" | "data-type-changed" | "value-type-changed" | "repeats-changed" | "option-removed";
            /** @description Its key. */
            buildingBlock: string;
            /** @description Its id. */
            control?: string;
            detail: string;
        };
        WrittenForm: {
            key: string;
            version: number;
            /** @enum {string} */
            status: "Development" | "Production";
            /** @description There was no such version before. */
            created: boolean;
            /** @description False for a plan. */
            applied: boolean;
            /** @description The highest other version in production, where this one goes into production. */
            comparedWith: number | null;
            /** @description Compared with that version. They refuse nothing. */
            breaks: components["schemas"]["FormBreak"][];
            warnings: components["schemas"]["ManifestWarning"][];
        };
        ApiKeyRequest: {
            name: string;
            /** @description ISO 8601, in the future; absent: it does not expire. */
            expiresAt?: string;
        };
        NewApiKey: {
            /** Format: uuid */
            id: string;
            endpointKey: string;
            name: string;
            /** @description Client that made it. */
            createdBy: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string | null;
            /** Format: date-time */
            revokedAt: string | null;
            /** @description For the header X-Api-Key; shown once. */
            key: string;
        };
        ApiKey: {
            /** Format: uuid */
            id: string;
            endpointKey: string;
            name: string;
            /** @description Client that made it. */
            createdBy: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string | null;
            /** Format: date-time */
            revokedAt: string | null;
        };
        Mail: {
            /**
             * Format: uuid
             * @description The first part of its Message-ID.
             */
            id: string;
            /**
             * @description queued: to be sent; sent: a mail server took it; failed: it was refused for good; kept: there is no mail server; withdrawn: the invitation was removed before.
             * @enum {string}
             */
            state: "queued" | "sent" | "failed" | "kept" | "withdrawn";
            recipient: string;
            subject: string;
            text: string;
            /** @description Why it is not sent. */
            reason: string | null;
            /** @description How often a mail server was asked to take it. */
            attempts: number;
            /** Format: uuid */
            jobId: string;
            /** Format: date-time */
            queuedAt: string;
            /** Format: date-time */
            sentAt: string | null;
        };
        WebhookState: {
            key: string;
            /**
             * @description failing: it waits until nextAttemptAt; stopped: the receiver answered 410, or changes are no longer kept.
             * @enum {string}
             */
            state: "active" | "failing" | "stopped";
            /** @description In a row. */
            failures: number;
            reason: string | null;
            /** Format: date-time */
            nextAttemptAt: string | null;
            /** Format: date-time */
            deliveredAt: string | null;
        };
        WebhookReplay: {
            /** Format: date-time */
            from?: string;
        };
        /** @description How a running process finds a provider. */
        Circuit: {
            /** @description Host, process id and a random part. */
            process: string;
            /**
             * @description open: no call is made for a while; half-open: a single call tries whether it is well again.
             * @enum {string}
             */
            state: "closed" | "open" | "half-open";
            /** @description Its reason, and the status of the answer. */
            lastFailure: string | null;
            /** Format: date-time */
            changedAt: string;
        };
        ProviderState: {
            key: string;
            url: string;
            limits: {
                requestsPerSecond?: number;
                concurrency?: number;
            };
            timeoutSeconds: number;
            retrySeconds: number;
            maxAnswerMb: number;
            /** @description Of the processes for which it has been open; none: all is well. */
            circuits: components["schemas"]["Circuit"][];
        };
        SigningKey: {
            /** @description Its name in tokens and in the key set. */
            kid: string;
            /**
             * @description published: it signs later. signing: new tokens. verifying: tokens that have not expired.
             * @enum {string}
             */
            state: "published" | "signing" | "verifying";
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            signsFrom: string;
            /**
             * Format: date-time
             * @description It goes away then; null: no other key follows it yet.
             */
            until: string | null;
        };
        SigningKeys: {
            keys: components["schemas"]["SigningKey"][];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @constant */
                    grant_type: "client_credentials";
                    /** @description Absent with an Authorization header. */
                    client_id?: string;
                    /**
                     * Format: password
                     * @description Absent with an Authorization header.
                     */
                    client_secret?: string;
                    /** @description Scopes with blanks between. A client with one scope may leave it out. */
                    scope?: string;
                    /** @description Key of the client's tenant. It may be left out, because a client id is unique. */
                    tenant_key?: string;
                };
            };
        };
        responses: {
            /** @description A token */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description For the header `Authorization: Bearer`. */
                        access_token: string;
                        /** @constant */
                        token_type: "Bearer";
                        /** @description Seconds. */
                        expires_in: number;
                        /** @description The scopes of the token. */
                        scope: string;
                    };
                };
            };
            /** @description There is no token; `error` is a code of OAuth. A 429 has Retry-After. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        error: "invalid_client" | "invalid_request" | "invalid_grant" | "invalid_scope" | "unsupported_grant_type" | "too_many_requests" | "temporarily_unavailable" | "server_error";
                        error_description: string;
                    };
                };
            };
            /** @description The platform failed; a 503 can be tried again. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        error: "invalid_client" | "invalid_request" | "invalid_grant" | "invalid_scope" | "unsupported_grant_type" | "too_many_requests" | "temporarily_unavailable" | "server_error";
                        error_description: string;
                    };
                };
            };
        };
    };
    listStructureTypes: {
        parameters: {
            query?: {
                /** @description Every word occurs in the name or the key. */
                SearchTerm?: string;
                SubjectAssignable?: boolean;
                /** @description Cursor: entries after it only. */
                After?: string;
                /** @description Cursor: entries before it only. */
                Before?: string;
                /** @description The first n, at most 1000. Default 20. */
                First?: number;
                /** @description The last n, at most 1000; not together with First. */
                Last?: number;
                /** @description Ties are broken by key. */
                OrderBy?: "Key" | "Name";
                /** @description Default Ascending. */
                OrderDirection?: "Ascending" | "Descending";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        PageInfo: components["schemas"]["PageInfo"];
                        Edges: {
                            Node: components["schemas"]["StructureType"];
                            Cursor: string;
                        }[];
                    };
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putStructureType: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StructureTypeWrite"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StructureType"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StructureType"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getStructureType: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                structureTypeKey: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StructureType"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteStructureType: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                structureTypeKey: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putStructureTypes: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body gets the answer of the first request; with another body, 422. */
                "Idempotency-Key"?: string;
                /** @description `respond-async`: answer 202 with the job at once. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StructureTypeWrite"][];
            };
        };
        responses: {
            /** @description Accepted; goes on as a job */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listStructuralEntities: {
        parameters: {
            query?: {
                /** @description Direct children of this entity. */
                ParentKey?: string;
                /** @description All that is below this entity, at any depth. */
                AncestorKey?: string;
                /** @description A root is 1. */
                Depth?: number;
                /** @description Every word occurs in the name or the key. */
                SearchTerm?: string;
                SubjectAssignable?: boolean;
                StructureTypeKey?: string;
                /** @description Written at this time or later. The time is that of the write, which may become visible some seconds later. */
                UpdatedFrom?: string;
                /** @description Written before this time. */
                UpdatedTo?: string;
                /** @description Cursor: entries after it only. */
                After?: string;
                /** @description Cursor: entries before it only. */
                Before?: string;
                /** @description The first n, at most 1000. Default 20. */
                First?: number;
                /** @description The last n, at most 1000; not together with First. */
                Last?: number;
                /** @description Ties are broken by key. */
                OrderBy?: "Key" | "DisplayName" | "Depth" | "UpdatedAt";
                /** @description Default Ascending. */
                OrderDirection?: "Ascending" | "Descending";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        PageInfo: components["schemas"]["PageInfo"];
                        Edges: {
                            Node: components["schemas"]["StructuralEntity"];
                            Cursor: string;
                        }[];
                    };
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putStructuralEntity: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StructuralEntityWrite"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenStructuralEntity"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenStructuralEntity"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    queryStructuralEntities: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StructuralEntityQuery"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        PageInfo: components["schemas"]["PageInfo"];
                        Edges: {
                            Node: components["schemas"]["StructuralEntity"];
                            Cursor: string;
                        }[];
                    };
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getStructuralEntity: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                structuralEntityKey: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StructuralEntity"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteStructuralEntity: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                structuralEntityKey: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putStructuralEntities: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body gets the answer of the first request; with another body, 422. */
                "Idempotency-Key"?: string;
                /** @description `respond-async`: answer 202 with the job at once. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StructuralEntityWrite"][];
            };
        };
        responses: {
            /** @description Accepted; goes on as a job */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listGroups: {
        parameters: {
            query?: {
                /** @description Every word occurs in the name or the key. */
                SearchTerm?: string;
                /** @description Cursor: entries after it only. */
                After?: string;
                /** @description Cursor: entries before it only. */
                Before?: string;
                /** @description The first n, at most 1000. Default 20. */
                First?: number;
                /** @description The last n, at most 1000; not together with First. */
                Last?: number;
                /** @description Ties are broken by key. */
                OrderBy?: "Key" | "DisplayName";
                /** @description Default Ascending. */
                OrderDirection?: "Ascending" | "Descending";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        PageInfo: components["schemas"]["PageInfo"];
                        Edges: {
                            Node: components["schemas"]["Group"];
                            Cursor: string;
                        }[];
                    };
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putGroup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GroupWrite"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                groupKey: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                groupKey: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putGroups: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body gets the answer of the first request; with another body, 422. */
                "Idempotency-Key"?: string;
                /** @description `respond-async`: answer 202 with the job at once. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GroupWrite"][];
            };
        };
        responses: {
            /** @description Accepted; goes on as a job */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSubjectAccessUsers: {
        parameters: {
            query?: {
                /** @description Cursor: entries after it only. */
                After?: string;
                /** @description Cursor: entries before it only. */
                Before?: string;
                /** @description The first n, at most 1000. Default 20. */
                First?: number;
                /** @description The last n, at most 1000; not together with First. */
                Last?: number;
                /** @description Ties are broken by key. */
                OrderBy?: "InvitedAt" | "Email" | "DisplayName";
                /** @description Default Ascending. */
                OrderDirection?: "Ascending" | "Descending";
            };
            header?: never;
            path: {
                subjectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        pageInfo: components["schemas"]["CamelPageInfo"];
                        edges: {
                            node: components["schemas"]["PortalUser"];
                            cursor: string;
                        }[];
                    };
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    inviteToPortal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                subjectId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": string[];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    removeFromPortal: {
        parameters: {
            query?: {
                thirdPartyUserEmails?: string[];
            };
            header?: never;
            path: {
                subjectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    eraseSubject: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body gets the answer of the first request; with another body, 422. */
                "Idempotency-Key"?: string;
            };
            path: {
                subjectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted; goes on as a job */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSubjects: {
        parameters: {
            query?: {
                /** @description Assigned to any of these. */
                StructuralEntityKeys?: string[];
                /** @description Assigned to no entity. Default false. */
                Unplaced?: boolean;
                /** @description Also subjects that are deactivated, which have DeactivatedAt. Default false. */
                IncludeDeactivated?: boolean;
                /** @description Written at this time or later. The time is that of the write, which may become visible some seconds later. */
                UpdatedFrom?: string;
                /** @description Written before this time. */
                UpdatedTo?: string;
                /** @description What each subject of the list has besides its values: the entities to which it is assigned. */
                Include?: "StructuralEntities"[];
                /** @description Also assigned to any entity below these, at any depth: a region with all its wards is one list. Default false. Of more than 20 entities, a TotalCount above 5,000 may be 10 s old. */
                IncludeDescendants?: boolean;
                /** @description Every word is in the values: whole, as a beginning, or with a typo. The best first. A subject is found by at most 200 words, of long texts the first ones; a word that is new to the tenant is found with a typo within seconds. A term without a letter or digit is refused; a blank one is no search. */
                SearchTerm?: string;
                /** @description Holding these values exactly, by field key; repeatable. White space at the ends of a text, and its Unicode form, make no difference. */
                "customFieldValueFilter.values"?: {
                    [key: string]: string[];
                };
                /** @description All of the values (at most 100), or any. Default ExactAll. Only with values. */
                "customFieldValueFilter.match"?: "ExactAll" | "ExactAny";
                /** @description Cursor: entries after it only. */
                After?: string;
                /** @description Cursor: entries before it only. */
                Before?: string;
                /** @description The first n, at most 1000. Default 20. */
                First?: number;
                /** @description The last n, at most 1000; not together with First. */
                Last?: number;
                /** @description Ties are broken by key. */
                OrderBy?: "Id" | "UpdatedAt";
                /** @description Default Ascending. */
                OrderDirection?: "Ascending" | "Descending";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        PageInfo: components["schemas"]["PageInfo"];
                        Edges: {
                            Node: components["schemas"]["ListedSubject"];
                            Cursor: string;
                        }[];
                    };
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    upsertSubject: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubjectWrite"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenSubject"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenSubject"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    querySubjects: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubjectQuery"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        PageInfo: components["schemas"]["PageInfo"];
                        Edges: {
                            Node: components["schemas"]["ListedSubject"];
                            Cursor: string;
                        }[];
                    };
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSubjectFields: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubjectFieldDescription"][];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSubjectChanges: {
        parameters: {
            query?: {
                /** @description Cursor: entries after it only. */
                After?: string;
                /** @description The first n, at most 1000. Default 20. */
                First?: number;
                /** @description No changes, but the EndCursor to begin with. Default false; not with After. */
                FromNow?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        PageInfo: components["schemas"]["PageInfo"];
                        Edges: {
                            Node: components["schemas"]["SubjectChange"];
                            Cursor: string;
                        }[];
                    };
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSubject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                subjectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubjectWithPlaces"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    patchSubject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                subjectId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubjectValueWrite"][] | {
                    CustomFieldValues?: components["schemas"]["SubjectValueWrite"][];
                    CustomFields?: components["schemas"]["SubjectValueWrite"][];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subject"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deactivateSubject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                subjectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subject"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reactivateSubject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                subjectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subject"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    upsertSubjects: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body gets the answer of the first request; with another body, 422. */
                "Idempotency-Key"?: string;
                /** @description `respond-async`: answer 202 with the job at once. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubjectWrite"][];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenSubject"][];
                };
            };
            /** @description Accepted; goes on as a job */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    upsertSubjectByMessage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubjectWrite"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenSubject"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenSubject"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    upsertSubjectsByMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body gets the answer of the first request; with another body, 422. */
                "Idempotency-Key"?: string;
                /** @description `respond-async`: answer 202 with the job at once. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubjectWrite"][];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenSubject"][];
                };
            };
            /** @description Accepted; goes on as a job */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    importSubjects: {
        parameters: {
            query?: {
                /** @description `each` (default): rows that are sound are written, the others refused. `all`: all rows are checked first, and where one is refused, nothing is written. */
                Mode?: "all" | "each";
                /** @description The job says what it would create, update, move and refuse, and writes nothing. */
                DryRun?: boolean;
                /** @description `unassign`: the upload has everybody. Subjects that no row means are taken from their places in the end; Delete:SubjectLocation is needed. Default: `leave`. */
                Absent?: "leave" | "unassign";
                /** @description Of CSV: what stands between two cells. Default: `comma`. */
                Separator?: "comma" | "semicolon" | "tab";
                /** @description Of CSV: `Column:FieldKey` for a column that is not called as its field, `Column:` for one that is not to be read. `StructuralEntityKeys` stands for places. */
                Map?: string[];
                /** @description Of CSV: a map of the manifest, `subjects.importMaps`. What `Map` says of a column counts more. */
                MapKey?: string;
            };
            header?: {
                /** @description The same key with the same body gets the answer of the first request; with another body, 422. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "text/csv": Binary;
                "application/x-ndjson": Binary;
            };
        };
        responses: {
            /** @description Accepted; goes on as a job */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listJobRejects: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/x-ndjson": components["schemas"]["RefusedRow"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    addSubjectLocations: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                subjectId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubjectLocations"];
            };
        };
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    removeSubjectLocations: {
        parameters: {
            query: {
                keys: string[];
            };
            header?: never;
            path: {
                subjectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /** @description Every word occurs in the name. */
                searchTerm?: string;
                /** @description Default false. */
                includeInactive?: boolean;
                /** @description Only users with access to the subject with this Id: in a group that lists an entity to which it is assigned. */
                withAccessToSubjectId?: string;
                /** @description Whether a group that lists an entity above one of those gives access too. Default: as the manifest of the tenant says (`userAccess`). Only with withAccessToSubjectId. */
                IncludeDescendants?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"][];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    addUserToGroups: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                userId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": string[];
            };
        };
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    removeUserFromGroups: {
        parameters: {
            query: {
                /** @description Keys of groups. */
                groupKey: string[];
            };
            header?: never;
            path: {
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    uploadRecordItem: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body gets the answer of the first request; with another body, 422. */
                "Idempotency-Key"?: string;
            };
            path: {
                subjectId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description A PDF document of at most 25 MB.
                     */
                    file: Binary;
                    title: string;
                    /** @description A date, or a date-time (in UTC where it names no zone), in ISO 8601, in its extended or basic form. */
                    effectiveDate: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                    };
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRecordItems: {
        parameters: {
            query?: {
                /** @description Cursor: entries after it only. */
                After?: string;
                /** @description Cursor: entries before it only. */
                Before?: string;
                /** @description The first n, at most 1000. Default 20. */
                First?: number;
                /** @description The last n, at most 1000; not together with First. */
                Last?: number;
                /** @description Ties are broken by key. */
                OrderBy?: "id";
                /** @description Default Ascending. */
                OrderDirection?: "Ascending" | "Descending";
            };
            header?: never;
            path: {
                subjectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        pageInfo: components["schemas"]["CamelPageInfo"];
                        edges: {
                            node: components["schemas"]["SubjectFile"];
                            cursor: string;
                        }[];
                    };
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRecordItemFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                subjectId: string;
                fileId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/pdf": Binary;
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteRecordItem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                subjectId: string;
                fileId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listJobs: {
        parameters: {
            query?: {
                Kind?: ("structuralEntityBulkUpsert" | "structureTypeBulkUpsert" | "groupBulkUpsert" | "subjectBulkUpsert" | "subjectImport" | "subjectTransfer" | "subjectTransferUndo" | "subjectErasure" | "portalInvitation" | "dataSetRefresh" | "dataChange" | "singlePassDelivery" | "multiExtract" | "formExport")[];
                Status?: ("Accepted" | "Running" | "Completed" | "Failed" | "Cancelled")[];
                /** @description Inclusive. */
                AcceptedFrom?: string;
                /** @description Exclusive. */
                AcceptedTo?: string;
                /** @description Cursor: entries after it only. */
                After?: string;
                /** @description Cursor: entries before it only. */
                Before?: string;
                /** @description The first n, at most 1000. Default 20. */
                First?: number;
                /** @description The last n, at most 1000; not together with First. */
                Last?: number;
                /** @description Ties are broken by key. */
                OrderBy?: "AcceptedAt";
                /** @description Default Ascending. */
                OrderDirection?: "Ascending" | "Descending";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        PageInfo: components["schemas"]["PageInfo"];
                        Edges: {
                            Node: components["schemas"]["Job"];
                            Cursor: string;
                        }[];
                    };
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listJobItems: {
        parameters: {
            query?: {
                /** @description Cursor: entries after it only. */
                After?: string;
                /** @description The first n, at most 1000. Default 20. */
                First?: number;
            };
            header?: never;
            path: {
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        PageInfo: components["schemas"]["PageInfo"];
                        Edges: {
                            Node: components["schemas"]["JobItem"];
                            Cursor: string;
                        }[];
                    };
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted; goes on as a job */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    retryJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body gets the answer of the first request; with another body, 422. */
                "Idempotency-Key"?: string;
            };
            path: {
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "text/csv": Binary;
                "application/x-ndjson": Binary;
            };
        };
        responses: {
            /** @description Accepted; goes on as a job */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    transferSubjects: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body gets the answer of the first request; with another body, 422. */
                "Idempotency-Key"?: string;
            };
            path: {
                destinationStructuralEntityKey: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubjectTransfer"];
            };
        };
        responses: {
            /** @description Accepted; goes on as a job */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    undoJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body gets the answer of the first request; with another body, 422. */
                "Idempotency-Key"?: string;
            };
            path: {
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted; goes on as a job */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    refreshDataSet: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body gets the answer of the first request; with another body, 422. */
                "Idempotency-Key"?: string;
                /** @description `respond-async`: answer 202 with the job at once. */
                Prefer?: string;
            };
            path: {
                dataExtractKey: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DataSetRefreshed"];
                };
            };
            /** @description Accepted; goes on as a job */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDataSets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DataSet"][];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDataSetRows: {
        parameters: {
            query?: {
                /** @description Of this subject only: Id, ExternalId or as providers name it. */
                SubjectIdentifier?: string;
                /** @description Wait (30 s) until the rows hold all up to this number. */
                MinGeneration?: number;
                /** @description Cursor: entries after it only. */
                After?: string;
                /** @description Cursor: entries before it only. */
                Before?: string;
                /** @description The first n, at most 1000. Default 20. */
                First?: number;
                /** @description The last n, at most 1000; not together with First. */
                Last?: number;
                /** @description Ties are broken by key. */
                OrderBy?: "SubjectId";
                /** @description Default Ascending. */
                OrderDirection?: "Ascending" | "Descending";
            };
            header?: never;
            path: {
                dataExtractKey: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        PageInfo: components["schemas"]["PageInfo"];
                        Edges: {
                            Node: components["schemas"]["DataSetRow"];
                            Cursor: string;
                        }[];
                        /**
                         * Format: date-time
                         * @description No row is older than this; null before the first refresh.
                         */
                        AsOf: string | null;
                        /** @description Every refresh and change accepted up to this number is in the rows, or has failed. */
                        Generation: number;
                    };
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    dataCreatedOrUpdated: {
        parameters: {
            query?: {
                /** @description Show for each data extract which entries of the filter match. */
                explain?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DataCreationOrUpdate"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DataChangeAnswer"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    dataRemoved: {
        parameters: {
            query?: {
                /** @description Show for each data extract which entries of the filter match. */
                explain?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DataRemoval"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DataChangeAnswer"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listCreatableForms: {
        parameters: {
            query?: {
                /** @description Production by default; given twice, both. */
                publicationStatus?: ("Production" | "Development")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatableForm"][];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listPublishedForms: {
        parameters: {
            query?: {
                /** @description Production by default; given twice, both. */
                publicationStatus?: ("Production" | "Development")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublishedForm"][];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getFormDefinition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantKey: string;
                formKey: string;
                formVersion: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FormDefinition"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getFormSchema: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantKey: string;
                formKey: string;
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/xml": string;
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createFormInstance: {
        parameters: {
            query?: never;
            header?: {
                /** @description In place of the member correlationId. */
                "X-Correlation-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateForm"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenFormInstance"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getFormInstance: {
        parameters: {
            query?: {
                /** @description Also where it is withdrawn. Default false. */
                includeWithdrawn?: boolean;
            };
            header?: never;
            path: {
                patientId: string;
                instanceGuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FilledForm"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getFormInstanceHistory: {
        parameters: {
            query?: {
                /** @description Show the versions also while the instance is withdrawn. Default false. */
                includeWithdrawn?: boolean;
            };
            header?: never;
            path: {
                patientId: string;
                instanceGuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FormInstanceHistory"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    withdrawFormInstance: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that the editor has seen, or `*`. Required (428) where a draft would be overwritten; another ETag: 412. */
                "If-Match"?: string;
            };
            path: {
                patientId: string;
                instanceGuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FormWithdrawal"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reinstateFormInstance: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that the editor has seen, or `*`. Required (428) where a draft would be overwritten; another ETag: 412. */
                "If-Match"?: string;
            };
            path: {
                patientId: string;
                instanceGuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FormWithdrawal"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    saveFormDraft: {
        parameters: {
            query?: {
                /** @description Not saved by a person: replaces the automatic save before it. Default false. */
                autoSave?: boolean;
            };
            header?: {
                /** @description The ETag that the editor has seen, or `*`. Required (428) where a draft would be overwritten; another ETag: 412. */
                "If-Match"?: string;
            };
            path: {
                patientId: string;
                instanceGuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FilledValues"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenFormInstance"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    discardFormDraft: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that the editor has seen, or `*`. Required (428) where a draft would be overwritten; another ETag: 412. */
                "If-Match"?: string;
            };
            path: {
                patientId: string;
                instanceGuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenFormInstance"];
                };
            };
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    submitForm: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that the editor has seen, or `*`. Required (428) where a draft would be overwritten; another ETag: 412. */
                "If-Match"?: string;
            };
            path: {
                patientId: string;
                instanceGuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FilledValues"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenFormInstance"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    amendForm: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that the editor has seen, or `*`. Required (428) where a draft would be overwritten; another ETag: 412. */
                "If-Match"?: string;
            };
            path: {
                patientId: string;
                instanceGuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenFormInstance"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listFormInstances: {
        parameters: {
            query: {
                /** @description Repeatable. */
                instanceGuid: string[];
                /** @description Also those that are withdrawn. Default false. */
                includeWithdrawn?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FormInstanceSummary"][];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listPatientForms: {
        parameters: {
            query?: {
                /** @description Default 20 with pageNumber. */
                pageSize?: number;
                /** @description From 1, the default with pageSize. Neither: all. */
                pageNumber?: number;
                /** @description As it was created with. */
                correlationId?: string;
                /** @description Also those that are withdrawn. Default false. */
                includeWithdrawn?: boolean;
            };
            header?: never;
            path: {
                patientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FormInstanceSummary"][];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSubjectForms: {
        parameters: {
            query?: {
                /** @description Repeatable. */
                instanceGuid?: string[];
                /** @description Of this form. */
                formKey?: string;
                formVersion?: number;
                /** @description Of the current version. */
                status?: "New" | "Draft" | "Complete";
                /** @description Of the form, exactly. */
                classification?: string;
                /** @description As it was created with. */
                correlationId?: string;
                /** @description Inclusive. ISO 8601; UTC where it names no zone. */
                createdFrom?: string;
                /** @description Exclusive. ISO 8601; UTC where it names no zone. */
                createdTo?: string;
                /** @description Inclusive. ISO 8601; UTC where it names no zone. */
                modifiedFrom?: string;
                /** @description Exclusive. ISO 8601; UTC where it names no zone. */
                modifiedTo?: string;
                /** @description Also those that are withdrawn. Default false. */
                includeWithdrawn?: boolean;
                isAmendable?: boolean;
                /** @description Cursor: entries after it only. */
                After?: string;
                /** @description Cursor: entries before it only. */
                Before?: string;
                /** @description The first n, at most 1000. Default 20. */
                First?: number;
                /** @description The last n, at most 1000; not together with First. */
                Last?: number;
                /** @description Ties are broken by key. */
                OrderBy?: "CreatedAt" | "ModifiedAt" | "Title";
                /** @description Default Ascending. */
                OrderDirection?: "Ascending" | "Descending";
            };
            header?: never;
            path: {
                tenantKey: string;
                subjectIdentifier: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        pageInfo: components["schemas"]["CamelPageInfo"];
                        edges: {
                            node: components["schemas"]["ListedFormInstance"];
                            cursor: string;
                        }[];
                    };
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getFormExtractDefinition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                formKey: string;
                formVersion: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FormExtractDefinition"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getBuildingBlockExtractDefinition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BuildingBlockExtractDefinition"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    runExtract: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body gets the answer of the first request; with another body, 422. */
                "Idempotency-Key"?: string;
                /** @description `respond-async`: answer 202 with the job at once. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExtractRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Everything is as it was then. An extract with this as its `from` has what was submitted since. */
                    "Extract-Instant"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExtractResults"];
                    "application/x-ndjson": components["schemas"]["ExtractLine"];
                };
            };
            /** @description Accepted; goes on as a job */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getJobResult: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Everything is as it was then. An extract with this as its `from` has what was submitted since. */
                    "Extract-Instant"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExtractResults"];
                    "application/x-ndjson": components["schemas"]["ExtractLine"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    extractInstance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                subjectIdentifier: string;
                instance: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FormExtractResult"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    extractFromInstance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                subjectIdentifier: string;
                instance: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubjectExtractRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FormExtractResult"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getTenant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantKey: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantManifest"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putTenant: {
        parameters: {
            query?: {
                /** @description Write nothing. */
                plan?: boolean;
            };
            header?: never;
            path: {
                tenantKey: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TenantManifest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        applied: boolean;
                        changes: components["schemas"]["ManifestChange"][];
                        /** @description Secrets made now, by client id; shown once. */
                        secrets: {
                            [key: string]: string;
                        };
                        warnings: components["schemas"]["ManifestWarning"][];
                    };
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listFormVersions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantKey: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FormVersion"][];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getForm: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantKey: string;
                formKey: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FormTemplate"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putForm: {
        parameters: {
            query?: {
                /** @description Write nothing. */
                plan?: boolean;
            };
            header?: never;
            path: {
                tenantKey: string;
                formKey: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FormTemplate"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenForm"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenForm"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /** @description Cursor: entries after it only. */
                After?: string;
                /** @description Cursor: entries before it only. */
                Before?: string;
                /** @description The first n, at most 1000. Default 20. */
                First?: number;
                /** @description The last n, at most 1000; not together with First. */
                Last?: number;
                /** @description Ties are broken by key. */
                OrderBy?: "CreatedAt";
                /** @description Default Ascending. */
                OrderDirection?: "Ascending" | "Descending";
            };
            header?: never;
            path: {
                tenantKey: string;
                endpointKey: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        PageInfo: components["schemas"]["PageInfo"];
                        Edges: {
                            Node: components["schemas"]["ApiKey"];
                            Cursor: string;
                        }[];
                    };
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantKey: string;
                endpointKey: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewApiKey"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantKey: string;
                endpointKey: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listMails: {
        parameters: {
            query?: {
                State?: ("queued" | "sent" | "failed" | "kept" | "withdrawn")[];
                /** @description Cursor: entries after it only. */
                After?: string;
                /** @description Cursor: entries before it only. */
                Before?: string;
                /** @description The first n, at most 1000. Default 20. */
                First?: number;
                /** @description The last n, at most 1000; not together with First. */
                Last?: number;
                /** @description Ties are broken by key. */
                OrderBy?: "QueuedAt";
                /** @description Default Ascending. */
                OrderDirection?: "Ascending" | "Descending";
            };
            header?: never;
            path: {
                tenantKey: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        PageInfo: components["schemas"]["PageInfo"];
                        Edges: {
                            Node: components["schemas"]["Mail"];
                            Cursor: string;
                        }[];
                    };
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantKey: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookState"][];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replayWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantKey: string;
                webhookKey: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookReplay"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookState"][];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listProviders: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantKey: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderState"][];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSigningKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningKeys"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rotateSigningKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningKeys"];
                };
            };
            /** @description The request cannot be served; `errors` names every fault, 500 at most */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The platform failed; a 503 can be tried again */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
