// Defines every code of a problem with its status, title, meaning and next step. This one table yields the types, the
// OpenAPI description and docs/problems.md.

export interface ProblemKind<Status extends number = number> {
  status: Status
  /** Title that all problems with this code share. */
  title: string
  meaning: string
  /** What the caller should do next. */
  next: string
}

/** Builds table entries for codes that share a status and a title, each with its meaning and the caller's next step. */
function kinds<Status extends number, Code extends string>(
  status: Status,
  title: string,
  codes: Record<Code, readonly [meaning: string, next: string]>,
): Record<Code, ProblemKind<Status>> {
  const entries = Object.entries<readonly [string, string]>(codes)
  return Object.fromEntries(
    entries.map(([code, [meaning, next]]) => [code, { status, title, meaning, next }]),
  ) as Record<Code, ProblemKind<Status>>
}

const again = 'Repeat the request after the seconds of Retry-After.'
const report = 'Report the trace id to the operators.'
const splitIt = 'Send less at once.'

/** All problem codes. */
export const problemKinds = {
  ...kinds(400, 'Invalid request', {
    validation: ['The request breaks rules; `errors` names each.', 'Correct what `errors` names.'],
    'malformed-request': ['The request is not valid HTTP.', 'Correct the address or the headers, as `detail` says.'],
    'empty-body': ['The body is empty.', 'Send a body.'],
    'not-utf-8': ['The body is not in UTF-8.', 'Encode the body in UTF-8.'],
    'not-unicode': ['A text of the body contains half a surrogate pair.', 'Send valid Unicode.'],
    'malformed-json': ['The body is not valid JSON.', 'Correct the place that `detail` names.'],
    'too-deep': ['The body has too many levels of lists and objects.', 'Send a flatter body.'],
    'unreadable-body': ['The body broke off, or could not be inflated.', 'Send the whole body again.'],
    'malformed-form': ['The form is malformed or breaks off.', 'Send a form with a boundary and its end.'],
    'file-in-form': ['The form carries a file.', 'Send texts only.'],
    'idempotency-key': [
      'The Idempotency-Key is not made of visible ASCII characters.',
      'Send 1 to 255 visible ASCII characters.',
    ],
    'foreign-cursor': ['The cursor belongs to another list, filter or order.', 'Read the list from its beginning.'],
    'unknown-generation': ['No change has this number.', 'Use a number from the answer to a change.'],
    'no-rows': ['The upload has no rows.', 'Send at least one row.'],
    'same-subject': ['Both ids name the same subject.', 'Name the other subject that is to be merged.'],
    'two-lists': ['The values are given twice.', 'Give CustomFieldValues or CustomFields, not both.'],
    'no-list': ['The values are not a list.', 'Give the values as a list, or as CustomFieldValues.'],
    'header-value': [
      'A value contains characters that no header of a step may have.',
      'Send it without line breaks and control characters.',
    ],
    'address-value': [
      'A value would lead an address of a step to another path or host.',
      'Send it without `..`, slashes and line breaks.',
    ],
    action: ['The page has no such button.', 'Open the page again and use its buttons.'],
    token: ['The token does not fit into a cookie.', 'Use a shorter token.'],
    to: ['The target is not a page of the tenant.', 'Name a page below `/forms/{tenantKey}/`.'],
  }),
  ...kinds(400, 'Rows refused', {
    'rows-refused': [
      'Rows of the import are refused, and nothing was written.',
      'Correct the rows of `links.rejects`.',
    ],
  }),
  ...kinds(400, 'Too many rows refused', {
    'too-many-refused': [
      'The import stopped because too many rows were refused.',
      'Correct the file and import it again.',
    ],
  }),
  ...kinds(401, 'A valid access token is required', {
    unauthenticated: ['The token is missing or not valid.', 'Get a new token and repeat the request.'],
  }),
  ...kinds(403, 'Permission denied', {
    forbidden: ['The caller may not do this; `detail` says why.', 'Have the operators grant what `detail` names.'],
    'insufficient-scope': ['The token lacks the scope.', 'Get a token with the scope that `detail` names.'],
  }),
  ...kinds(403, 'The tenant is suspended', {
    'tenant-suspended': [
      'The tenant is suspended: nobody can use it, and its work waits.',
      'Ask those who operate the installation, and repeat the request when they have resumed it.',
    ],
  }),
  ...kinds(404, 'Not found', {
    'not-found': ['Something that the request names does not exist.', 'Correct the key or id that `detail` names.'],
    'no-such-path': ['Nothing is served at this address.', 'Look the address up at /docs.'],
  }),
  ...kinds(405, 'The method is not allowed', {
    'method-not-allowed': ['This address does not take this method.', 'Use a method that the header Allow names.'],
  }),
  ...kinds(406, 'Not acceptable', {
    'not-acceptable': ['No type of the header Accept can be sent.', 'Accept a type that `detail` names.'],
  }),
  ...kinds(408, 'The body took too long', {
    'body-too-slow': ['The body did not come in time.', 'Send the body faster, or less at once.'],
  }),
  ...kinds(408, 'The request took too long', {
    'request-too-slow': ['The request did not come in time.', 'Send the request again.'],
  }),
  ...kinds(409, 'Conflict', {
    'absent-unknown': [
      'Some refused rows do not say which subject they mean, so nobody was unassigned.',
      'Correct these rows and import the whole file again.',
    ],
    'already-sent': ['The form was sent already, with other answers.', 'Open the form again to send another one.'],
    'ambiguous-match': ['The values match several subjects.', 'Decide which of the named subjects is meant.'],
    'building-block-published': [
      'A published form has another version of the block.',
      'Give the changed block a new version.',
    ],
    'client-id-taken': ['Another tenant has a client of this id.', 'Choose another id.'],
    'custom-field-in-use': ['Subjects have values in the field.', 'Keep the field, or remove its values first.'],
    'export-not-published': ['A definition of the export is not published.', 'Publish it and retry the job.'],
    'export-superseded': ['A later export has begun.', 'Wait for the later one.'],
    'form-published': ['The version of the form is published and cannot change.', 'Write a new version.'],
    'import-not-written': ['The import wrote nothing.', 'Correct the file and import all of it again.'],
    'instance-discarded': ['The form instance was discarded.', 'Create an instance with another identifier.'],
    'instance-identifier-taken': ['Another instance has the identifier.', 'Use another identifier.'],
    'instance-is-new': ['The form instance has no answers yet.', 'Save or submit it first.'],
    'instance-is-draft': ['The form instance is a draft.', 'Submit or discard the draft first.'],
    'instance-is-complete': ['The form instance is complete.', 'Amend it first.'],
    'instance-withdrawn': ['The form instance is withdrawn.', 'Reinstate it first.'],
    'job-ended': ['The job has ended.', 'Read the job.'],
    'job-not-ended': ['The job has not ended, or has nothing to retry.', 'Wait for its end.'],
    'job-undone': ['The job is undone.', 'Start a new job.'],
    'later-merge': ['A later merge has to be undone first.', 'Undo the merge that `detail` names.'],
    'matching-values-taken': ['Another subject has the matching values.', 'Change the other subject, or these values.'],
    'no-import': ['The job is not an import.', 'Send corrected rows to the job of an import.'],
    'not-undoable': [
      'Only a transfer of subjects, or what an import did to their places, can be undone.',
      'Reverse the change with calls of your own.',
    ],
    'not-withdrawn': ['The form instance was never withdrawn.', 'Nothing has to be done.'],
    'account-exists': ['The tenant has an account with this e-mail address.', 'Change the account that there is.'],
    'other-issuer': ['Another identity service signs the tokens.', 'Do it there.'],
    'own-tenant': [
      'You, or those who operate the installation, belong to the tenant.',
      'Ask somebody of another tenant, or name another one.',
    ],
    'portal-not-configured': ['The tenant has no subject portal.', 'Have the operators set `subjects.portal`.'],
    'portal-values-missing': [
      'The subject lacks values for the invitation.',
      'Give the subject the values that `errors` names.',
    ],
    'refresh-superseded': ['A later refresh has taken over.', 'Read the data set, or refresh it again.'],
    'rotation-under-way': ['A rotation of the keys is under way.', 'Wait for the time that `detail` names.'],
    'self-access-not-enabled': ['The portal gives subjects no access of their own.', 'Have the operators enable it.'],
    'structural-entity-has-children': ['Other entities are below it.', 'Delete or move these first.'],
    'structural-entity-has-subjects': ['Subjects are assigned to it.', 'Transfer the subjects first.'],
    'structure-type-in-use': ['Structural entities use it.', 'Change or delete these first.'],
    'subject-upsert-not-configured': [
      'The tenant has no upsert of subjects.',
      'Have the operators set `subjects.upsert`.',
    ],
    'subjects-assigned': ['Subjects are assigned to entities of the type.', 'Transfer the subjects first.'],
    'tenant-deleted': ['A job deletes the tenant.', 'Wait for the job, or choose another key.'],
    'tenant-not-suspended': [
      'The tenant is not suspended, or not for long enough.',
      'Suspend it, and ask again after the time that `detail` names.',
    ],
    'third-party-access-not-enabled': ['The portal gives third parties no access.', 'Have the operators enable it.'],
    'too-many-absent': [
      'More subjects are missing from the file than the import may take from their places, so nobody was unassigned.',
      'Import a complete file, or retry the job as `detail` says.',
    ],
    'transfer-not-possible': [
      'The destination is gone or takes no subjects.',
      'Correct the destination and retry the job.',
    ],
    'upload-forgotten': ['The uploaded file has been deleted.', 'Upload the file again.'],
  }),
  ...kinds(409, 'The job was cancelled', {
    'job-cancelled': ['The job of this request was cancelled.', 'Retry the job, or send a request with a new key.'],
  }),
  ...kinds(409, 'Job has no result', {
    'job-not-completed': ['The job has no result yet, or failed.', 'Wait for the job, or retry it.'],
  }),
  ...kinds(409, 'Row refused', {
    'row-refused-late': ['A row became invalid while the import wrote.', 'Retry the job.'],
  }),
  ...kinds(410, 'Changes no longer kept', {
    'changes-forgotten': [
      'The changes after the cursor have been deleted.',
      'Take a new cursor with `FromNow=true`, then read the whole list.',
    ],
  }),
  ...kinds(410, 'Subject erased', {
    'subject-erased': ['The subject was erased for good.', 'Delete your copy, and do not ask again.'],
  }),
  ...kinds(412, 'Precondition failed', {
    'manifest-changed': ['The manifest is not the one that was read.', 'Read it again and repeat with its ETag.'],
    'instance-changed': ['The form instance has changed since it was read.', 'Read it again and repeat with its ETag.'],
  }),
  ...kinds(413, 'The body is too large', {
    'body-too-large': ['The body exceeds a limit; `detail` names it.', splitIt],
  }),
  ...kinds(413, 'The import is too large', {
    'import-too-large': [
      'The file of places exceeds a limit; `detail` names it.',
      'Split it by level, and import the upper levels first.',
    ],
  }),
  ...kinds(413, 'The form is too large', {
    'too-many-fields': ['The form has too many fields.', splitIt],
  }),
  ...kinds(413, 'The page is too large', {
    'page-too-large': ['The form has more questions than a page shows.', 'Fill it in by the API.'],
  }),
  ...kinds(415, 'The content type is not supported', {
    'content-type': ['The body is of another content type or charset.', 'Send the content type that `detail` names.'],
    'file-type': ['The file is of another type.', 'Send the type that `detail` names.'],
  }),
  ...kinds(415, 'The content encoding is not supported', {
    'content-encoding': ['The body is compressed by another method.', 'Use the encoding that `detail` names.'],
  }),
  ...kinds(422, 'Idempotency key reused', {
    'idempotency-key-reused': ['Another request has used the key.', 'Send the same request, or a new key.'],
  }),
  ...kinds(422, 'A payload cannot be opened', {
    'cannot-open': ['The payload is sealed with another key.', 'Add that key to ENCRYPTION_KEYS_OLD.'],
  }),
  ...kinds(428, 'If-Match required', {
    'if-match-required': ['There is a draft that the request would overwrite.', 'Send If-Match with its ETag, or `*`.'],
  }),
  ...kinds(429, 'Too many requests', {
    'rate-limited': ['The caller sends too many requests a minute.', again],
    'too-many-calls': ['Too many calls of endpoints are under way.', again],
    'too-many-writes': ['Too many writes of the tenant wait.', again],
    'too-many-streams': [
      'The tenant watches too many answers at once.',
      'Close a stream, or ask without `Accept: text/event-stream`.',
    ],
  }),
  ...kinds(431, 'The headers are too large', {
    'headers-too-large': ['The headers have over 16 KB.', 'Send smaller headers.'],
  }),
  ...kinds(500, 'Internal error', {
    internal: ['Something unforeseen happened.', report],
  }),
  ...kinds(500, 'Worker crashed repeatedly', {
    'worker-crashed': [
      'Workers ended at the same step again and again.',
      'Have the operators find the cause, then retry the job.',
    ],
  }),
  ...kinds(500, 'The run of the job could not go on', {
    'run-stuck': [
      'The run failed again and again at the same place, and was ended.',
      'Have the operators find the cause, then retry the job.',
    ],
  }),
  ...kinds(500, 'Endpoint misconfigured', {
    'endpoint-failed': ['A step of the endpoint cannot be carried out.', report],
  }),
  ...kinds(500, 'Evaluation stopped', {
    'evaluation-ended': ['A template or an expression took too long or too much memory.', report],
  }),
  ...kinds(500, 'A call was interrupted', {
    'call-interrupted': [
      'A call that is not idempotent was interrupted.',
      'Find out whether it took effect before you repeat it.',
    ],
  }),
  ...kinds(500, 'The run was ended', {
    'run-ended': ['The run was ended from outside.', 'Repeat the request.'],
  }),
  ...kinds(500, 'Export destination not configured', {
    'export-not-set-up': ['The workers do not know the destination.', 'Have the operators set it, then retry the job.'],
  }),
  ...kinds(500, 'Form delivery misconfigured', {
    'delivery-not-set-up': [
      '`forms.delivery` of the manifest cannot be used.',
      'Correct the manifest, then retry the job.',
    ],
  }),
  ...kinds(502, 'The data provider failed', {
    'provider-failed': ['The provider answered an error, or cannot be reached.', 'Repeat the request later.'],
  }),
  ...kinds(502, 'Unexpected answer of the data provider', {
    'provider-answer': [
      'The answer of the provider does not have the expected form.',
      'Have the provider correct what `errors` names.',
    ],
  }),
  ...kinds(502, 'Answer of the data provider is not text', {
    'provider-answer-no-text': ['The answer of the provider is not text.', 'Have the provider send JSON or text.'],
  }),
  ...kinds(502, 'No rows in the answer of the data provider', {
    'provider-answer-no-rows': [
      'The answer of the provider does not have the rows that the endpoint declares.',
      'Have the provider looked at. If its answers have changed, correct `rows` in the manifest.',
    ],
  }),
  ...kinds(502, 'Link to another host', {
    'next-elsewhere': [
      'A link of the provider does not lead to the provider.',
      'Correct the provider, or name its other address in `alsoKnownAs`.',
    ],
  }),
  ...kinds(502, 'The endpoint gave up', {
    'step-error': ['An expression of the endpoint has ended the run by `$error`.', 'Do what `detail` says.'],
  }),
  ...kinds(502, 'Duplicate row Id in the answer of the data provider', {
    'duplicate-row': [
      'The provider sent two different rows with the same Id.',
      'Have the provider give each row an Id of its own.',
    ],
  }),
  ...kinds(502, 'Pages do not belong together', {
    'pages-drifted': [
      'The pages of the provider do not have the number of rows that it declares.',
      'Refresh again. If it happens often, have the provider page by a cursor.',
    ],
  }),
  ...kinds(502, 'Too many rows would vanish', {
    'too-many-vanished': [
      'The provider sent far fewer rows than are visible, so the old ones stay.',
      'Have the provider looked at. If it is right, retry with `MostVanished=100`.',
    ],
  }),
  ...kinds(502, 'Step output too large', {
    'output-too-large': ['The output of a step is too large.', 'Ask for less.'],
  }),
  ...kinds(502, 'Delivery refused', {
    'delivery-refused': ['The receiver refuses the form.', 'Have the receiver corrected, then retry the job.'],
  }),
  ...kinds(503, 'Temporarily not available', {
    unavailable: ['A service that the platform needs is away.', again],
    busy: ['Others use what the request needs.', again],
  }),
  ...kinds(503, 'Order in preparation', {
    'order-in-preparation': ['The index for this order is being built.', again],
  }),
  ...kinds(503, 'Change not visible yet', {
    'generation-not-reached': ['The rows do not show the change yet.', again],
  }),
  ...kinds(503, 'The data provider does not answer', {
    'provider-away': ['The provider does not answer; the job goes on.', 'Wait for the job.'],
  }),
  ...kinds(504, 'Endpoint timed out', {
    'provider-timeout': ['The steps took too long.', 'Find out whether a call took effect before you repeat it.'],
  }),
}

export type ProblemCode = keyof typeof problemKinds

/** The problem codes that have a given status. */
export type CodeOf<Status extends number> = {
  [Code in ProblemCode]: (typeof problemKinds)[Code]['status'] extends Status ? Code : never
}[ProblemCode]

export const isProblemCode = (code: string): code is ProblemCode => Object.hasOwn(problemKinds, code)
