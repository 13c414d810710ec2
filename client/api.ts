// Types of the API, generated from its description by openapi-typescript. Do not edit: npm run client writes it.

/** SHA-256 of the paths and schemas of that description. */
export const descriptionDigest = '3072730554796cdbc9f409efa3d2f5abcbcb067ae7fa448c4af55e35d900fd0e'

/** Calls that take an Idempotency-Key. */
export const idempotentCalls: ReadonlySet<string> = new Set([
  "PUT /api/v1/structureType/bulk",
  "PUT /api/v1/structuralEntity/bulk",
  "PUT /api/v1/group/bulk",
  "POST /api/v1/subject/{subjectId}/invite",
  "POST /api/v2/subject/{subjectId}/erase",
  "POST /api/v2/subject/bulk",
  "POST /api/v2/messaging/subject/bulk",
  "POST /api/v2/subject/import",
  "POST /api/v1/structuralEntity/import",
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
         * Portal users of a subject, paged
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
    "/api/v2/subject/{subjectId}/merge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Merge another subject into this one, with its values, places, forms, documents, data points and portal users; its ids lead to this one. Needs Edit:Subject too
         * @description Scope: FrameApi. Permission: Delete:Subject.
         */
        post: operations["mergeSubjects"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/subject/{subjectId}/unmerge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo the merge of this subject into another one, which keeps what was written since. Needs Edit:Subject too
         * @description Scope: FrameApi. Permission: Delete:Subject.
         */
        post: operations["unmergeSubject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/subject/{subjectId}/merges": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The subjects that were merged into this one, the latest first
         * @description Scope: FrameApi. Permission: View:Subject.
         */
        get: operations["listMergedSubjects"];
        put?: never;
        post?: never;
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
         * Changes of subjects since a cursor: take EndCursor with FromNow, read the list of subjects, then ask again and again After the last EndCursor
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
    "/api/v1/structuralEntity/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create or replace structural entities from a file of any size, in whatever order, as a job
         * @description Scope: FrameApi. Permission: Create:StructuralEntity or Edit:StructuralEntity.
         */
        post: operations["importStructuralEntities"];
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
         * The parts of a form: building blocks, sections, controls, repeats
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
         * @deprecated
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
         * @deprecated
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
         * The part of a form that extracts show: building blocks, controls, and the type of their values
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
         * The part of a building block that extracts show: controls, and the type of their values
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
         * The submitted answers of an instance of a subject: its latest complete version
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
         * State of the webhooks of a tenant
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
    "/admin/v1/tenants/{tenantKey}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where a tenant is in its move to another cell
         * @description Scope: PlatformAdmin. No permission beyond the scope.
         */
        get: operations["getTenantMove"];
        put?: never;
        /**
         * Move a tenant to another cell while it works, take it back, or forget the rows that it left
         * @description Scope: PlatformAdmin. No permission beyond the scope.
         */
        post: operations["moveTenant"];
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
    "/{tenantKey}/SinglePass/AvailableForms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The single-pass forms that a user may open
         * @description Everybody, or users with a token of the authority that the launch policy of the tenant names.
         */
        get: operations["listSinglePassForms"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/{tenantKey}/SinglePass/{formKey}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The page of a single-pass form, in its highest version in production
         * @description Everybody, or users with a token of the authority that the launch policy of the tenant names.
         */
        get: operations["openSinglePassForm"];
        put?: never;
        /**
         * Send what was filled in; a caller with Accept: application/json gets a reference
         * @description Everybody, or users with a token of the authority that the launch policy of the tenant names.
         */
        post: operations["sendSinglePassForm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/{tenantKey}/SinglePass/{formKey}/{formVersion}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The page of a version of a single-pass form
         * @description Everybody, or users with a token of the authority that the launch policy of the tenant names.
         */
        get: operations["openSinglePassFormVersion"];
        put?: never;
        /**
         * Send what was filled in for a version; a caller with Accept: application/json gets a reference
         * @description Everybody, or users with a token of the authority that the launch policy of the tenant names.
         */
        post: operations["sendSinglePassFormVersion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/{tenantKey}/SinglePass/{formKey}/launch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The page of a single-pass form, for a user whose token comes in a field
         * @description Everybody, or users with a token of the authority that the launch policy of the tenant names.
         */
        post: operations["launchSinglePassForm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/{tenantKey}/SinglePass/{formKey}/{formVersion}/launch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The page of a version of a single-pass form, for a user whose token comes in a field
         * @description Everybody, or users with a token of the authority that the launch policy of the tenant names.
         */
        post: operations["launchSinglePassFormVersion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/{tenantKey}/SinglePass/{formKey}/{formVersion}/sent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The page that confirms a form that was sent
         * @description Everybody, or users with a token of the authority that the launch policy of the tenant names.
         */
        get: operations["showSentForm"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/forms/{tenantKey}/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign a user's browser in with a token, and lead it to a page
         * @description Scope: FormsApi, of the token in the form.
         */
        post: operations["signIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/forms/{tenantKey}/instances/{instanceGuid}/versions/{versionGuid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The page that shows a version of a form instance
         * @description Scope: FormsApi. The cookie of the sign-in counts as well as a token in the header.
         */
        get: operations["showFormInstanceVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/forms/{tenantKey}/instances/{instanceGuid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The page on which a form instance is filled in
         * @description Scope: FormsApi. The cookie of the sign-in counts as well as a token in the header.
         */
        get: operations["openFormInstance"];
        put?: never;
        /**
         * Save, complete, amend or discard a form instance by a button of its page
         * @description Scope: FormsApi. The cookie of the sign-in counts as well as a token in the header.
         */
        post: operations["answerFormInstance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/glue/{tenantKey}/{endpointKey}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Call an endpoint of a tenant, its parameters in the query
         * @description The settings of the endpoint say who may call it: a client with the scope GlueRuntimeApi, a user with a token, a holder of an API key, or everybody.
         */
        get: operations["callEndpoint"];
        put?: never;
        /**
         * Call an endpoint of a tenant with a body
         * @description The settings of the endpoint say who may call it: a client with the scope GlueRuntimeApi, a user with a token, a holder of an API key, or everybody.
         */
        post: operations["postToEndpoint"];
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
        /** @description One fault of a request. docs/problems.md lists the codes. */
        Fault: {
            /** @description JSON pointer into the body, or /query/<name>, or /path/<name>. */
            pointer: string;
            /** @enum {string} */
            code: "required" | "unknown-member" | "unknown-parameter" | "duplicate-member" | "duplicate-parameter" | "wrong-type" | "wrong-format" | "unknown-value" | "too-short" | "too-long" | "too-few" | "too-many" | "array" | "single-value" | "too-large" | "out-of-range" | "not-allowed" | "one-of" | "first-and-last" | "from-after-to" | "past" | "missing-permission" | "more-faults" | "from-now-and-after" | "search-and-filter" | "match-without-values" | "no-word" | "too-wide" | "not-in-search" | "descendants-without-entities" | "descendants-without-subject" | "unplaced-in-entities" | "unknown-custom-field" | "required-custom-field" | "required-matching-field" | "wrong-data-type" | "phone-number" | "unknown-user" | "inactive-user" | "duplicate-subject" | "ambiguous-match" | "unknown-subject" | "unknown-structural-entity" | "same-structural-entity" | "not-assignable" | "duplicate-key" | "unknown-parent" | "cycle" | "too-deep" | "unknown-ancestor" | "unknown-structure-type" | "unknown-group" | "subjects-assigned" | "missing-value" | "custom-field-in-use" | "unclosed-quote" | "stray-quote" | "column-count" | "row-too-long" | "not-utf-8" | "not-unicode" | "malformed-json" | "parent-refused" | "missing-column" | "unknown-column" | "duplicate-column" | "too-many-columns" | "unknown-map" | "wrong-separator" | "wrong-line-ends" | "path" | "other-subject" | "repeated-cursor" | "status" | "unknown-control" | "no-value" | "iteration" | "duplicate-iteration" | "repeat-gap" | "too-few-iterations" | "too-many-iterations" | "single-selection" | "too-low" | "too-high" | "pattern" | "blanks" | "characters" | "language" | "unknown-option" | "duplicate-selection" | "several-others" | "string" | "boolean" | "integer" | "decimal" | "date" | "time" | "datetime" | "url" | "html" | "geolocation" | "annotated-image" | "translatable-text-value" | "data-url" | "media-type" | "file-type" | "pin" | "unknown-patient" | "unknown-form" | "instance-identifier-taken" | "instance-discarded" | "duplicate-identifier" | "unknown-building-block" | "duplicate-building-block" | "duplicate-control" | "not-published" | "other-key" | "duplicate-email" | "client-id-taken" | "matching-field" | "matching-array" | "matching-optional" | "wrong-field" | "reserved" | "reserved-key" | "reserved-id" | "reserved-header" | "reserved-claim" | "cannot-open" | "unknown-secret" | "unknown-variable" | "unnamed-variable" | "unknown-name" | "unknown-step" | "unknown-provider" | "unknown-endpoint" | "unknown-data-source" | "no-structured-data" | "several-limited-providers" | "not-a-secret" | "secret-shown" | "invalid-template" | "invalid-expression" | "too-slow" | "too-much-memory" | "unreachable-step" | "unexpected-body" | "other-origin" | "unknown-time-zone" | "other-version" | "crossed" | "never-equal" | "later-control" | "other-repeat" | "wrong-comparison" | "not-a-number" | "not-whole" | "not-ascending" | "not-for-data-type" | "not-for-texts" | "not-for-values" | "no-picture" | "building-block-published" | "open-endpoint" | "one-header-for-both" | "any-client" | "not-encrypted" | "closed-address" | "not-repeated" | "no-user-token" | "no-destination" | "not-the-latest" | "same-label" | "not-described" | "no-values" | "open-end";
            detail: string;
            /** @description Item of a batch. */
            index?: number;
            /** @description Its Key, where it has one. */
            key?: string;
        };
        Problem: {
            /** @description Its last part is the stable code. */
            type: string;
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
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
        Problem400Cursor: {
            /**
             * @description - `validation`: The request breaks rules; `errors` names each. Correct what `errors` names.
             *     - `foreign-cursor`: The cursor is of another list, filter or order. Read the list from its beginning.
             * @enum {string}
             */
            type: "/problems/validation" | "/problems/foreign-cursor";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem401: {
            /**
             * @description - `unauthenticated`: The token is missing or not valid. Get a new token and repeat the request.
             * @enum {string}
             */
            type: "/problems/unauthenticated";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem403Permission: {
            /**
             * @description - `insufficient-scope`: The token lacks the scope. Get a token with the scope that `detail` names.
             *     - `forbidden`: The caller may not do this; `detail` says why. Have the operators grant what `detail` names.
             * @enum {string}
             */
            type: "/problems/insufficient-scope" | "/problems/forbidden";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem421: {
            /**
             * @description - `tenant-moved`: The tenant has moved to another installation. Send the request to the address of the header Armature-Cell.
             * @enum {string}
             */
            type: "/problems/tenant-moved";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem429: {
            /**
             * @description - `rate-limited`: The caller sends too many requests a minute. Repeat the request after the seconds of Retry-After.
             * @enum {string}
             */
            type: "/problems/rate-limited";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem500: {
            /**
             * @description - `internal`: Something unforeseen happened. Report the trace id to the operators.
             * @enum {string}
             */
            type: "/problems/internal";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem503: {
            /**
             * @description - `busy`: Others use what the request needs. Repeat the request after the seconds of Retry-After.
             *     - `unavailable`: A service that the platform needs is away. Repeat the request after the seconds of Retry-After.
             *     - `tenant-moving`: The tenant is moving to another cell, for some seconds. Repeat the request after the seconds of Retry-After.
             * @enum {string}
             */
            type: "/problems/busy" | "/problems/unavailable" | "/problems/tenant-moving";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem400Path: {
            /**
             * @description - `validation`: The request breaks rules; `errors` names each. Correct what `errors` names.
             *     - `malformed-request`: The address or the request is no valid HTTP. Correct the escapes in the address.
             * @enum {string}
             */
            type: "/problems/validation" | "/problems/malformed-request";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem404Path: {
            /**
             * @description - `not-found`: Something that the request names does not exist. Correct the key or id that `detail` names.
             * @enum {string}
             */
            type: "/problems/not-found";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        StructureTypeWrite: {
            Name: string;
            /** @description Unique; no blanks at its ends, no control characters, and not . or .. alone. */
            Key: string;
            SubjectAssignable: boolean;
            CustomFields?: {
                /** @enum {string} */
                TypeKey: "Text" | "PhoneNumber" | "Number" | "Date" | "DateTime" | "Time" | "UserIdentifier";
                Name: string;
                /** @description Unique; no blanks at its ends, no control characters, and not . or .. alone. */
                Key: string;
                /** @default false */
                Required?: boolean;
            }[];
        };
        Problem400Body: {
            /**
             * @description - `validation`: The request breaks rules; `errors` names each. Correct what `errors` names.
             *     - `empty-body`: The body is empty. Send a body.
             *     - `not-utf-8`: The body is not in UTF-8. Encode the body in UTF-8.
             *     - `not-unicode`: A text of the body has half a character. Send surrogates in pairs only.
             *     - `malformed-json`: The body is no JSON. Correct the place that `detail` names.
             *     - `too-deep`: The body has too many levels of lists and objects. Send a flatter body.
             *     - `unreadable-body`: The body broke off, or could not be inflated. Send the whole body again.
             * @enum {string}
             */
            type: "/problems/validation" | "/problems/empty-body" | "/problems/not-utf-8" | "/problems/not-unicode" | "/problems/malformed-json" | "/problems/too-deep" | "/problems/unreadable-body";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem409StructureTypeInUse: {
            /**
             * @description - `structure-type-in-use`: Structural entities use it. Change or delete these first.
             * @enum {string}
             */
            type: "/problems/structure-type-in-use";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem413Body: {
            /**
             * @description - `body-too-large`: The body exceeds a limit; `detail` names it. Send less at once.
             * @enum {string}
             */
            type: "/problems/body-too-large";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem415Body: {
            /**
             * @description - `content-type`: The body is of another content type or charset. Send the content type that `detail` names.
             *     - `content-encoding`: The body is compressed by another method. Use the encoding that `detail` names.
             * @enum {string}
             */
            type: "/problems/content-type" | "/problems/content-encoding";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem429Writes: {
            /**
             * @description - `rate-limited`: The caller sends too many requests a minute. Repeat the request after the seconds of Retry-After.
             *     - `too-many-writes`: Too many writes of the tenant wait. Repeat the request after the seconds of Retry-After.
             * @enum {string}
             */
            type: "/problems/rate-limited" | "/problems/too-many-writes";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem400BodyKey: {
            /**
             * @description - `validation`: The request breaks rules; `errors` names each. Correct what `errors` names.
             *     - `empty-body`: The body is empty. Send a body.
             *     - `not-utf-8`: The body is not in UTF-8. Encode the body in UTF-8.
             *     - `not-unicode`: A text of the body has half a character. Send surrogates in pairs only.
             *     - `malformed-json`: The body is no JSON. Correct the place that `detail` names.
             *     - `too-deep`: The body has too many levels of lists and objects. Send a flatter body.
             *     - `unreadable-body`: The body broke off, or could not be inflated. Send the whole body again.
             *     - `idempotency-key`: The Idempotency-Key is no visible ASCII. Send 1 to 255 visible ASCII characters.
             * @enum {string}
             */
            type: "/problems/validation" | "/problems/empty-body" | "/problems/not-utf-8" | "/problems/not-unicode" | "/problems/malformed-json" | "/problems/too-deep" | "/problems/unreadable-body" | "/problems/idempotency-key";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem422Key: {
            /**
             * @description - `idempotency-key-reused`: Another request has used the key. Send the same request, or a new key.
             * @enum {string}
             */
            type: "/problems/idempotency-key-reused";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
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
        Problem404NotFound: {
            /**
             * @description - `not-found`: Something that the request names does not exist. Correct the key or id that `detail` names.
             * @enum {string}
             */
            type: "/problems/not-found";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem503OrderInPreparation: {
            /**
             * @description - `busy`: Others use what the request needs. Repeat the request after the seconds of Retry-After.
             *     - `unavailable`: A service that the platform needs is away. Repeat the request after the seconds of Retry-After.
             *     - `tenant-moving`: The tenant is moving to another cell, for some seconds. Repeat the request after the seconds of Retry-After.
             *     - `order-in-preparation`: The order by a field is being made, once. Repeat the request after the seconds of Retry-After.
             * @enum {string}
             */
            type: "/problems/busy" | "/problems/unavailable" | "/problems/tenant-moving" | "/problems/order-in-preparation";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
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
            /** @description Key, DisplayName, Depth, UpdatedAt, or the key of a custom field that is no array. Numbers are ordered as numbers, dates and times as such, texts by their first 100 characters, whatever the case and accent. Entries without a value come last in both directions. Ties are broken by key. The first list by a field makes the order: of many entries, it answers 503 with Retry-After until it is made. */
            OrderBy?: string;
            /**
             * @description Default Ascending.
             * @enum {string}
             */
            OrderDirection?: "Ascending" | "Descending";
        };
        Problem400BodyCursor: {
            /**
             * @description - `validation`: The request breaks rules; `errors` names each. Correct what `errors` names.
             *     - `empty-body`: The body is empty. Send a body.
             *     - `not-utf-8`: The body is not in UTF-8. Encode the body in UTF-8.
             *     - `not-unicode`: A text of the body has half a character. Send surrogates in pairs only.
             *     - `malformed-json`: The body is no JSON. Correct the place that `detail` names.
             *     - `too-deep`: The body has too many levels of lists and objects. Send a flatter body.
             *     - `unreadable-body`: The body broke off, or could not be inflated. Send the whole body again.
             *     - `foreign-cursor`: The cursor is of another list, filter or order. Read the list from its beginning.
             * @enum {string}
             */
            type: "/problems/validation" | "/problems/empty-body" | "/problems/not-utf-8" | "/problems/not-unicode" | "/problems/malformed-json" | "/problems/too-deep" | "/problems/unreadable-body" | "/problems/foreign-cursor";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
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
                /**
                 * Format: date-time
                 * @description date-time of the years 0001 to 9999 in UTC
                 */
                Value: string;
            };
            Date?: {
                /**
                 * Format: date
                 * @description date
                 */
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
            /** @description Unique; no blanks at its ends, no control characters, and not . or .. alone. */
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
        Problem409SubjectsAssigned: {
            /**
             * @description - `subjects-assigned`: Subjects are assigned to entities of the type. Transfer the subjects first.
             * @enum {string}
             */
            type: "/problems/subjects-assigned";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Job: {
            /** Format: uuid */
            jobId: string;
            /** @enum {string} */
            kind: "structuralEntityBulkUpsert" | "subjectImport" | "structuralEntityImport" | "subjectTransfer" | "subjectTransferUndo" | "subjectErasure" | "portalInvitation" | "dataSetRefresh" | "dataChange" | "singlePassDelivery" | "multiExtract" | "formExport";
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
                /** @description Its run. */
                temporalUi: string;
            };
        };
        Problem408LargeBody: {
            /**
             * @description - `body-too-slow`: The body did not come in time. Send the body faster, or less at once.
             * @enum {string}
             */
            type: "/problems/body-too-slow";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem409WaitsSubjectsAssigned: {
            /**
             * @description - `job-cancelled`: The job of this request was cancelled. Retry the job, or send a request with a new key.
             *     - `subjects-assigned`: Subjects are assigned to entities of the type. Transfer the subjects first.
             * @enum {string}
             */
            type: "/problems/job-cancelled" | "/problems/subjects-assigned";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem500Waits: {
            /**
             * @description - `internal`: Something unforeseen happened. Report the trace id to the operators.
             *     - `worker-crashed`: Workers ended at the same step again and again. Have the operators look, then retry the job.
             *     - `run-stuck`: The run failed again and again at the same place, and was ended. Have the operators look, then retry the job.
             *     - `run-ended`: The run was ended from outside. Repeat the request.
             * @enum {string}
             */
            type: "/problems/internal" | "/problems/worker-crashed" | "/problems/run-stuck" | "/problems/run-ended";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem409StructuralEntityHasChildrenStructuralEntityHasSubjects: {
            /**
             * @description - `structural-entity-has-children`: Other entities are below it. Delete or move these first.
             *     - `structural-entity-has-subjects`: Subjects are assigned to it. Transfer the subjects first.
             * @enum {string}
             */
            type: "/problems/structural-entity-has-children" | "/problems/structural-entity-has-subjects";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Group: {
            Key: string;
            DisplayName: string;
            StructuralEntityKeys: string[];
        };
        /** @description A group as it is read is taken too: DisplayName stands for Name. */
        GroupWrite: {
            Name: string;
            /** @description Unique; no blanks at its ends, no control characters, and not . or .. alone. */
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
        Problem400PathCursor: {
            /**
             * @description - `validation`: The request breaks rules; `errors` names each. Correct what `errors` names.
             *     - `malformed-request`: The address or the request is no valid HTTP. Correct the escapes in the address.
             *     - `foreign-cursor`: The cursor is of another list, filter or order. Read the list from its beginning.
             * @enum {string}
             */
            type: "/problems/validation" | "/problems/malformed-request" | "/problems/foreign-cursor";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem409Portal: {
            /**
             * @description - `portal-not-configured`: The tenant has no subject portal. Have the operators set `subjects.portal`.
             *     - `self-access-not-enabled`: The portal gives subjects no access of their own. Have the operators enable it.
             *     - `third-party-access-not-enabled`: The portal gives third parties no access. Have the operators enable it.
             * @enum {string}
             */
            type: "/problems/portal-not-configured" | "/problems/self-access-not-enabled" | "/problems/third-party-access-not-enabled";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem410SubjectErased: {
            /**
             * @description - `subject-erased`: The subject was erased for good. Delete your copy, and do not ask again.
             * @enum {string}
             */
            type: "/problems/subject-erased";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem400PathBodyKey: {
            /**
             * @description - `validation`: The request breaks rules; `errors` names each. Correct what `errors` names.
             *     - `malformed-request`: The address or the request is no valid HTTP. Correct the escapes in the address.
             *     - `empty-body`: The body is empty. Send a body.
             *     - `not-utf-8`: The body is not in UTF-8. Encode the body in UTF-8.
             *     - `not-unicode`: A text of the body has half a character. Send surrogates in pairs only.
             *     - `malformed-json`: The body is no JSON. Correct the place that `detail` names.
             *     - `too-deep`: The body has too many levels of lists and objects. Send a flatter body.
             *     - `unreadable-body`: The body broke off, or could not be inflated. Send the whole body again.
             *     - `idempotency-key`: The Idempotency-Key is no visible ASCII. Send 1 to 255 visible ASCII characters.
             * @enum {string}
             */
            type: "/problems/validation" | "/problems/malformed-request" | "/problems/empty-body" | "/problems/not-utf-8" | "/problems/not-unicode" | "/problems/malformed-json" | "/problems/too-deep" | "/problems/unreadable-body" | "/problems/idempotency-key";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem409PortalPortalValuesMissing: {
            /**
             * @description - `portal-not-configured`: The tenant has no subject portal. Have the operators set `subjects.portal`.
             *     - `self-access-not-enabled`: The portal gives subjects no access of their own. Have the operators enable it.
             *     - `third-party-access-not-enabled`: The portal gives third parties no access. Have the operators enable it.
             *     - `portal-values-missing`: The subject lacks values for the invitation. Write the values that `errors` names.
             * @enum {string}
             */
            type: "/problems/portal-not-configured" | "/problems/self-access-not-enabled" | "/problems/third-party-access-not-enabled" | "/problems/portal-values-missing";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem400PathKey: {
            /**
             * @description - `validation`: The request breaks rules; `errors` names each. Correct what `errors` names.
             *     - `malformed-request`: The address or the request is no valid HTTP. Correct the escapes in the address.
             *     - `idempotency-key`: The Idempotency-Key is no visible ASCII. Send 1 to 255 visible ASCII characters.
             * @enum {string}
             */
            type: "/problems/validation" | "/problems/malformed-request" | "/problems/idempotency-key";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        /**
         * @example {
         *       "SubjectId": "01930000-0000-7000-8000-000000000002",
         *       "PreferredFields": [
         *         "phone"
         *       ]
         *     }
         */
        SubjectMerge: {
            /**
             * Format: uuid
             * @description The subject that is merged into that of the path.
             */
            SubjectId: string;
            /** @description Keys of fields that take the values of the merged subject, where it has any. Not of matching fields. Default: the values of the subject of the path stay. */
            PreferredFields?: string[];
        };
        SubjectField: {
            Name: string;
            Key: string;
            Type: string;
            Required: boolean;
            IsArray: boolean;
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
        Problem400PathBodySameSubject: {
            /**
             * @description - `validation`: The request breaks rules; `errors` names each. Correct what `errors` names.
             *     - `malformed-request`: The address or the request is no valid HTTP. Correct the escapes in the address.
             *     - `empty-body`: The body is empty. Send a body.
             *     - `not-utf-8`: The body is not in UTF-8. Encode the body in UTF-8.
             *     - `not-unicode`: A text of the body has half a character. Send surrogates in pairs only.
             *     - `malformed-json`: The body is no JSON. Correct the place that `detail` names.
             *     - `too-deep`: The body has too many levels of lists and objects. Send a flatter body.
             *     - `unreadable-body`: The body broke off, or could not be inflated. Send the whole body again.
             *     - `same-subject`: Both ids name one subject. Name the other subject that is to be merged.
             * @enum {string}
             */
            type: "/problems/validation" | "/problems/malformed-request" | "/problems/empty-body" | "/problems/not-utf-8" | "/problems/not-unicode" | "/problems/malformed-json" | "/problems/too-deep" | "/problems/unreadable-body" | "/problems/same-subject";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem409MatchingValuesTaken: {
            /**
             * @description - `matching-values-taken`: Another subject has the matching values. Change the other subject, or these values.
             * @enum {string}
             */
            type: "/problems/matching-values-taken";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem409LaterMergeMatchingValuesTaken: {
            /**
             * @description - `later-merge`: A later merge is to be undone first. Undo the merge that `detail` names.
             *     - `matching-values-taken`: Another subject has the matching values. Change the other subject, or these values.
             * @enum {string}
             */
            type: "/problems/later-merge" | "/problems/matching-values-taken";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        MergedSubject: {
            /**
             * Format: uuid
             * @description The subject that was merged: the id to undo it by.
             */
            SubjectId: string;
            /**
             * Format: uuid
             * @description Of a chain of merges the next one.
             */
            IntoSubjectId: string;
            /** Format: date-time */
            MergedAt: string;
            /** @description The client. */
            MergedBy: string;
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
            /** @description Those with these Ids. The Id of a merged subject stands for the one that it leads to. An Id without a subject has no entry. */
            Ids?: string[] | null;
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
            /** @description Also assigned to any entity below these, at any depth: a region with all its wards is one list. Default false. */
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
            /** @description Id, UpdatedAt, or the key of a custom field that is no array. Numbers are ordered as numbers, dates and times as such, texts by their first 100 characters, whatever the case and accent. Entries without a value come last in both directions. Ties are broken by key. The first list by a field makes the order: of many entries, it answers 503 with Retry-After until it is made. */
            OrderBy?: string;
            /**
             * @description Default Ascending.
             * @enum {string}
             */
            OrderDirection?: "Ascending" | "Descending";
            customFieldValueFilter?: {
                /** @description Holding these values exactly, by field key. In an address a name is repeated for each further value. White space at the ends of a text, and its Unicode form, make no difference. */
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
        Problem400: {
            /**
             * @description - `validation`: The request breaks rules; `errors` names each. Correct what `errors` names.
             * @enum {string}
             */
            type: "/problems/validation";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        SubjectChange: {
            /** Format: uuid */
            SubjectId: string;
            /**
             * @description `moved`: it is assigned to other entities. `deactivated`: lists leave it out, until it is `reactivated`. `merged`: it is part of IntoSubjectId, until it is `unmerged`. `erased`: delete your copy. Leave out what you do not know: more kinds may come.
             * @enum {string}
             */
            Change: "created" | "updated" | "moved" | "deactivated" | "reactivated" | "merged" | "unmerged" | "erased";
            /** Format: date-time */
            ChangedAt: string;
            /**
             * Format: uuid
             * @description Only of `merged` and `unmerged`: the other subject.
             */
            IntoSubjectId?: string;
        };
        Problem410ChangesForgotten: {
            /**
             * @description - `changes-forgotten`: The changes after the cursor are not kept any more. Read `FromNow=true`, then the whole list.
             * @enum {string}
             */
            type: "/problems/changes-forgotten";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
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
        Problem400PathBodyTwoListsNoList: {
            /**
             * @description - `validation`: The request breaks rules; `errors` names each. Correct what `errors` names.
             *     - `malformed-request`: The address or the request is no valid HTTP. Correct the escapes in the address.
             *     - `empty-body`: The body is empty. Send a body.
             *     - `not-utf-8`: The body is not in UTF-8. Encode the body in UTF-8.
             *     - `not-unicode`: A text of the body has half a character. Send surrogates in pairs only.
             *     - `malformed-json`: The body is no JSON. Correct the place that `detail` names.
             *     - `too-deep`: The body has too many levels of lists and objects. Send a flatter body.
             *     - `unreadable-body`: The body broke off, or could not be inflated. Send the whole body again.
             *     - `two-lists`: The values are given twice. Give CustomFieldValues or CustomFields, not both.
             *     - `no-list`: The values are no list. Give the values as a list, or as CustomFieldValues.
             * @enum {string}
             */
            type: "/problems/validation" | "/problems/malformed-request" | "/problems/empty-body" | "/problems/not-utf-8" | "/problems/not-unicode" | "/problems/malformed-json" | "/problems/too-deep" | "/problems/unreadable-body" | "/problems/two-lists" | "/problems/no-list";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
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
        Problem409Upserts: {
            /**
             * @description - `subject-upsert-not-configured`: The tenant has no upsert of subjects. Have the operators set `subjects.upsert`.
             *     - `ambiguous-match`: The values match several subjects. Decide which of the named subjects is meant.
             * @enum {string}
             */
            type: "/problems/subject-upsert-not-configured" | "/problems/ambiguous-match";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem400UploadKeyNoRows: {
            /**
             * @description - `validation`: The request breaks rules; `errors` names each. Correct what `errors` names.
             *     - `empty-body`: The body is empty. Send a body.
             *     - `unreadable-body`: The body broke off, or could not be inflated. Send the whole body again.
             *     - `idempotency-key`: The Idempotency-Key is no visible ASCII. Send 1 to 255 visible ASCII characters.
             *     - `no-rows`: The upload has no rows. Send at least one row.
             * @enum {string}
             */
            type: "/problems/validation" | "/problems/empty-body" | "/problems/unreadable-body" | "/problems/idempotency-key" | "/problems/no-rows";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem409SubjectUpsertNotConfigured: {
            /**
             * @description - `subject-upsert-not-configured`: The tenant has no upsert of subjects. Have the operators set `subjects.upsert`.
             * @enum {string}
             */
            type: "/problems/subject-upsert-not-configured";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem413Upload: {
            /**
             * @description - `body-too-large`: The body exceeds a limit; `detail` names it. Send less at once.
             * @enum {string}
             */
            type: "/problems/body-too-large";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem415Upload: {
            /**
             * @description - `content-type`: The body is of another content type or charset. Send the content type that `detail` names.
             *     - `content-encoding`: The body is compressed by another method. Use the encoding that `detail` names.
             * @enum {string}
             */
            type: "/problems/content-type" | "/problems/content-encoding";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        RefusedRow: {
            Refused: {
                /** @description Name of the column; of NDJSON a pointer into the line. Empty: the whole row. */
                column: string;
                /**
                 * @description docs/problems.md has each, with the next step.
                 * @enum {string}
                 */
                code: "required" | "unknown-member" | "unknown-parameter" | "duplicate-member" | "duplicate-parameter" | "wrong-type" | "wrong-format" | "unknown-value" | "too-short" | "too-long" | "too-few" | "too-many" | "array" | "single-value" | "too-large" | "out-of-range" | "not-allowed" | "one-of" | "first-and-last" | "from-after-to" | "past" | "missing-permission" | "more-faults" | "from-now-and-after" | "search-and-filter" | "match-without-values" | "no-word" | "too-wide" | "not-in-search" | "descendants-without-entities" | "descendants-without-subject" | "unplaced-in-entities" | "unknown-custom-field" | "required-custom-field" | "required-matching-field" | "wrong-data-type" | "phone-number" | "unknown-user" | "inactive-user" | "duplicate-subject" | "ambiguous-match" | "unknown-subject" | "unknown-structural-entity" | "same-structural-entity" | "not-assignable" | "duplicate-key" | "unknown-parent" | "cycle" | "too-deep" | "unknown-ancestor" | "unknown-structure-type" | "unknown-group" | "subjects-assigned" | "missing-value" | "custom-field-in-use" | "unclosed-quote" | "stray-quote" | "column-count" | "row-too-long" | "not-utf-8" | "not-unicode" | "malformed-json" | "parent-refused" | "missing-column" | "unknown-column" | "duplicate-column" | "too-many-columns" | "unknown-map" | "wrong-separator" | "wrong-line-ends" | "path" | "other-subject" | "repeated-cursor" | "status" | "unknown-control" | "no-value" | "iteration" | "duplicate-iteration" | "repeat-gap" | "too-few-iterations" | "too-many-iterations" | "single-selection" | "too-low" | "too-high" | "pattern" | "blanks" | "characters" | "language" | "unknown-option" | "duplicate-selection" | "several-others" | "string" | "boolean" | "integer" | "decimal" | "date" | "time" | "datetime" | "url" | "html" | "geolocation" | "annotated-image" | "translatable-text-value" | "data-url" | "media-type" | "file-type" | "pin" | "unknown-patient" | "unknown-form" | "instance-identifier-taken" | "instance-discarded" | "duplicate-identifier" | "unknown-building-block" | "duplicate-building-block" | "duplicate-control" | "not-published" | "other-key" | "duplicate-email" | "client-id-taken" | "matching-field" | "matching-array" | "matching-optional" | "wrong-field" | "reserved" | "reserved-key" | "reserved-id" | "reserved-header" | "reserved-claim" | "cannot-open" | "unknown-secret" | "unknown-variable" | "unnamed-variable" | "unknown-name" | "unknown-step" | "unknown-provider" | "unknown-endpoint" | "unknown-data-source" | "no-structured-data" | "several-limited-providers" | "not-a-secret" | "secret-shown" | "invalid-template" | "invalid-expression" | "too-slow" | "too-much-memory" | "unreachable-step" | "unexpected-body" | "other-origin" | "unknown-time-zone" | "other-version" | "crossed" | "never-equal" | "later-control" | "other-repeat" | "wrong-comparison" | "not-a-number" | "not-whole" | "not-ascending" | "not-for-data-type" | "not-for-texts" | "not-for-values" | "no-picture" | "building-block-published" | "open-endpoint" | "one-header-for-both" | "any-client" | "not-encrypted" | "closed-address" | "not-repeated" | "no-user-token" | "no-destination" | "not-the-latest" | "same-label" | "not-described" | "no-values" | "open-end";
                detail: string;
                /** @description As a spreadsheet counts: the header of a CSV is 1. */
                row: number;
                /** @description All faults of the row; the first is that above. */
                errors: {
                    /** @description Name of the column; of NDJSON a pointer into the line. Empty: the whole row. */
                    column: string;
                    /**
                     * @description docs/problems.md has each, with the next step.
                     * @enum {string}
                     */
                    code: "required" | "unknown-member" | "unknown-parameter" | "duplicate-member" | "duplicate-parameter" | "wrong-type" | "wrong-format" | "unknown-value" | "too-short" | "too-long" | "too-few" | "too-many" | "array" | "single-value" | "too-large" | "out-of-range" | "not-allowed" | "one-of" | "first-and-last" | "from-after-to" | "past" | "missing-permission" | "more-faults" | "from-now-and-after" | "search-and-filter" | "match-without-values" | "no-word" | "too-wide" | "not-in-search" | "descendants-without-entities" | "descendants-without-subject" | "unplaced-in-entities" | "unknown-custom-field" | "required-custom-field" | "required-matching-field" | "wrong-data-type" | "phone-number" | "unknown-user" | "inactive-user" | "duplicate-subject" | "ambiguous-match" | "unknown-subject" | "unknown-structural-entity" | "same-structural-entity" | "not-assignable" | "duplicate-key" | "unknown-parent" | "cycle" | "too-deep" | "unknown-ancestor" | "unknown-structure-type" | "unknown-group" | "subjects-assigned" | "missing-value" | "custom-field-in-use" | "unclosed-quote" | "stray-quote" | "column-count" | "row-too-long" | "not-utf-8" | "not-unicode" | "malformed-json" | "parent-refused" | "missing-column" | "unknown-column" | "duplicate-column" | "too-many-columns" | "unknown-map" | "wrong-separator" | "wrong-line-ends" | "path" | "other-subject" | "repeated-cursor" | "status" | "unknown-control" | "no-value" | "iteration" | "duplicate-iteration" | "repeat-gap" | "too-few-iterations" | "too-many-iterations" | "single-selection" | "too-low" | "too-high" | "pattern" | "blanks" | "characters" | "language" | "unknown-option" | "duplicate-selection" | "several-others" | "string" | "boolean" | "integer" | "decimal" | "date" | "time" | "datetime" | "url" | "html" | "geolocation" | "annotated-image" | "translatable-text-value" | "data-url" | "media-type" | "file-type" | "pin" | "unknown-patient" | "unknown-form" | "instance-identifier-taken" | "instance-discarded" | "duplicate-identifier" | "unknown-building-block" | "duplicate-building-block" | "duplicate-control" | "not-published" | "other-key" | "duplicate-email" | "client-id-taken" | "matching-field" | "matching-array" | "matching-optional" | "wrong-field" | "reserved" | "reserved-key" | "reserved-id" | "reserved-header" | "reserved-claim" | "cannot-open" | "unknown-secret" | "unknown-variable" | "unnamed-variable" | "unknown-name" | "unknown-step" | "unknown-provider" | "unknown-endpoint" | "unknown-data-source" | "no-structured-data" | "several-limited-providers" | "not-a-secret" | "secret-shown" | "invalid-template" | "invalid-expression" | "too-slow" | "too-much-memory" | "unreachable-step" | "unexpected-body" | "other-origin" | "unknown-time-zone" | "other-version" | "crossed" | "never-equal" | "later-control" | "other-repeat" | "wrong-comparison" | "not-a-number" | "not-whole" | "not-ascending" | "not-for-data-type" | "not-for-texts" | "not-for-values" | "no-picture" | "building-block-published" | "open-endpoint" | "one-header-for-both" | "any-client" | "not-encrypted" | "closed-address" | "not-repeated" | "no-user-token" | "no-destination" | "not-the-latest" | "same-label" | "not-described" | "no-values" | "open-end";
                    detail: string;
                }[];
                /** @description The row as it came, where it is no JSON object. */
                line?: string;
            };
        };
        Problem406NotAcceptable: {
            /**
             * @description - `not-acceptable`: No type of the header Accept can be sent. Accept a type that `detail` names.
             * @enum {string}
             */
            type: "/problems/not-acceptable";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        SubjectLocations: {
            keys: string[];
        };
        Problem400PathBody: {
            /**
             * @description - `validation`: The request breaks rules; `errors` names each. Correct what `errors` names.
             *     - `malformed-request`: The address or the request is no valid HTTP. Correct the escapes in the address.
             *     - `empty-body`: The body is empty. Send a body.
             *     - `not-utf-8`: The body is not in UTF-8. Encode the body in UTF-8.
             *     - `not-unicode`: A text of the body has half a character. Send surrogates in pairs only.
             *     - `malformed-json`: The body is no JSON. Correct the place that `detail` names.
             *     - `too-deep`: The body has too many levels of lists and objects. Send a flatter body.
             *     - `unreadable-body`: The body broke off, or could not be inflated. Send the whole body again.
             * @enum {string}
             */
            type: "/problems/validation" | "/problems/malformed-request" | "/problems/empty-body" | "/problems/not-utf-8" | "/problems/not-unicode" | "/problems/malformed-json" | "/problems/too-deep" | "/problems/unreadable-body";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        User: {
            /** @description Of the identity service. */
            id: string;
            displayName: string;
        };
        Problem400PathFormKey: {
            /**
             * @description - `validation`: The request breaks rules; `errors` names each. Correct what `errors` names.
             *     - `malformed-request`: The address or the request is no valid HTTP. Correct the escapes in the address.
             *     - `malformed-form`: The form is malformed or breaks off. Send a form with a boundary and its end.
             *     - `unreadable-body`: The body broke off, or could not be inflated. Send the whole body again.
             *     - `idempotency-key`: The Idempotency-Key is no visible ASCII. Send 1 to 255 visible ASCII characters.
             * @enum {string}
             */
            type: "/problems/validation" | "/problems/malformed-request" | "/problems/malformed-form" | "/problems/unreadable-body" | "/problems/idempotency-key";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem413Form: {
            /**
             * @description - `too-many-fields`: The form has too many fields. Send less at once.
             * @enum {string}
             */
            type: "/problems/too-many-fields";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem415Form: {
            /**
             * @description - `content-type`: The body is of another content type or charset. Send the content type that `detail` names.
             *     - `file-type`: The file is of another type. Send the type that `detail` names.
             *     - `content-encoding`: The body is compressed by another method. Use the encoding that `detail` names.
             * @enum {string}
             */
            type: "/problems/content-type" | "/problems/file-type" | "/problems/content-encoding";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
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
        Problem409JobEnded: {
            /**
             * @description - `job-ended`: The job has ended. Read the job.
             * @enum {string}
             */
            type: "/problems/job-ended";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem400PathUploadKeyCorrections: {
            /**
             * @description - `validation`: The request breaks rules; `errors` names each. Correct what `errors` names.
             *     - `malformed-request`: The address or the request is no valid HTTP. Correct the escapes in the address.
             *     - `empty-body`: The body is empty. Send a body.
             *     - `unreadable-body`: The body broke off, or could not be inflated. Send the whole body again.
             *     - `idempotency-key`: The Idempotency-Key is no visible ASCII. Send 1 to 255 visible ASCII characters.
             *     - `no-rows`: The upload has no rows. Send at least one row.
             * @enum {string}
             */
            type: "/problems/validation" | "/problems/malformed-request" | "/problems/empty-body" | "/problems/unreadable-body" | "/problems/idempotency-key" | "/problems/no-rows";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem409JobNotEndedJobUndoneCorrections: {
            /**
             * @description - `job-not-ended`: The job goes on, or has nothing to retry. Wait for its end.
             *     - `job-undone`: The job is undone. Start a new job.
             *     - `no-import`: The job is no import. Send corrected rows to the job of an import.
             *     - `import-not-written`: The import wrote nothing. Correct the file and import all of it again.
             *     - `subject-upsert-not-configured`: The tenant has no upsert of subjects. Have the operators set `subjects.upsert`.
             * @enum {string}
             */
            type: "/problems/job-not-ended" | "/problems/job-undone" | "/problems/no-import" | "/problems/import-not-written" | "/problems/subject-upsert-not-configured";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
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
        Problem409NotUndoableJobNotEndedJobUndone: {
            /**
             * @description - `not-undoable`: Only a transfer of subjects can be undone. Undo by a request of your own.
             *     - `job-not-ended`: The job goes on, or has nothing to retry. Wait for its end.
             *     - `job-undone`: The job is undone. Start a new job.
             * @enum {string}
             */
            type: "/problems/not-undoable" | "/problems/job-not-ended" | "/problems/job-undone";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
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
        Problem400PathKeySteps: {
            /**
             * @description - `validation`: The request breaks rules; `errors` names each. Correct what `errors` names.
             *     - `malformed-request`: The address or the request is no valid HTTP. Correct the escapes in the address.
             *     - `idempotency-key`: The Idempotency-Key is no visible ASCII. Send 1 to 255 visible ASCII characters.
             *     - `header-value`: A value cannot stand in a header of a step. Send it without line breaks and control characters.
             * @enum {string}
             */
            type: "/problems/validation" | "/problems/malformed-request" | "/problems/idempotency-key" | "/problems/header-value";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem409WaitsRefreshSuperseded: {
            /**
             * @description - `job-cancelled`: The job of this request was cancelled. Retry the job, or send a request with a new key.
             *     - `refresh-superseded`: A later refresh has taken over. Read the data set, or refresh it again.
             * @enum {string}
             */
            type: "/problems/job-cancelled" | "/problems/refresh-superseded";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem500WaitsSteps: {
            /**
             * @description - `internal`: Something unforeseen happened. Report the trace id to the operators.
             *     - `worker-crashed`: Workers ended at the same step again and again. Have the operators look, then retry the job.
             *     - `run-stuck`: The run failed again and again at the same place, and was ended. Have the operators look, then retry the job.
             *     - `run-ended`: The run was ended from outside. Repeat the request.
             *     - `endpoint-failed`: The settings of the endpoint cannot be carried out. Report the trace id to the operators.
             *     - `evaluation-ended`: A template or an expression took too long or too much memory. Report the trace id to the operators.
             *     - `call-interrupted`: A call that is not idempotent was interrupted. Find out whether it took effect before you repeat it.
             * @enum {string}
             */
            type: "/problems/internal" | "/problems/worker-crashed" | "/problems/run-stuck" | "/problems/run-ended" | "/problems/endpoint-failed" | "/problems/evaluation-ended" | "/problems/call-interrupted";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem502Provider: {
            /**
             * @description - `provider-failed`: The provider answered an error, or cannot be reached. Repeat the request later.
             *     - `provider-answer`: The answer of the provider has another form. Have the provider correct what `errors` names.
             *     - `provider-answer-no-text`: The provider answered bytes that are no text. Have the provider send JSON or text.
             *     - `duplicate-row`: The provider sent two rows with one Id. Have the provider give each row an Id of its own.
             *     - `output-too-large`: A step gives more than can be kept. Ask for less.
             * @enum {string}
             */
            type: "/problems/provider-failed" | "/problems/provider-answer" | "/problems/provider-answer-no-text" | "/problems/duplicate-row" | "/problems/output-too-large";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem504Steps: {
            /**
             * @description - `provider-timeout`: The steps took too long. Find out whether a call took effect before you repeat it.
             * @enum {string}
             */
            type: "/problems/provider-timeout";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
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
        Problem400PathCursorUnknownGeneration: {
            /**
             * @description - `validation`: The request breaks rules; `errors` names each. Correct what `errors` names.
             *     - `malformed-request`: The address or the request is no valid HTTP. Correct the escapes in the address.
             *     - `foreign-cursor`: The cursor is of another list, filter or order. Read the list from its beginning.
             *     - `unknown-generation`: No change has this number. Take a number that a change has answered.
             * @enum {string}
             */
            type: "/problems/validation" | "/problems/malformed-request" | "/problems/foreign-cursor" | "/problems/unknown-generation";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem503GenerationNotReached: {
            /**
             * @description - `busy`: Others use what the request needs. Repeat the request after the seconds of Retry-After.
             *     - `unavailable`: A service that the platform needs is away. Repeat the request after the seconds of Retry-After.
             *     - `tenant-moving`: The tenant is moving to another cell, for some seconds. Repeat the request after the seconds of Retry-After.
             *     - `generation-not-reached`: The rows do not show the change yet. Repeat the request after the seconds of Retry-After.
             * @enum {string}
             */
            type: "/problems/busy" | "/problems/unavailable" | "/problems/tenant-moving" | "/problems/generation-not-reached";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
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
        Problem403FormsToken: {
            /**
             * @description - `forbidden`: The caller may not do this; `detail` says why. Have the operators grant what `detail` names.
             *     - `insufficient-scope`: The token lacks the scope. Get a token with the scope that `detail` names.
             * @enum {string}
             */
            type: "/problems/forbidden" | "/problems/insufficient-scope";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
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
            /** @description No blanks at its ends, no control characters. */
            instanceIdentifier: string;
            formKey: string;
            formVersion: number;
            onBehalfOf?: {
                /** @description No blanks at its ends, no control characters. */
                identifier: string;
                /** @enum {string} */
                type: "user" | "subject" | "system" | "external" | "subjectProxy";
            };
            /** @description At most 100 texts of at most 4,000 characters, under names of 1 to 255. It never changes. */
            instanceContext?: {
                [key: string]: string;
            };
            /** @description No blanks at its ends, no control characters. */
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
        Problem409InstanceIdentifierTakenInstanceDiscarded: {
            /**
             * @description - `instance-identifier-taken`: Another instance has the identifier. Use another identifier.
             *     - `instance-discarded`: The form instance was discarded. Create an instance with another identifier.
             * @enum {string}
             */
            type: "/problems/instance-identifier-taken" | "/problems/instance-discarded";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
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
        Problem409NotWithdrawn: {
            /**
             * @description - `not-withdrawn`: The form instance was never withdrawn. Nothing is to be done.
             * @enum {string}
             */
            type: "/problems/not-withdrawn";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem412InstanceChanged: {
            /**
             * @description - `instance-changed`: The form instance has changed since it was read. Read it again and repeat with its ETag.
             * @enum {string}
             */
            type: "/problems/instance-changed";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        FilledValues: {
            /** @description By control id: the value itself, or what was read back; in a repeat a list of {repeatIterationIndex, value}. */
            values: {
                [key: string]: unknown;
            };
        };
        Problem409InstanceStepsInstanceIsComplete: {
            /**
             * @description - `instance-withdrawn`: The form instance is withdrawn. Reinstate it first.
             *     - `instance-is-complete`: The form instance is complete. Amend it first.
             * @enum {string}
             */
            type: "/problems/instance-withdrawn" | "/problems/instance-is-complete";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem412InstanceSteps: {
            /**
             * @description - `instance-changed`: The form instance has changed since it was read. Read it again and repeat with its ETag.
             * @enum {string}
             */
            type: "/problems/instance-changed";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem428InstanceSteps: {
            /**
             * @description - `if-match-required`: There is a draft that the request would overwrite. Send If-Match with its ETag, or `*`.
             * @enum {string}
             */
            type: "/problems/if-match-required";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem409InstanceStepsInstanceIsNewInstanceIsDraft: {
            /**
             * @description - `instance-withdrawn`: The form instance is withdrawn. Reinstate it first.
             *     - `instance-is-new`: The form instance has no answers yet. Save or submit it first.
             *     - `instance-is-draft`: The form instance is a draft. Submit or discard the draft first.
             * @enum {string}
             */
            type: "/problems/instance-withdrawn" | "/problems/instance-is-new" | "/problems/instance-is-draft";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
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
            /**
             * Format: date-time
             * @description Of submissions, inclusive. ISO 8601; UTC where it names no zone.
             */
            from?: string;
            /**
             * Format: date-time
             * @description Exclusive. ISO 8601; UTC where it names no zone.
             */
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
        Problem409Waits: {
            /**
             * @description - `job-cancelled`: The job of this request was cancelled. Retry the job, or send a request with a new key.
             * @enum {string}
             */
            type: "/problems/job-cancelled";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem409JobNotCompleted: {
            /**
             * @description - `job-not-completed`: The job has no result yet, or failed. Wait for the job, or retry it.
             * @enum {string}
             */
            type: "/problems/job-not-completed";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
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
            definitions: components["schemas"]["ExtractSelection"][];
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
            /** @description Unique; no blanks at its ends, no control characters, and not . or .. alone. */
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
            /** @description Unique; no blanks at its ends, no control characters, and not . or .. alone. */
            key: string;
            /** @description By the name of a column: the key of its field, a member such as `StructuralEntityKeys` of subjects or `ParentKey` of entities, or an empty text for a column that is not read. */
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
        StructuralEntitiesManifest: {
            /** @description Columns of CSV files; an import names one as `MapKey`. */
            importMaps?: components["schemas"]["ImportMapManifest"][];
        };
        /** @description The id is that of the identity service. */
        UserManifest: {
            /** @description Unique; no blanks at its ends, no control characters, and not . or .. alone. */
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
            /** @description Unique; no blanks at its ends, no control characters, and not . or .. alone. */
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
            /** @description Unique; no blanks at its ends, no control characters, and not . or .. alone. */
            key: string;
            /** @description Answers the data points of one subject. */
            subjectEndpoint?: string;
            /** @description Answers those of all subjects, page by page. */
            pageEndpoint?: string;
            /** @default 500 */
            pageSize?: number;
        };
        DataExtractManifest: {
            /** @description Unique; no blanks at its ends, no control characters, and not . or .. alone. */
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
            events: ("subject.created" | "subject.updated" | "subject.moved" | "subject.deactivated" | "subject.reactivated" | "subject.merged" | "subject.unmerged" | "subject.erased" | "entity.created" | "entity.updated" | "entity.moved" | "entity.deleted" | "job.completed" | "job.failed" | "job.cancelled" | "form.created" | "form.completed" | "form.amended" | "form.withdrawn" | "form.reinstated" | "form.discarded" | "form.erased")[];
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
            /** @description How long jobs that have ended are kept; absent: as long as the installation keeps them. */
            jobRetentionDays?: number;
        };
        TenantManifest: {
            /** @description Letters, digits, - and _: 64 at most; the path has it too. */
            key?: string;
            name?: string;
            clients?: components["schemas"]["ClientManifest"][];
            subjects?: components["schemas"]["SubjectsManifest"];
            structuralEntities?: components["schemas"]["StructuralEntitiesManifest"];
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
        Problem403: {
            /**
             * @description - `insufficient-scope`: The token lacks the scope. Get a token with the scope that `detail` names.
             * @enum {string}
             */
            type: "/problems/insufficient-scope";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
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
            /** @enum {string} */
            code: "required" | "unknown-member" | "unknown-parameter" | "duplicate-member" | "duplicate-parameter" | "wrong-type" | "wrong-format" | "unknown-value" | "too-short" | "too-long" | "too-few" | "too-many" | "array" | "single-value" | "too-large" | "out-of-range" | "not-allowed" | "one-of" | "first-and-last" | "from-after-to" | "past" | "missing-permission" | "more-faults" | "from-now-and-after" | "search-and-filter" | "match-without-values" | "no-word" | "too-wide" | "not-in-search" | "descendants-without-entities" | "descendants-without-subject" | "unplaced-in-entities" | "unknown-custom-field" | "required-custom-field" | "required-matching-field" | "wrong-data-type" | "phone-number" | "unknown-user" | "inactive-user" | "duplicate-subject" | "ambiguous-match" | "unknown-subject" | "unknown-structural-entity" | "same-structural-entity" | "not-assignable" | "duplicate-key" | "unknown-parent" | "cycle" | "too-deep" | "unknown-ancestor" | "unknown-structure-type" | "unknown-group" | "subjects-assigned" | "missing-value" | "custom-field-in-use" | "unclosed-quote" | "stray-quote" | "column-count" | "row-too-long" | "not-utf-8" | "not-unicode" | "malformed-json" | "parent-refused" | "missing-column" | "unknown-column" | "duplicate-column" | "too-many-columns" | "unknown-map" | "wrong-separator" | "wrong-line-ends" | "path" | "other-subject" | "repeated-cursor" | "status" | "unknown-control" | "no-value" | "iteration" | "duplicate-iteration" | "repeat-gap" | "too-few-iterations" | "too-many-iterations" | "single-selection" | "too-low" | "too-high" | "pattern" | "blanks" | "characters" | "language" | "unknown-option" | "duplicate-selection" | "several-others" | "string" | "boolean" | "integer" | "decimal" | "date" | "time" | "datetime" | "url" | "html" | "geolocation" | "annotated-image" | "translatable-text-value" | "data-url" | "media-type" | "file-type" | "pin" | "unknown-patient" | "unknown-form" | "instance-identifier-taken" | "instance-discarded" | "duplicate-identifier" | "unknown-building-block" | "duplicate-building-block" | "duplicate-control" | "not-published" | "other-key" | "duplicate-email" | "client-id-taken" | "matching-field" | "matching-array" | "matching-optional" | "wrong-field" | "reserved" | "reserved-key" | "reserved-id" | "reserved-header" | "reserved-claim" | "cannot-open" | "unknown-secret" | "unknown-variable" | "unnamed-variable" | "unknown-name" | "unknown-step" | "unknown-provider" | "unknown-endpoint" | "unknown-data-source" | "no-structured-data" | "several-limited-providers" | "not-a-secret" | "secret-shown" | "invalid-template" | "invalid-expression" | "too-slow" | "too-much-memory" | "unreachable-step" | "unexpected-body" | "other-origin" | "unknown-time-zone" | "other-version" | "crossed" | "never-equal" | "later-control" | "other-repeat" | "wrong-comparison" | "not-a-number" | "not-whole" | "not-ascending" | "not-for-data-type" | "not-for-texts" | "not-for-values" | "no-picture" | "building-block-published" | "open-endpoint" | "one-header-for-both" | "any-client" | "not-encrypted" | "closed-address" | "not-repeated" | "no-user-token" | "no-destination" | "not-the-latest" | "same-label" | "not-described" | "no-values" | "open-end";
            detail: string;
        };
        Problem409CustomFieldInUseClientIdTaken: {
            /**
             * @description - `custom-field-in-use`: Subjects have values in the field. Keep the field, or remove its values first.
             *     - `client-id-taken`: Another tenant has a client of this id. Choose another id.
             * @enum {string}
             */
            type: "/problems/custom-field-in-use" | "/problems/client-id-taken";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
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
        Problem409FormPublishedBuildingBlockPublished: {
            /**
             * @description - `form-published`: The version of the form is published and cannot change. Write a new version.
             *     - `building-block-published`: A published form has another version of the block. Give the changed block a new version.
             * @enum {string}
             */
            type: "/problems/form-published" | "/problems/building-block-published";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        ApiKeyRequest: {
            name: string;
            /**
             * Format: date-time
             * @description ISO 8601, in the future; absent: it does not expire.
             */
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
        TenantMove: {
            tenantKey: string;
            /**
             * @description copying: it works here. frozen: it stands still for seconds. moved: it is in the other cell. arriving: it comes from the other cell. here: its move is over, undone or given up. gone: it came and was taken back. none: it never moved.
             * @enum {string}
             */
            state: "copying" | "frozen" | "moved" | "arriving" | "here" | "gone" | "none";
            /** @description The other cell. */
            cell: string | null;
            /** @description Where callers find a tenant that has moved. */
            address: string | null;
            /** @description The rows that it left are still here. */
            canBeUndone: boolean;
            run: {
                /** @description running, completed, failed, terminated, or none; of the last run in Temporal. */
                status: string;
                /** @description Why it failed. */
                reason: string | null;
            };
        };
        Problem409MoveNotPossible: {
            /**
             * @description - `move-not-possible`: The tenant cannot be moved so; `detail` says why. Do what `detail` names.
             * @enum {string}
             */
            type: "/problems/move-not-possible";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
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
        Problem409OtherIssuerRotationUnderWay: {
            /**
             * @description - `other-issuer`: Another identity service signs the tokens. Rotate its keys there.
             *     - `rotation-under-way`: A rotation of the keys is under way. Wait for the time that `detail` names.
             * @enum {string}
             */
            type: "/problems/other-issuer" | "/problems/rotation-under-way";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem403Forbidden: {
            /**
             * @description - `forbidden`: The caller may not do this; `detail` says why. Have the operators grant what `detail` names.
             * @enum {string}
             */
            type: "/problems/forbidden";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem413PageTooLarge: {
            /**
             * @description - `page-too-large`: The form has more questions than a page shows. Fill it in by the API.
             * @enum {string}
             */
            type: "/problems/page-too-large";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem400PathSmallForm: {
            /**
             * @description - `validation`: The request breaks rules; `errors` names each. Correct what `errors` names.
             *     - `malformed-request`: The address or the request is no valid HTTP. Correct the escapes in the address.
             *     - `unreadable-body`: The body broke off, or could not be inflated. Send the whole body again.
             * @enum {string}
             */
            type: "/problems/validation" | "/problems/malformed-request" | "/problems/unreadable-body";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem413PageTooLargeSmallForm: {
            /**
             * @description - `page-too-large`: The form has more questions than a page shows. Fill it in by the API.
             *     - `too-many-fields`: The form has too many fields. Send less at once.
             *     - `body-too-large`: The body exceeds a limit; `detail` names it. Send less at once.
             * @enum {string}
             */
            type: "/problems/page-too-large" | "/problems/too-many-fields" | "/problems/body-too-large";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem415SmallForm: {
            /**
             * @description - `content-type`: The body is of another content type or charset. Send the content type that `detail` names.
             *     - `content-encoding`: The body is compressed by another method. Use the encoding that `detail` names.
             * @enum {string}
             */
            type: "/problems/content-type" | "/problems/content-encoding";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem400PathPageForm: {
            /**
             * @description - `validation`: The request breaks rules; `errors` names each. Correct what `errors` names.
             *     - `malformed-request`: The address or the request is no valid HTTP. Correct the escapes in the address.
             *     - `action`: The page has no such button. Open the page again and use its buttons.
             *     - `malformed-form`: The form is malformed or breaks off. Send a form with a boundary and its end.
             *     - `unreadable-body`: The body broke off, or could not be inflated. Send the whole body again.
             * @enum {string}
             */
            type: "/problems/validation" | "/problems/malformed-request" | "/problems/action" | "/problems/malformed-form" | "/problems/unreadable-body";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem409AlreadySent: {
            /**
             * @description - `already-sent`: The form was sent already, with other answers. Open the form again to send another one.
             * @enum {string}
             */
            type: "/problems/already-sent";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem413PageForm: {
            /**
             * @description - `too-many-fields`: The form has too many fields. Send less at once.
             *     - `body-too-large`: The body exceeds a limit; `detail` names it. Send less at once.
             *     - `page-too-large`: The form has more questions than a page shows. Fill it in by the API.
             * @enum {string}
             */
            type: "/problems/too-many-fields" | "/problems/body-too-large" | "/problems/page-too-large";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem415PageForm: {
            /**
             * @description - `content-type`: The body is of another content type or charset. Send the content type that `detail` names.
             *     - `content-encoding`: The body is compressed by another method. Use the encoding that `detail` names.
             * @enum {string}
             */
            type: "/problems/content-type" | "/problems/content-encoding";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem400PathSmallFormTokenTo: {
            /**
             * @description - `validation`: The request breaks rules; `errors` names each. Correct what `errors` names.
             *     - `malformed-request`: The address or the request is no valid HTTP. Correct the escapes in the address.
             *     - `unreadable-body`: The body broke off, or could not be inflated. Send the whole body again.
             *     - `token`: The token is longer than a cookie. Use a shorter token.
             *     - `to`: The target is no page of the tenant. Name a page below `/forms/{tenantKey}/`.
             * @enum {string}
             */
            type: "/problems/validation" | "/problems/malformed-request" | "/problems/unreadable-body" | "/problems/token" | "/problems/to";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem413SmallForm: {
            /**
             * @description - `too-many-fields`: The form has too many fields. Send less at once.
             *     - `body-too-large`: The body exceeds a limit; `detail` names it. Send less at once.
             * @enum {string}
             */
            type: "/problems/too-many-fields" | "/problems/body-too-large";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem409InstanceStepsInstanceStates: {
            /**
             * @description - `instance-withdrawn`: The form instance is withdrawn. Reinstate it first.
             *     - `instance-is-new`: The form instance has no answers yet. Save or submit it first.
             *     - `instance-is-draft`: The form instance is a draft. Submit or discard the draft first.
             *     - `instance-is-complete`: The form instance is complete. Amend it first.
             * @enum {string}
             */
            type: "/problems/instance-withdrawn" | "/problems/instance-is-new" | "/problems/instance-is-draft" | "/problems/instance-is-complete";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem400PathBodyStepsBodySteps: {
            /**
             * @description - `validation`: The request breaks rules; `errors` names each. Correct what `errors` names.
             *     - `malformed-request`: The address or the request is no valid HTTP. Correct the escapes in the address.
             *     - `empty-body`: The body is empty. Send a body.
             *     - `not-utf-8`: The body is not in UTF-8. Encode the body in UTF-8.
             *     - `not-unicode`: A text of the body has half a character. Send surrogates in pairs only.
             *     - `malformed-json`: The body is no JSON. Correct the place that `detail` names.
             *     - `too-deep`: The body has too many levels of lists and objects. Send a flatter body.
             *     - `unreadable-body`: The body broke off, or could not be inflated. Send the whole body again.
             *     - `malformed-form`: The form is malformed or breaks off. Send a form with a boundary and its end.
             *     - `file-in-form`: The form carries a file. Send texts only.
             *     - `header-value`: A value cannot stand in a header of a step. Send it without line breaks and control characters.
             * @enum {string}
             */
            type: "/problems/validation" | "/problems/malformed-request" | "/problems/empty-body" | "/problems/not-utf-8" | "/problems/not-unicode" | "/problems/malformed-json" | "/problems/too-deep" | "/problems/unreadable-body" | "/problems/malformed-form" | "/problems/file-in-form" | "/problems/header-value";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem401Unauthenticated: {
            /**
             * @description - `unauthenticated`: The token is missing or not valid. Get a new token and repeat the request.
             * @enum {string}
             */
            type: "/problems/unauthenticated";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem405MethodNotAllowed: {
            /**
             * @description - `method-not-allowed`: The address has other methods. Use a method of the header Allow.
             * @enum {string}
             */
            type: "/problems/method-not-allowed";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem413BodyStepsBody: {
            /**
             * @description - `body-too-large`: The body exceeds a limit; `detail` names it. Send less at once.
             *     - `too-many-fields`: The form has too many fields. Send less at once.
             * @enum {string}
             */
            type: "/problems/body-too-large" | "/problems/too-many-fields";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem429TooManyCalls: {
            /**
             * @description - `rate-limited`: The caller sends too many requests a minute. Repeat the request after the seconds of Retry-After.
             *     - `too-many-calls`: Too many calls of endpoints are under way. Repeat the request after the seconds of Retry-After.
             * @enum {string}
             */
            type: "/problems/rate-limited" | "/problems/too-many-calls";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem500Steps: {
            /**
             * @description - `internal`: Something unforeseen happened. Report the trace id to the operators.
             *     - `endpoint-failed`: The settings of the endpoint cannot be carried out. Report the trace id to the operators.
             *     - `evaluation-ended`: A template or an expression took too long or too much memory. Report the trace id to the operators.
             *     - `call-interrupted`: A call that is not idempotent was interrupted. Find out whether it took effect before you repeat it.
             *     - `run-ended`: The run was ended from outside. Repeat the request.
             * @enum {string}
             */
            type: "/problems/internal" | "/problems/endpoint-failed" | "/problems/evaluation-ended" | "/problems/call-interrupted" | "/problems/run-ended";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
        Problem502Steps: {
            /**
             * @description - `provider-failed`: The provider answered an error, or cannot be reached. Repeat the request later.
             *     - `provider-answer`: The answer of the provider has another form. Have the provider correct what `errors` names.
             *     - `provider-answer-no-text`: The provider answered bytes that are no text. Have the provider send JSON or text.
             *     - `output-too-large`: A step gives more than can be kept. Ask for less.
             * @enum {string}
             */
            type: "/problems/provider-failed" | "/problems/provider-answer" | "/problems/provider-answer-no-text" | "/problems/output-too-large";
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Finds the log lines of the request. */
            traceId: string;
            /** @description Every fault of the request, 500 at most. */
            errors?: components["schemas"]["Fault"][];
        };
    };
    responses: {
        /** @description `validation`, `foreign-cursor` */
        Problem400Cursor: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem400Cursor"];
            };
        };
        /** @description `unauthenticated` */
        Problem401: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem401"];
            };
        };
        /** @description `insufficient-scope`, `forbidden` */
        Problem403Permission: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem403Permission"];
            };
        };
        /** @description `tenant-moved` */
        Problem421: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem421"];
            };
        };
        /** @description `rate-limited` */
        Problem429: {
            headers: {
                /** @description Seconds. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem429"];
            };
        };
        /** @description `internal` */
        Problem500: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem500"];
            };
        };
        /** @description `busy`, `unavailable`, `tenant-moving` */
        Problem503: {
            headers: {
                /** @description Seconds. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem503"];
            };
        };
        /** @description `validation`, `malformed-request` */
        Problem400Path: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem400Path"];
            };
        };
        /** @description `not-found` */
        Problem404Path: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem404Path"];
            };
        };
        /** @description `validation`, `empty-body`, `not-utf-8`, `not-unicode`, `malformed-json`, `too-deep`, `unreadable-body` */
        Problem400Body: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem400Body"];
            };
        };
        /** @description `structure-type-in-use` */
        Problem409StructureTypeInUse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem409StructureTypeInUse"];
            };
        };
        /** @description `body-too-large` */
        Problem413Body: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem413Body"];
            };
        };
        /** @description `content-type`, `content-encoding` */
        Problem415Body: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem415Body"];
            };
        };
        /** @description `rate-limited`, `too-many-writes` */
        Problem429Writes: {
            headers: {
                /** @description Seconds. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem429Writes"];
            };
        };
        /** @description `validation`, `empty-body`, `not-utf-8`, `not-unicode`, `malformed-json`, `too-deep`, `unreadable-body`, `idempotency-key` */
        Problem400BodyKey: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem400BodyKey"];
            };
        };
        /** @description `idempotency-key-reused` */
        Problem422Key: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem422Key"];
            };
        };
        /** @description `not-found` */
        Problem404NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem404NotFound"];
            };
        };
        /** @description `busy`, `unavailable`, `tenant-moving`, `order-in-preparation` */
        Problem503OrderInPreparation: {
            headers: {
                /** @description Seconds. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem503OrderInPreparation"];
            };
        };
        /** @description `validation`, `empty-body`, `not-utf-8`, `not-unicode`, `malformed-json`, `too-deep`, `unreadable-body`, `foreign-cursor` */
        Problem400BodyCursor: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem400BodyCursor"];
            };
        };
        /** @description `subjects-assigned` */
        Problem409SubjectsAssigned: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem409SubjectsAssigned"];
            };
        };
        /** @description `body-too-slow` */
        Problem408LargeBody: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem408LargeBody"];
            };
        };
        /** @description `job-cancelled`, `subjects-assigned` */
        Problem409WaitsSubjectsAssigned: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem409WaitsSubjectsAssigned"];
            };
        };
        /** @description `internal`, `worker-crashed`, `run-stuck`, `run-ended` */
        Problem500Waits: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem500Waits"];
            };
        };
        /** @description `structural-entity-has-children`, `structural-entity-has-subjects` */
        Problem409StructuralEntityHasChildrenStructuralEntityHasSubjects: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem409StructuralEntityHasChildrenStructuralEntityHasSubjects"];
            };
        };
        /** @description `validation`, `malformed-request`, `foreign-cursor` */
        Problem400PathCursor: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem400PathCursor"];
            };
        };
        /** @description `portal-not-configured`, `self-access-not-enabled`, `third-party-access-not-enabled` */
        Problem409Portal: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem409Portal"];
            };
        };
        /** @description `subject-erased` */
        Problem410SubjectErased: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem410SubjectErased"];
            };
        };
        /** @description `validation`, `malformed-request`, `empty-body`, `not-utf-8`, `not-unicode`, `malformed-json`, `too-deep`, `unreadable-body`, `idempotency-key` */
        Problem400PathBodyKey: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem400PathBodyKey"];
            };
        };
        /** @description `portal-not-configured`, `self-access-not-enabled`, `third-party-access-not-enabled`, `portal-values-missing` */
        Problem409PortalPortalValuesMissing: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem409PortalPortalValuesMissing"];
            };
        };
        /** @description `validation`, `malformed-request`, `idempotency-key` */
        Problem400PathKey: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem400PathKey"];
            };
        };
        /** @description `validation`, `malformed-request`, `empty-body`, `not-utf-8`, `not-unicode`, `malformed-json`, `too-deep`, `unreadable-body`, `same-subject` */
        Problem400PathBodySameSubject: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem400PathBodySameSubject"];
            };
        };
        /** @description `matching-values-taken` */
        Problem409MatchingValuesTaken: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem409MatchingValuesTaken"];
            };
        };
        /** @description `later-merge`, `matching-values-taken` */
        Problem409LaterMergeMatchingValuesTaken: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem409LaterMergeMatchingValuesTaken"];
            };
        };
        /** @description `validation` */
        Problem400: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem400"];
            };
        };
        /** @description `changes-forgotten` */
        Problem410ChangesForgotten: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem410ChangesForgotten"];
            };
        };
        /** @description `validation`, `malformed-request`, `empty-body`, `not-utf-8`, `not-unicode`, `malformed-json`, `too-deep`, `unreadable-body`, `two-lists`, `no-list` */
        Problem400PathBodyTwoListsNoList: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem400PathBodyTwoListsNoList"];
            };
        };
        /** @description `subject-upsert-not-configured`, `ambiguous-match` */
        Problem409Upserts: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem409Upserts"];
            };
        };
        /** @description `validation`, `empty-body`, `unreadable-body`, `idempotency-key`, `no-rows` */
        Problem400UploadKeyNoRows: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem400UploadKeyNoRows"];
            };
        };
        /** @description `subject-upsert-not-configured` */
        Problem409SubjectUpsertNotConfigured: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem409SubjectUpsertNotConfigured"];
            };
        };
        /** @description `body-too-large` */
        Problem413Upload: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem413Upload"];
            };
        };
        /** @description `content-type`, `content-encoding` */
        Problem415Upload: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem415Upload"];
            };
        };
        /** @description `not-acceptable` */
        Problem406NotAcceptable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem406NotAcceptable"];
            };
        };
        /** @description `validation`, `malformed-request`, `empty-body`, `not-utf-8`, `not-unicode`, `malformed-json`, `too-deep`, `unreadable-body` */
        Problem400PathBody: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem400PathBody"];
            };
        };
        /** @description `validation`, `malformed-request`, `malformed-form`, `unreadable-body`, `idempotency-key` */
        Problem400PathFormKey: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem400PathFormKey"];
            };
        };
        /** @description `too-many-fields` */
        Problem413Form: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem413Form"];
            };
        };
        /** @description `content-type`, `file-type`, `content-encoding` */
        Problem415Form: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem415Form"];
            };
        };
        /** @description `job-ended` */
        Problem409JobEnded: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem409JobEnded"];
            };
        };
        /** @description `validation`, `malformed-request`, `empty-body`, `unreadable-body`, `idempotency-key`, `no-rows` */
        Problem400PathUploadKeyCorrections: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem400PathUploadKeyCorrections"];
            };
        };
        /** @description `job-not-ended`, `job-undone`, `no-import`, `import-not-written`, `subject-upsert-not-configured` */
        Problem409JobNotEndedJobUndoneCorrections: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem409JobNotEndedJobUndoneCorrections"];
            };
        };
        /** @description `not-undoable`, `job-not-ended`, `job-undone` */
        Problem409NotUndoableJobNotEndedJobUndone: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem409NotUndoableJobNotEndedJobUndone"];
            };
        };
        /** @description `validation`, `malformed-request`, `idempotency-key`, `header-value` */
        Problem400PathKeySteps: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem400PathKeySteps"];
            };
        };
        /** @description `job-cancelled`, `refresh-superseded` */
        Problem409WaitsRefreshSuperseded: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem409WaitsRefreshSuperseded"];
            };
        };
        /** @description `internal`, `worker-crashed`, `run-stuck`, `run-ended`, `endpoint-failed`, `evaluation-ended`, `call-interrupted` */
        Problem500WaitsSteps: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem500WaitsSteps"];
            };
        };
        /** @description `provider-failed`, `provider-answer`, `provider-answer-no-text`, `duplicate-row`, `output-too-large` */
        Problem502Provider: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem502Provider"];
            };
        };
        /** @description `provider-timeout` */
        Problem504Steps: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem504Steps"];
            };
        };
        /** @description `validation`, `malformed-request`, `foreign-cursor`, `unknown-generation` */
        Problem400PathCursorUnknownGeneration: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem400PathCursorUnknownGeneration"];
            };
        };
        /** @description `busy`, `unavailable`, `tenant-moving`, `generation-not-reached` */
        Problem503GenerationNotReached: {
            headers: {
                /** @description Seconds. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem503GenerationNotReached"];
            };
        };
        /** @description `forbidden`, `insufficient-scope` */
        Problem403FormsToken: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem403FormsToken"];
            };
        };
        /** @description `instance-identifier-taken`, `instance-discarded` */
        Problem409InstanceIdentifierTakenInstanceDiscarded: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem409InstanceIdentifierTakenInstanceDiscarded"];
            };
        };
        /** @description `not-withdrawn` */
        Problem409NotWithdrawn: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem409NotWithdrawn"];
            };
        };
        /** @description `instance-changed` */
        Problem412InstanceChanged: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem412InstanceChanged"];
            };
        };
        /** @description `instance-withdrawn`, `instance-is-complete` */
        Problem409InstanceStepsInstanceIsComplete: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem409InstanceStepsInstanceIsComplete"];
            };
        };
        /** @description `instance-changed` */
        Problem412InstanceSteps: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem412InstanceSteps"];
            };
        };
        /** @description `if-match-required` */
        Problem428InstanceSteps: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem428InstanceSteps"];
            };
        };
        /** @description `instance-withdrawn`, `instance-is-new`, `instance-is-draft` */
        Problem409InstanceStepsInstanceIsNewInstanceIsDraft: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem409InstanceStepsInstanceIsNewInstanceIsDraft"];
            };
        };
        /** @description `job-cancelled` */
        Problem409Waits: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem409Waits"];
            };
        };
        /** @description `job-not-completed` */
        Problem409JobNotCompleted: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem409JobNotCompleted"];
            };
        };
        /** @description `insufficient-scope` */
        Problem403: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem403"];
            };
        };
        /** @description `custom-field-in-use`, `client-id-taken` */
        Problem409CustomFieldInUseClientIdTaken: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem409CustomFieldInUseClientIdTaken"];
            };
        };
        /** @description `form-published`, `building-block-published` */
        Problem409FormPublishedBuildingBlockPublished: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem409FormPublishedBuildingBlockPublished"];
            };
        };
        /** @description `move-not-possible` */
        Problem409MoveNotPossible: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem409MoveNotPossible"];
            };
        };
        /** @description `other-issuer`, `rotation-under-way` */
        Problem409OtherIssuerRotationUnderWay: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem409OtherIssuerRotationUnderWay"];
            };
        };
        /** @description `forbidden` */
        Problem403Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem403Forbidden"];
            };
        };
        /** @description `validation`, `malformed-request` */
        Problem400PathPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem400Path"];
                "text/html": string;
            };
        };
        /** @description `forbidden` */
        Problem403ForbiddenPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem403Forbidden"];
                "text/html": string;
            };
        };
        /** @description `not-found` */
        Problem404PathPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem404Path"];
                "text/html": string;
            };
        };
        /** @description `page-too-large` */
        Problem413PageTooLargePage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem413PageTooLarge"];
                "text/html": string;
            };
        };
        /** @description `tenant-moved` */
        Problem421Page: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem421"];
                "text/html": string;
            };
        };
        /** @description `rate-limited` */
        Problem429Page: {
            headers: {
                /** @description Seconds. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem429"];
                "text/html": string;
            };
        };
        /** @description `internal` */
        Problem500Page: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem500"];
                "text/html": string;
            };
        };
        /** @description `busy`, `unavailable`, `tenant-moving` */
        Problem503Page: {
            headers: {
                /** @description Seconds. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem503"];
                "text/html": string;
            };
        };
        /** @description `validation`, `malformed-request`, `unreadable-body` */
        Problem400PathSmallFormPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem400PathSmallForm"];
                "text/html": string;
            };
        };
        /** @description `page-too-large`, `too-many-fields`, `body-too-large` */
        Problem413PageTooLargeSmallFormPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem413PageTooLargeSmallForm"];
                "text/html": string;
            };
        };
        /** @description `content-type`, `content-encoding` */
        Problem415SmallFormPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem415SmallForm"];
                "text/html": string;
            };
        };
        /** @description `validation`, `malformed-request`, `action`, `malformed-form`, `unreadable-body` */
        Problem400PathPageFormPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem400PathPageForm"];
                "text/html": string;
            };
        };
        /** @description `already-sent` */
        Problem409AlreadySentPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem409AlreadySent"];
                "text/html": string;
            };
        };
        /** @description `too-many-fields`, `body-too-large`, `page-too-large` */
        Problem413PageFormPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem413PageForm"];
                "text/html": string;
            };
        };
        /** @description `content-type`, `content-encoding` */
        Problem415PageFormPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem415PageForm"];
                "text/html": string;
            };
        };
        /** @description `rate-limited`, `too-many-writes` */
        Problem429WritesPage: {
            headers: {
                /** @description Seconds. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem429Writes"];
                "text/html": string;
            };
        };
        /** @description `validation`, `malformed-request`, `unreadable-body`, `token`, `to` */
        Problem400PathSmallFormTokenToPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem400PathSmallFormTokenTo"];
                "text/html": string;
            };
        };
        /** @description `forbidden`, `insufficient-scope` */
        Problem403FormsTokenPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem403FormsToken"];
                "text/html": string;
            };
        };
        /** @description `too-many-fields`, `body-too-large` */
        Problem413SmallFormPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem413SmallForm"];
                "text/html": string;
            };
        };
        /** @description `instance-withdrawn`, `instance-is-new`, `instance-is-draft`, `instance-is-complete` */
        Problem409InstanceStepsInstanceStatesPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem409InstanceStepsInstanceStates"];
                "text/html": string;
            };
        };
        /** @description `instance-changed` */
        Problem412InstanceStepsPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem412InstanceSteps"];
                "text/html": string;
            };
        };
        /** @description `if-match-required` */
        Problem428InstanceStepsPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem428InstanceSteps"];
                "text/html": string;
            };
        };
        /** @description `validation`, `malformed-request`, `empty-body`, `not-utf-8`, `not-unicode`, `malformed-json`, `too-deep`, `unreadable-body`, `malformed-form`, `file-in-form`, `header-value` */
        Problem400PathBodyStepsBodySteps: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem400PathBodyStepsBodySteps"];
            };
        };
        /** @description `unauthenticated` */
        Problem401Unauthenticated: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem401Unauthenticated"];
            };
        };
        /** @description `method-not-allowed` */
        Problem405MethodNotAllowed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem405MethodNotAllowed"];
            };
        };
        /** @description `body-too-large`, `too-many-fields` */
        Problem413BodyStepsBody: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem413BodyStepsBody"];
            };
        };
        /** @description `rate-limited`, `too-many-calls` */
        Problem429TooManyCalls: {
            headers: {
                /** @description Seconds. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem429TooManyCalls"];
            };
        };
        /** @description `internal`, `endpoint-failed`, `evaluation-ended`, `call-interrupted`, `run-ended` */
        Problem500Steps: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem500Steps"];
            };
        };
        /** @description `provider-failed`, `provider-answer`, `provider-answer-no-text`, `output-too-large` */
        Problem502Steps: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem502Steps"];
            };
        };
    };
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
            /** @description `invalid_request`, `invalid_grant`, `invalid_scope`, `unsupported_grant_type` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        error: "invalid_request" | "invalid_grant" | "invalid_scope" | "unsupported_grant_type";
                        error_description: string;
                    };
                };
            };
            /** @description `invalid_client` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        error: "invalid_client";
                        error_description: string;
                    };
                };
            };
            /** @description `too_many_requests` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        error: "too_many_requests";
                        error_description: string;
                    };
                };
            };
            /** @description `server_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        error: "server_error";
                        error_description: string;
                    };
                };
            };
            /** @description `temporarily_unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        error: "temporarily_unavailable";
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
            header?: {
                /** @description The token of an answer: this one shows all that was committed before that. Without it, what this client wrote through the same API process. */
                "Commit-Token"?: string;
            };
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
            400: components["responses"]["Problem400Cursor"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StructureType"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StructureType"];
                };
            };
            400: components["responses"]["Problem400Body"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            409: components["responses"]["Problem409StructureTypeInUse"];
            413: components["responses"]["Problem413Body"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
            400: components["responses"]["Problem400Path"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400Path"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            409: components["responses"]["Problem409StructureTypeInUse"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    putStructureTypes: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body gets the answer of the first request; with another body, 422. */
                "Idempotency-Key"?: string;
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
            /** @description Done */
            204: {
                headers: {
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400BodyKey"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            409: components["responses"]["Problem409StructureTypeInUse"];
            413: components["responses"]["Problem413Body"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            422: components["responses"]["Problem422Key"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                /** @description Key, DisplayName, Depth, UpdatedAt, or the key of a custom field that is no array. Numbers are ordered as numbers, dates and times as such, texts by their first 100 characters, whatever the case and accent. Entries without a value come last in both directions. Ties are broken by key. The first list by a field makes the order: of many entries, it answers 503 with Retry-After until it is made. */
                OrderBy?: string;
                /** @description Default Ascending. */
                OrderDirection?: "Ascending" | "Descending";
            };
            header?: {
                /** @description The token of an answer: this one shows all that was committed before that. Without it, what this client wrote through the same API process. */
                "Commit-Token"?: string;
            };
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
            400: components["responses"]["Problem400Cursor"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404NotFound"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503OrderInPreparation"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenStructuralEntity"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenStructuralEntity"];
                };
            };
            400: components["responses"]["Problem400Body"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404NotFound"];
            409: components["responses"]["Problem409SubjectsAssigned"];
            413: components["responses"]["Problem413Body"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    queryStructuralEntities: {
        parameters: {
            query?: never;
            header?: {
                /** @description The token of an answer: this one shows all that was committed before that. Without it, what this client wrote through the same API process. */
                "Commit-Token"?: string;
            };
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
            400: components["responses"]["Problem400BodyCursor"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404NotFound"];
            413: components["responses"]["Problem413Body"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503OrderInPreparation"];
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
            400: components["responses"]["Problem400Path"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400Path"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            409: components["responses"]["Problem409StructuralEntityHasChildrenStructuralEntityHasSubjects"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description Done */
            204: {
                headers: {
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400BodyKey"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404NotFound"];
            408: components["responses"]["Problem408LargeBody"];
            409: components["responses"]["Problem409WaitsSubjectsAssigned"];
            413: components["responses"]["Problem413Body"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            422: components["responses"]["Problem422Key"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500Waits"];
            503: components["responses"]["Problem503"];
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
            header?: {
                /** @description The token of an answer: this one shows all that was committed before that. Without it, what this client wrote through the same API process. */
                "Commit-Token"?: string;
            };
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
            400: components["responses"]["Problem400Cursor"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"];
                };
            };
            400: components["responses"]["Problem400Body"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            413: components["responses"]["Problem413Body"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
            400: components["responses"]["Problem400Path"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400Path"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    putGroups: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body gets the answer of the first request; with another body, 422. */
                "Idempotency-Key"?: string;
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
            /** @description Done */
            204: {
                headers: {
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400BodyKey"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            413: components["responses"]["Problem413Body"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            422: components["responses"]["Problem422Key"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
            400: components["responses"]["Problem400PathCursor"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            409: components["responses"]["Problem409Portal"];
            410: components["responses"]["Problem410SubjectErased"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    inviteToPortal: {
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
        requestBody?: {
            content: {
                "application/json": string[];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400PathBodyKey"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            409: components["responses"]["Problem409PortalPortalValuesMissing"];
            410: components["responses"]["Problem410SubjectErased"];
            413: components["responses"]["Problem413Body"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            422: components["responses"]["Problem422Key"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400Path"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            409: components["responses"]["Problem409Portal"];
            410: components["responses"]["Problem410SubjectErased"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["Problem400PathKey"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            410: components["responses"]["Problem410SubjectErased"];
            421: components["responses"]["Problem421"];
            422: components["responses"]["Problem422Key"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    mergeSubjects: {
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
                "application/json": components["schemas"]["SubjectMerge"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subject"];
                };
            };
            400: components["responses"]["Problem400PathBodySameSubject"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            409: components["responses"]["Problem409MatchingValuesTaken"];
            410: components["responses"]["Problem410SubjectErased"];
            413: components["responses"]["Problem413Body"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    unmergeSubject: {
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subject"];
                };
            };
            400: components["responses"]["Problem400Path"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            409: components["responses"]["Problem409LaterMergeMatchingValuesTaken"];
            410: components["responses"]["Problem410SubjectErased"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listMergedSubjects: {
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
                    "application/json": components["schemas"]["MergedSubject"][];
                };
            };
            400: components["responses"]["Problem400Path"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            410: components["responses"]["Problem410SubjectErased"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listSubjects: {
        parameters: {
            query?: {
                /** @description Those with these Ids. The Id of a merged subject stands for the one that it leads to. An Id without a subject has no entry. */
                Ids?: string[];
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
                /** @description Also assigned to any entity below these, at any depth: a region with all its wards is one list. Default false. */
                IncludeDescendants?: boolean;
                /** @description Every word is in the values: whole, as a beginning, or with a typo. The best first. A subject is found by at most 200 words, of long texts the first ones; a word that is new to the tenant is found with a typo within seconds. A term without a letter or digit is refused; a blank one is no search. */
                SearchTerm?: string;
                /** @description Holding these values exactly, by field key. In an address a name is repeated for each further value. White space at the ends of a text, and its Unicode form, make no difference. */
                "customFieldValueFilter.values"?: {
                    [key: string]: string;
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
                /** @description Id, UpdatedAt, or the key of a custom field that is no array. Numbers are ordered as numbers, dates and times as such, texts by their first 100 characters, whatever the case and accent. Entries without a value come last in both directions. Ties are broken by key. The first list by a field makes the order: of many entries, it answers 503 with Retry-After until it is made. */
                OrderBy?: string;
                /** @description Default Ascending. */
                OrderDirection?: "Ascending" | "Descending";
            };
            header?: {
                /** @description The token of an answer: this one shows all that was committed before that. Without it, what this client wrote through the same API process. */
                "Commit-Token"?: string;
            };
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
            400: components["responses"]["Problem400Cursor"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503OrderInPreparation"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenSubject"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenSubject"];
                };
            };
            400: components["responses"]["Problem400Body"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            409: components["responses"]["Problem409Upserts"];
            413: components["responses"]["Problem413Body"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    querySubjects: {
        parameters: {
            query?: never;
            header?: {
                /** @description The token of an answer: this one shows all that was committed before that. Without it, what this client wrote through the same API process. */
                "Commit-Token"?: string;
            };
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
            400: components["responses"]["Problem400BodyCursor"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            413: components["responses"]["Problem413Body"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503OrderInPreparation"];
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
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
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
            400: components["responses"]["Problem400Cursor"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            410: components["responses"]["Problem410ChangesForgotten"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
            400: components["responses"]["Problem400Path"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            410: components["responses"]["Problem410SubjectErased"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subject"];
                };
            };
            400: components["responses"]["Problem400PathBodyTwoListsNoList"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            409: components["responses"]["Problem409MatchingValuesTaken"];
            410: components["responses"]["Problem410SubjectErased"];
            413: components["responses"]["Problem413Body"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subject"];
                };
            };
            400: components["responses"]["Problem400Path"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            410: components["responses"]["Problem410SubjectErased"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subject"];
                };
            };
            400: components["responses"]["Problem400Path"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            410: components["responses"]["Problem410SubjectErased"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    upsertSubjects: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body gets the answer of the first request; with another body, 422. */
                "Idempotency-Key"?: string;
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenSubject"][];
                };
            };
            400: components["responses"]["Problem400BodyKey"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            409: components["responses"]["Problem409Upserts"];
            413: components["responses"]["Problem413Body"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            422: components["responses"]["Problem422Key"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenSubject"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenSubject"];
                };
            };
            400: components["responses"]["Problem400Body"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            409: components["responses"]["Problem409Upserts"];
            413: components["responses"]["Problem413Body"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    upsertSubjectsByMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body gets the answer of the first request; with another body, 422. */
                "Idempotency-Key"?: string;
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenSubject"][];
                };
            };
            400: components["responses"]["Problem400BodyKey"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            409: components["responses"]["Problem409Upserts"];
            413: components["responses"]["Problem413Body"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            422: components["responses"]["Problem422Key"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    importSubjects: {
        parameters: {
            query?: {
                /** @description `each` (default): rows that are sound are written, the others refused. `all`: all rows are checked first, and where one is refused, nothing is written. */
                Mode?: "all" | "each";
                /** @description The job says what it would create, update, move and refuse, and writes nothing. */
                DryRun?: boolean;
                /** @description Of CSV: what stands between two cells. Default: `comma`. */
                Separator?: "comma" | "semicolon" | "tab";
                /** @description Of CSV: `Column:FieldKey` for a column that is not called as its field, `Column:` for one that is not to be read. */
                Map?: string[];
                /** @description Of CSV: a map of the manifest, of its `importMaps`. What `Map` says of a column counts more. */
                MapKey?: string;
                /** @description `unassign`: the upload has everybody. Subjects that no row means are taken from their places in the end; Delete:SubjectLocation is needed. Default: `leave`. */
                Absent?: "leave" | "unassign";
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["Problem400UploadKeyNoRows"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            409: components["responses"]["Problem409SubjectUpsertNotConfigured"];
            413: components["responses"]["Problem413Upload"];
            415: components["responses"]["Problem415Upload"];
            421: components["responses"]["Problem421"];
            422: components["responses"]["Problem422Key"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    importStructuralEntities: {
        parameters: {
            query?: {
                /** @description `each` (default): rows that are sound are written, the others refused. `all`: all rows are checked first, and where one is refused, nothing is written. */
                Mode?: "all" | "each";
                /** @description The job says what it would create, update, move and refuse, and writes nothing. */
                DryRun?: boolean;
                /** @description Of CSV: what stands between two cells. Default: `comma`. */
                Separator?: "comma" | "semicolon" | "tab";
                /** @description Of CSV: `Column:FieldKey` for a column that is not called as its field, `Column:` for one that is not to be read. */
                Map?: string[];
                /** @description Of CSV: a map of the manifest, of its `importMaps`. What `Map` says of a column counts more. */
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["Problem400UploadKeyNoRows"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            413: components["responses"]["Problem413Upload"];
            415: components["responses"]["Problem415Upload"];
            421: components["responses"]["Problem421"];
            422: components["responses"]["Problem422Key"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
            400: components["responses"]["Problem400Path"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            406: components["responses"]["Problem406NotAcceptable"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400PathBody"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            410: components["responses"]["Problem410SubjectErased"];
            413: components["responses"]["Problem413Body"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400Path"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            410: components["responses"]["Problem410SubjectErased"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
            header?: {
                /** @description The token of an answer: this one shows all that was committed before that. Without it, what this client wrote through the same API process. */
                "Commit-Token"?: string;
            };
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
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400PathBody"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            413: components["responses"]["Problem413Body"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400Path"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                    };
                };
            };
            400: components["responses"]["Problem400PathFormKey"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            410: components["responses"]["Problem410SubjectErased"];
            413: components["responses"]["Problem413Form"];
            415: components["responses"]["Problem415Form"];
            421: components["responses"]["Problem421"];
            422: components["responses"]["Problem422Key"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
            header?: {
                /** @description The token of an answer: this one shows all that was committed before that. Without it, what this client wrote through the same API process. */
                "Commit-Token"?: string;
            };
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
            400: components["responses"]["Problem400PathCursor"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            410: components["responses"]["Problem410SubjectErased"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
            400: components["responses"]["Problem400Path"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            410: components["responses"]["Problem410SubjectErased"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400Path"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            410: components["responses"]["Problem410SubjectErased"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listJobs: {
        parameters: {
            query?: {
                Kind?: ("structuralEntityBulkUpsert" | "subjectImport" | "structuralEntityImport" | "subjectTransfer" | "subjectTransferUndo" | "subjectErasure" | "portalInvitation" | "dataSetRefresh" | "dataChange" | "singlePassDelivery" | "multiExtract" | "formExport")[];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
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
            400: components["responses"]["Problem400Cursor"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["Problem400Path"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
            400: components["responses"]["Problem400PathCursor"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["Problem400Path"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            409: components["responses"]["Problem409JobEnded"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["Problem400PathUploadKeyCorrections"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            409: components["responses"]["Problem409JobNotEndedJobUndoneCorrections"];
            413: components["responses"]["Problem413Upload"];
            415: components["responses"]["Problem415Upload"];
            421: components["responses"]["Problem421"];
            422: components["responses"]["Problem422Key"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["Problem400PathBodyKey"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            413: components["responses"]["Problem413Body"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            422: components["responses"]["Problem422Key"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["Problem400PathKey"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            409: components["responses"]["Problem409NotUndoableJobNotEndedJobUndone"];
            421: components["responses"]["Problem421"];
            422: components["responses"]["Problem422Key"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DataSetRefreshed"];
                };
            };
            /** @description Accepted; goes on as a job */
            202: {
                headers: {
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["Problem400PathKeySteps"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            409: components["responses"]["Problem409WaitsRefreshSuperseded"];
            421: components["responses"]["Problem421"];
            422: components["responses"]["Problem422Key"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500WaitsSteps"];
            502: components["responses"]["Problem502Provider"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504Steps"];
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
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
            400: components["responses"]["Problem400PathCursorUnknownGeneration"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403Permission"];
            404: components["responses"]["Problem404Path"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503GenerationNotReached"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DataChangeAnswer"];
                };
            };
            400: components["responses"]["Problem400Body"];
            401: components["responses"]["Problem401"];
            404: components["responses"]["Problem404NotFound"];
            408: components["responses"]["Problem408LargeBody"];
            413: components["responses"]["Problem413Body"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DataChangeAnswer"];
                };
            };
            400: components["responses"]["Problem400Body"];
            401: components["responses"]["Problem401"];
            404: components["responses"]["Problem404NotFound"];
            408: components["responses"]["Problem408LargeBody"];
            413: components["responses"]["Problem413Body"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
            400: components["responses"]["Problem400"];
            403: components["responses"]["Problem403FormsToken"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
            400: components["responses"]["Problem400"];
            403: components["responses"]["Problem403FormsToken"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
            400: components["responses"]["Problem400Path"];
            403: components["responses"]["Problem403FormsToken"];
            404: components["responses"]["Problem404Path"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
            400: components["responses"]["Problem400Path"];
            403: components["responses"]["Problem403FormsToken"];
            404: components["responses"]["Problem404Path"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenFormInstance"];
                };
            };
            400: components["responses"]["Problem400Body"];
            403: components["responses"]["Problem403FormsToken"];
            404: components["responses"]["Problem404NotFound"];
            409: components["responses"]["Problem409InstanceIdentifierTakenInstanceDiscarded"];
            410: components["responses"]["Problem410SubjectErased"];
            413: components["responses"]["Problem413Body"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
            400: components["responses"]["Problem400Path"];
            403: components["responses"]["Problem403FormsToken"];
            404: components["responses"]["Problem404Path"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
            400: components["responses"]["Problem400Path"];
            403: components["responses"]["Problem403FormsToken"];
            404: components["responses"]["Problem404Path"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FormWithdrawal"];
                };
            };
            400: components["responses"]["Problem400PathBody"];
            403: components["responses"]["Problem403FormsToken"];
            404: components["responses"]["Problem404Path"];
            409: components["responses"]["Problem409NotWithdrawn"];
            412: components["responses"]["Problem412InstanceChanged"];
            413: components["responses"]["Problem413Body"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FormWithdrawal"];
                };
            };
            400: components["responses"]["Problem400PathBody"];
            403: components["responses"]["Problem403FormsToken"];
            404: components["responses"]["Problem404Path"];
            409: components["responses"]["Problem409NotWithdrawn"];
            412: components["responses"]["Problem412InstanceChanged"];
            413: components["responses"]["Problem413Body"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenFormInstance"];
                };
            };
            400: components["responses"]["Problem400PathBody"];
            403: components["responses"]["Problem403FormsToken"];
            404: components["responses"]["Problem404Path"];
            408: components["responses"]["Problem408LargeBody"];
            409: components["responses"]["Problem409InstanceStepsInstanceIsComplete"];
            412: components["responses"]["Problem412InstanceSteps"];
            413: components["responses"]["Problem413Body"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            428: components["responses"]["Problem428InstanceSteps"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenFormInstance"];
                };
            };
            /** @description Done */
            204: {
                headers: {
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400Path"];
            403: components["responses"]["Problem403FormsToken"];
            404: components["responses"]["Problem404Path"];
            409: components["responses"]["Problem409InstanceStepsInstanceIsComplete"];
            412: components["responses"]["Problem412InstanceSteps"];
            421: components["responses"]["Problem421"];
            428: components["responses"]["Problem428InstanceSteps"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenFormInstance"];
                };
            };
            400: components["responses"]["Problem400PathBody"];
            403: components["responses"]["Problem403FormsToken"];
            404: components["responses"]["Problem404Path"];
            408: components["responses"]["Problem408LargeBody"];
            409: components["responses"]["Problem409InstanceStepsInstanceIsComplete"];
            412: components["responses"]["Problem412InstanceSteps"];
            413: components["responses"]["Problem413Body"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            428: components["responses"]["Problem428InstanceSteps"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenFormInstance"];
                };
            };
            400: components["responses"]["Problem400Path"];
            403: components["responses"]["Problem403FormsToken"];
            404: components["responses"]["Problem404Path"];
            409: components["responses"]["Problem409InstanceStepsInstanceIsNewInstanceIsDraft"];
            412: components["responses"]["Problem412InstanceSteps"];
            421: components["responses"]["Problem421"];
            428: components["responses"]["Problem428InstanceSteps"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
            400: components["responses"]["Problem400"];
            403: components["responses"]["Problem403FormsToken"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
            header?: {
                /** @description The token of an answer: this one shows all that was committed before that. Without it, what this client wrote through the same API process. */
                "Commit-Token"?: string;
            };
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
            400: components["responses"]["Problem400Path"];
            403: components["responses"]["Problem403FormsToken"];
            404: components["responses"]["Problem404Path"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
            header?: {
                /** @description The token of an answer: this one shows all that was committed before that. Without it, what this client wrote through the same API process. */
                "Commit-Token"?: string;
            };
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
            400: components["responses"]["Problem400PathCursor"];
            403: components["responses"]["Problem403FormsToken"];
            404: components["responses"]["Problem404Path"];
            410: components["responses"]["Problem410SubjectErased"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
            400: components["responses"]["Problem400Path"];
            403: components["responses"]["Problem403FormsToken"];
            404: components["responses"]["Problem404Path"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
            400: components["responses"]["Problem400Path"];
            403: components["responses"]["Problem403FormsToken"];
            404: components["responses"]["Problem404Path"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    /** @description Everything is as it was then. An extract with this as its `from` has what was submitted since. */
                    "Extract-Instant": string;
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["Problem400BodyKey"];
            403: components["responses"]["Problem403FormsToken"];
            404: components["responses"]["Problem404NotFound"];
            408: components["responses"]["Problem408LargeBody"];
            409: components["responses"]["Problem409Waits"];
            413: components["responses"]["Problem413Body"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            422: components["responses"]["Problem422Key"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500Waits"];
            503: components["responses"]["Problem503"];
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
                    "Extract-Instant": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExtractResults"];
                    "application/x-ndjson": components["schemas"]["ExtractLine"];
                };
            };
            400: components["responses"]["Problem400Path"];
            403: components["responses"]["Problem403FormsToken"];
            404: components["responses"]["Problem404Path"];
            409: components["responses"]["Problem409JobNotCompleted"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
            400: components["responses"]["Problem400Path"];
            403: components["responses"]["Problem403FormsToken"];
            404: components["responses"]["Problem404Path"];
            410: components["responses"]["Problem410SubjectErased"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FormExtractResult"];
                };
            };
            400: components["responses"]["Problem400PathBody"];
            403: components["responses"]["Problem403FormsToken"];
            404: components["responses"]["Problem404Path"];
            410: components["responses"]["Problem410SubjectErased"];
            413: components["responses"]["Problem413Body"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
            400: components["responses"]["Problem400Path"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404Path"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
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
            400: components["responses"]["Problem400PathBody"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404Path"];
            408: components["responses"]["Problem408LargeBody"];
            409: components["responses"]["Problem409CustomFieldInUseClientIdTaken"];
            413: components["responses"]["Problem413Body"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
            400: components["responses"]["Problem400Path"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404Path"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
            400: components["responses"]["Problem400Path"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404Path"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenForm"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenForm"];
                };
            };
            400: components["responses"]["Problem400PathBody"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404Path"];
            408: components["responses"]["Problem408LargeBody"];
            409: components["responses"]["Problem409FormPublishedBuildingBlockPublished"];
            413: components["responses"]["Problem413Body"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
            400: components["responses"]["Problem400PathCursor"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404Path"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewApiKey"];
                };
            };
            400: components["responses"]["Problem400PathBody"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404Path"];
            413: components["responses"]["Problem413Body"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400Path"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404Path"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
            400: components["responses"]["Problem400PathCursor"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404Path"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
            400: components["responses"]["Problem400Path"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404Path"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookState"][];
                };
            };
            400: components["responses"]["Problem400PathBody"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404Path"];
            413: components["responses"]["Problem413Body"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getTenantMove: {
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
                    "application/json": components["schemas"]["TenantMove"];
                };
            };
            400: components["responses"]["Problem400Path"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404Path"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    moveTenant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantKey: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description move, the default. undo: takes a tenant back in whose new cell nothing was written. forget: deletes the rows that it left; then there is no way back.
                     * @enum {string}
                     */
                    what?: "move" | "undo" | "forget";
                    /** @description Name of the cell to which it moves. */
                    cell?: string;
                    /** @description How long the switch waits for running jobs of the tenant, 60 by default. Those that still run go on in the other cell. */
                    waitSeconds?: number;
                };
            };
        };
        responses: {
            /** @description Accepted; goes on as a job */
            202: {
                headers: {
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantMove"];
                };
            };
            400: components["responses"]["Problem400PathBody"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404Path"];
            409: components["responses"]["Problem409MoveNotPossible"];
            413: components["responses"]["Problem413Body"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
            400: components["responses"]["Problem400Path"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404Path"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
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
                    /** @description Only with read replicas: send it with a later list, which then shows what is committed now. */
                    "Commit-Token"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningKeys"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            409: components["responses"]["Problem409OtherIssuerRotationUnderWay"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429Writes"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listSinglePassForms: {
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
                    "application/json": {
                        name: string;
                        key: string;
                        versions: number[];
                    }[];
                };
            };
            400: components["responses"]["Problem400Path"];
            403: components["responses"]["Problem403Forbidden"];
            404: components["responses"]["Problem404Path"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    openSinglePassForm: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantKey: string;
                formKey: string;
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
                    "text/html": string;
                };
            };
            400: components["responses"]["Problem400PathPage"];
            403: components["responses"]["Problem403ForbiddenPage"];
            404: components["responses"]["Problem404PathPage"];
            413: components["responses"]["Problem413PageTooLargePage"];
            421: components["responses"]["Problem421Page"];
            429: components["responses"]["Problem429Page"];
            500: components["responses"]["Problem500Page"];
            503: components["responses"]["Problem503Page"];
        };
    };
    sendSinglePassForm: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantKey: string;
                formKey: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    [key: string]: unknown;
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
                    "text/html": string;
                };
            };
            /** @description Accepted; goes on as a job */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        reference: string;
                    };
                };
            };
            /** @description Done; another page shows it */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400PathPageFormPage"];
            403: components["responses"]["Problem403ForbiddenPage"];
            404: components["responses"]["Problem404PathPage"];
            409: components["responses"]["Problem409AlreadySentPage"];
            413: components["responses"]["Problem413PageFormPage"];
            415: components["responses"]["Problem415PageFormPage"];
            421: components["responses"]["Problem421Page"];
            429: components["responses"]["Problem429WritesPage"];
            500: components["responses"]["Problem500Page"];
            503: components["responses"]["Problem503Page"];
        };
    };
    openSinglePassFormVersion: {
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
                    "text/html": string;
                };
            };
            400: components["responses"]["Problem400PathPage"];
            403: components["responses"]["Problem403ForbiddenPage"];
            404: components["responses"]["Problem404PathPage"];
            413: components["responses"]["Problem413PageTooLargePage"];
            421: components["responses"]["Problem421Page"];
            429: components["responses"]["Problem429Page"];
            500: components["responses"]["Problem500Page"];
            503: components["responses"]["Problem503Page"];
        };
    };
    sendSinglePassFormVersion: {
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
        requestBody: {
            content: {
                "multipart/form-data": {
                    [key: string]: unknown;
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
                    "text/html": string;
                };
            };
            /** @description Accepted; goes on as a job */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        reference: string;
                    };
                };
            };
            /** @description Done; another page shows it */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400PathPageFormPage"];
            403: components["responses"]["Problem403ForbiddenPage"];
            404: components["responses"]["Problem404PathPage"];
            409: components["responses"]["Problem409AlreadySentPage"];
            413: components["responses"]["Problem413PageFormPage"];
            415: components["responses"]["Problem415PageFormPage"];
            421: components["responses"]["Problem421Page"];
            429: components["responses"]["Problem429WritesPage"];
            500: components["responses"]["Problem500Page"];
            503: components["responses"]["Problem503Page"];
        };
    };
    launchSinglePassForm: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantKey: string;
                formKey: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    token?: string;
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
                    "text/html": string;
                };
            };
            400: components["responses"]["Problem400PathSmallFormPage"];
            403: components["responses"]["Problem403ForbiddenPage"];
            404: components["responses"]["Problem404PathPage"];
            413: components["responses"]["Problem413PageTooLargeSmallFormPage"];
            415: components["responses"]["Problem415SmallFormPage"];
            421: components["responses"]["Problem421Page"];
            429: components["responses"]["Problem429Page"];
            500: components["responses"]["Problem500Page"];
            503: components["responses"]["Problem503Page"];
        };
    };
    launchSinglePassFormVersion: {
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
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    token?: string;
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
                    "text/html": string;
                };
            };
            400: components["responses"]["Problem400PathSmallFormPage"];
            403: components["responses"]["Problem403ForbiddenPage"];
            404: components["responses"]["Problem404PathPage"];
            413: components["responses"]["Problem413PageTooLargeSmallFormPage"];
            415: components["responses"]["Problem415SmallFormPage"];
            421: components["responses"]["Problem421Page"];
            429: components["responses"]["Problem429Page"];
            500: components["responses"]["Problem500Page"];
            503: components["responses"]["Problem503Page"];
        };
    };
    showSentForm: {
        parameters: {
            query: {
                reference: string;
            };
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
                    "text/html": string;
                };
            };
            400: components["responses"]["Problem400PathPage"];
            403: components["responses"]["Problem403ForbiddenPage"];
            404: components["responses"]["Problem404PathPage"];
            413: components["responses"]["Problem413PageTooLargePage"];
            421: components["responses"]["Problem421Page"];
            429: components["responses"]["Problem429Page"];
            500: components["responses"]["Problem500Page"];
            503: components["responses"]["Problem503Page"];
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantKey: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    token: string;
                    /** @description A page of forms. */
                    to: string;
                };
            };
        };
        responses: {
            /** @description Done; another page shows it */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400PathSmallFormTokenToPage"];
            403: components["responses"]["Problem403FormsTokenPage"];
            404: components["responses"]["Problem404PathPage"];
            413: components["responses"]["Problem413SmallFormPage"];
            415: components["responses"]["Problem415SmallFormPage"];
            421: components["responses"]["Problem421Page"];
            429: components["responses"]["Problem429Page"];
            500: components["responses"]["Problem500Page"];
            503: components["responses"]["Problem503Page"];
        };
    };
    showFormInstanceVersion: {
        parameters: {
            query?: {
                includeWithdrawn?: boolean;
            };
            header?: never;
            path: {
                tenantKey: string;
                instanceGuid: string;
                versionGuid: string;
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
                    "text/html": string;
                };
            };
            400: components["responses"]["Problem400PathPage"];
            403: components["responses"]["Problem403FormsTokenPage"];
            404: components["responses"]["Problem404PathPage"];
            413: components["responses"]["Problem413PageTooLargePage"];
            421: components["responses"]["Problem421Page"];
            429: components["responses"]["Problem429Page"];
            500: components["responses"]["Problem500Page"];
            503: components["responses"]["Problem503Page"];
        };
    };
    openFormInstance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantKey: string;
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
                    "text/html": string;
                };
            };
            /** @description Done; another page shows it */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400PathPage"];
            403: components["responses"]["Problem403FormsTokenPage"];
            404: components["responses"]["Problem404PathPage"];
            413: components["responses"]["Problem413PageTooLargePage"];
            421: components["responses"]["Problem421Page"];
            429: components["responses"]["Problem429Page"];
            500: components["responses"]["Problem500Page"];
            503: components["responses"]["Problem503Page"];
        };
    };
    answerFormInstance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantKey: string;
                instanceGuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    [key: string]: unknown;
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
                    "text/html": string;
                };
            };
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Done; another page shows it */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400PathPageFormPage"];
            403: components["responses"]["Problem403FormsTokenPage"];
            404: components["responses"]["Problem404PathPage"];
            409: components["responses"]["Problem409InstanceStepsInstanceStatesPage"];
            412: components["responses"]["Problem412InstanceStepsPage"];
            413: components["responses"]["Problem413PageFormPage"];
            415: components["responses"]["Problem415PageFormPage"];
            421: components["responses"]["Problem421Page"];
            428: components["responses"]["Problem428InstanceStepsPage"];
            429: components["responses"]["Problem429WritesPage"];
            500: components["responses"]["Problem500Page"];
            503: components["responses"]["Problem503Page"];
        };
    };
    callEndpoint: {
        parameters: {
            query?: never;
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
                    "application/json": unknown;
                };
            };
            400: components["responses"]["Problem400PathBodyStepsBodySteps"];
            401: components["responses"]["Problem401Unauthenticated"];
            404: components["responses"]["Problem404Path"];
            405: components["responses"]["Problem405MethodNotAllowed"];
            413: components["responses"]["Problem413BodyStepsBody"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429TooManyCalls"];
            500: components["responses"]["Problem500Steps"];
            502: components["responses"]["Problem502Steps"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504Steps"];
        };
    };
    postToEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantKey: string;
                endpointKey: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": unknown;
                "application/x-www-form-urlencoded": {
                    [key: string]: string;
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
                    "application/json": unknown;
                };
            };
            400: components["responses"]["Problem400PathBodyStepsBodySteps"];
            401: components["responses"]["Problem401Unauthenticated"];
            404: components["responses"]["Problem404Path"];
            405: components["responses"]["Problem405MethodNotAllowed"];
            413: components["responses"]["Problem413BodyStepsBody"];
            415: components["responses"]["Problem415Body"];
            421: components["responses"]["Problem421"];
            429: components["responses"]["Problem429TooManyCalls"];
            500: components["responses"]["Problem500Steps"];
            502: components["responses"]["Problem502Steps"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504Steps"];
        };
    };
}
