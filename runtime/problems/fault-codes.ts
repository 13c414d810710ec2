// Defines every code of a fault. A fault is a single mistake in a request, in a row of an import or in a manifest. This
// one table yields the types, the OpenAPI description and docs/problems.md.

export interface FaultKind {
  meaning: string
  /** What the caller should do next. */
  next: string
}

/** Builds table entries from codes, each with its meaning and the caller's next step. */
function kinds<Code extends string>(
  codes: Record<Code, readonly [meaning: string, next: string]>,
): Record<Code, FaultKind> {
  const entries = Object.entries<readonly [string, string]>(codes)
  return Object.fromEntries(entries.map(([code, [meaning, next]]) => [code, { meaning, next }])) as Record<
    Code,
    FaultKind
  >
}

const asDetail = 'Write it as `detail` says.'
const correctKey = 'Correct the key, or create it first.'
const leaveOut = 'Leave one of them out.'
const oneEach = 'Give each a name of its own.'

/** All fault codes, grouped by the part of the API that reports them. */
export const faultGroups = {
  'Any request': kinds({
    required: ['A member that must be there is missing.', 'Add it.'],
    'unknown-member': ['The body has no such member.', 'Correct its name, or leave it out.'],
    'unknown-parameter': ['The address takes no such parameter.', 'Correct its name, or leave it out.'],
    'duplicate-member': ['A member is given twice, in whatever letter case.', leaveOut],
    'duplicate-parameter': ['A parameter is given twice, in whatever letter case.', leaveOut],
    'wrong-type': ['The value is of another type.', 'Give the type that `detail` names.'],
    'wrong-format': ['The text does not have the expected format.', asDetail],
    'unknown-value': ['The value is not among the allowed ones.', 'Give one that `detail` names.'],
    'too-short': ['The text has too few characters.', 'Give as many as `detail` says.'],
    'too-long': ['The text has too many characters.', 'Shorten it.'],
    'too-few': ['The list has too few items.', 'Give as many as `detail` says.'],
    'too-many': ['The list has too many items.', 'Send less at once.'],
    array: ['A single value is given where a list is needed, or the list cannot be used.', asDetail],
    'single-value': ['A list is given where a single value is needed.', 'Give a single value.'],
    'too-large': ['The value or the file has too many bytes.', 'Make it smaller.'],
    'out-of-range': ['The number is too small or too large.', 'Give one of the range that `detail` names.'],
    'not-allowed': ['The value breaks another rule of the schema.', asDetail],
    'one-of': ['Exactly one of several members must be given.', 'Give one of them.'],
    'first-and-last': ['`First` and `Last` are given together.', leaveOut],
    'from-after-to': ['The range ends before it begins.', 'Swap the two times.'],
    past: ['The time is in the past.', 'Give a time in the future.'],
    'unknown-role': ['The tenant has no such role.', 'Give one that `detail` names.'],
    'missing-permission': ['The client lacks the permission for this item.', 'Have the operators grant it.'],
    'more-faults': ['`detail` says how many faults are not listed.', 'Correct the others, and send it again.'],
  }),
  'Lists, the change feed and the portal': kinds({
    'from-now-and-after': ['`FromNow` and `After` are given together.', leaveOut],
    'search-and-filter': ['`SearchTerm` and a filter of values are given together.', leaveOut],
    'match-without-values': ['A way of matching is given without values.', 'Give the values too.'],
    'no-word': ['The search term has no letter and no digit.', 'Give at least one word.'],
    'too-wide': ['The search matches too many subjects.', 'Give more letters, another word, or entities.'],
    'not-in-search': ['A search does not take this parameter.', leaveOut],
    'descendants-without-entities': ['Descendants are asked for, and no entities.', 'Give `StructuralEntityKeys` too.'],
    'descendants-without-subject': ['Descendants are asked for, and no subject.', 'Give `withAccessToSubjectId` too.'],
    'unplaced-in-entities': ['`Unplaced` and `StructuralEntityKeys` are given together.', leaveOut],
  }),
  'Subjects and structural entities': kinds({
    'unknown-custom-field': ['There is no such custom field.', 'Correct the key: `GET /api/v2/subjectField` has them.'],
    'required-custom-field': ['A required custom field has no value.', 'Give it a value.'],
    'required-matching-field': ['A matching field has no value.', 'Give all matching fields a value.'],
    'wrong-data-type': ['The value is of another data type than its field.', 'Give the data type that `detail` names.'],
    'phone-number': ['The text is not a phone number.', 'Write it with digits, such as +49 30 1234567.'],
    'unknown-user': ['There is no such user.', 'Correct the id: `GET /api/v1/users` has them.'],
    'inactive-user': ['The user is not active.', 'Name another user.'],
    'duplicate-subject': ['An earlier item means the same subject.', leaveOut],
    'ambiguous-match': ['The values match several subjects.', 'Decide which of the named subjects is meant.'],
    'unknown-subject': ['There is no such subject.', 'Correct the id.'],
    'unknown-structural-entity': ['There is no such structural entity.', correctKey],
    'same-structural-entity': ['Source and destination are the same entity.', 'Name another destination.'],
    'not-assignable': ['Entities of this type cannot have subjects.', 'Name an entity of another type.'],
    'duplicate-key': ['Two items have the same key.', leaveOut],
    'unknown-parent': [
      'There is no entity with the key that is given as parent.',
      'Correct the key, or send the parent along.',
    ],
    cycle: ['The entity would be below itself.', 'Give another parent.'],
    'too-deep': ['The hierarchy, or the body, would have too many levels.', 'Give another parent, or fewer levels.'],
    'unknown-ancestor': ['There is no entity with the key that is given as ancestor.', correctKey],
    'unknown-structure-type': ['There is no such structure type.', correctKey],
    'unknown-group': ['There is no such group.', correctKey],
    'subjects-assigned': ['Subjects are assigned to the entity.', 'Transfer the subjects first.'],
    'missing-value': ['The subject lacks a value that the invitation needs.', 'Write the value first.'],
    'custom-field-in-use': ['Subjects have values in the field.', 'Keep the field, or remove its values first.'],
  }),
  'Rows and files of imports': kinds({
    'unclosed-quote': ['A quote is open where the row ends.', 'Close it, and double each quote of the text.'],
    'stray-quote': ['A quote stands in the middle of a cell.', 'Put the cell in quotes, and double each quote in it.'],
    'column-count': ['The row has more cells than the header.', 'Put cells with the separator in quotes.'],
    'row-too-long': ['The row has over 1 MB.', 'Shorten it.'],
    'not-utf-8': ['The bytes are not UTF-8.', 'Save the file as UTF-8, or give its `Charset`.'],
    'not-unicode': ['A text contains half a surrogate pair.', 'Send valid Unicode.'],
    'malformed-json': ['The line is not valid JSON.', 'Correct the place that `detail` names.'],
    'parent-refused': ['The row of the parent is refused.', 'Correct that row, and send this one again with it.'],
    'missing-column': ['A column that is needed or mapped is not there.', 'Add the column, or correct the map.'],
    'unknown-column': [
      'The column is neither a field nor mapped to one.',
      'Give `Map=Column:FieldKey`, or `Map=Column:`.',
    ],
    'duplicate-column': ['Two columns are for one value.', 'Leave one out: `Map=Column:`.'],
    'too-many-columns': ['The header has over 1,000 columns.', 'Send only columns that are fields.'],
    'unknown-map': ['The manifest has no such map of columns.', 'Correct `MapKey`.'],
    'wrong-separator': ['Another character stands between the cells.', 'Give the `Separator` that `detail` names.'],
    'wrong-charset': [
      'The file is not in the charset that it should have.',
      'Give the `Charset` in which it was saved.',
    ],
    'wrong-line-ends': ['The lines end with carriage returns alone.', 'Save the file with line feeds.'],
  }),
  'Data changes and answers of providers': kinds({
    path: ['The path has more than names, dots and `[n]`.', asDetail],
    'other-subject': ['A data point belongs to another subject.', 'Send the points of one subject.'],
    'repeated-cursor': ['The provider answered a cursor again.', 'Have the provider answer a new one, or null.'],
    status: ['The endpoint answered another status than 200 to 299.', 'Correct the steps of the endpoint.'],
  }),
  'Answers of forms': kinds({
    'unknown-control': ['The form has no such control.', 'Correct its id: the definition of the form has them.'],
    'no-value': ['The control is only for reading and takes no value.', 'Leave its value out.'],
    iteration: ['The number of the iteration is not valid.', asDetail],
    'duplicate-iteration': ['An iteration is given twice.', leaveOut],
    'repeat-gap': ['Iterations are missing before one that is given.', 'Number them from 0 without gaps.'],
    'too-few-iterations': ['The repeat has too few iterations.', 'Give as many as `detail` says.'],
    'too-many-iterations': ['The repeat has too many iterations.', 'Give as many as `detail` says.'],
    'single-selection': ['Several options are chosen where only one is allowed.', 'Choose one.'],
    'too-low': ['The value is below the lowest one.', 'Give a higher one.'],
    'too-high': ['The value is above the highest one.', 'Give a lower one.'],
    pattern: ['The text does not match the pattern.', asDetail],
    blanks: ['The text has blanks at its ends.', 'Remove them.'],
    characters: ['The text has control characters.', 'Remove them.'],
    language: ['The text is not a language code.', 'Give one such as en or pt-BR.'],
    'unknown-option': ['The value is not one of the options.', 'Give one of the options.'],
    'duplicate-selection': ['An option is chosen twice.', leaveOut],
    'several-others': ['More than one answer is not among the options.', 'Give at most one such answer.'],
    string: ['The value is not a text.', asDetail],
    boolean: ['The value is neither true nor false.', asDetail],
    integer: ['The value is not a whole number.', asDetail],
    decimal: ['The value is not a number.', asDetail],
    date: ['The value is not a date.', asDetail],
    time: ['The value is not a time of day.', asDetail],
    datetime: ['The value is not a date with a time.', asDetail],
    url: ['The value is not a web address.', asDetail],
    html: ['The value is not a text in HTML.', asDetail],
    geolocation: ['The value is not a latitude and longitude.', asDetail],
    'annotated-image': ['The value is not a list of pins.', asDetail],
    'translatable-text-value': ['The value is not a text with its language.', asDetail],
    'data-url': ['The file is not a data URL.', 'Give `data:<media type>;base64,…`.'],
    'media-type': ['The file is of a type that is not allowed.', 'Give a type that `detail` names.'],
    'file-type': ['The file is of another type than it says.', 'Send the type that `detail` names.'],
    pin: ['A pin is not on the picture, or its text is wrong.', asDetail],
    'unknown-patient': ['There is no such patient.', 'Correct the identifier.'],
    'unknown-form': ['There is no such published version of a form.', 'Correct key and version.'],
    'instance-identifier-taken': ['Another instance has the identifier.', 'Use another identifier.'],
    'instance-discarded': ['The form instance was discarded.', 'Create one with another identifier.'],
  }),
  'Definitions of extracts': kinds({
    'duplicate-identifier': ['Two definitions have the same identifier.', oneEach],
    'unknown-building-block': ['The form has no such building block.', 'Correct the key.'],
    'duplicate-building-block': ['A building block is chosen twice.', leaveOut],
    'duplicate-control': ['A control is chosen twice.', leaveOut],
    'not-published': ['No version of the form is published.', 'Publish a version first.'],
  }),
  'Manifests of tenants': kinds({
    'other-key': ['The key differs from the key in the path.', 'Send it to its own path.'],
    'duplicate-email': ['Two users have the same e-mail address.', 'Give each an address of its own.'],
    'client-id-taken': ['Another tenant has a client of this id.', 'Choose another id.'],
    'matching-field': ['The field is one by which subjects are matched.', 'Take it out of the matching fields first.'],
    'matching-array': ['A matching field is an array.', 'Make it a field with a single value.'],
    'matching-optional': ['A matching field is not required.', 'Make it required.'],
    'wrong-field': ['The field is not of the kind that is needed.', 'Name a field of the kind that `detail` names.'],
    reserved: ['The word has a meaning of its own.', 'Choose another one.'],
    'reserved-key': ['The address of the key is taken.', 'Choose another key.'],
    'reserved-id': ['The id has a meaning of its own.', 'Choose another id.'],
    'reserved-header': ['The platform sets the header.', 'Leave it out.'],
    'reserved-claim': ['The step sets the claim.', 'Leave it out.'],
    'cannot-open': ['A sealed value was sealed with another key.', 'Give the value again.'],
    'unknown-secret': ['There is no such secret.', 'Add it to `glue.secrets`.'],
    'unknown-variable': ['There is no such variable.', 'Add it to `glue.variables`.'],
    'unnamed-variable': ['A template reads `variables` without a name.', 'Write `variables.name`.'],
    'unknown-name': ['A template reads something that does not exist.', asDetail],
    'unknown-step': ['No step before has the name.', 'Correct the name, or the order of the steps.'],
    'unknown-provider': ['There is no such provider.', 'Add it to `glue.providers`.'],
    'unknown-endpoint': ['There is no such endpoint.', 'Add it to `glue.endpoints`.'],
    'unknown-data-source': ['There is no such data source.', 'Add it to `glue.dataSources`.'],
    'no-structured-data': ['The endpoint cannot refresh data sets.', 'Give it the capability `structuredData`.'],
    'several-limited-providers': ['One endpoint calls several providers with limits.', 'Make an endpoint of each.'],
    'not-a-secret': ['A plain variable stands where a secret must.', 'Make it a secret.'],
    'secret-shown': ['A secret would be shown to callers.', 'Read something else there.'],
    'secret-elsewhere': [
      'A secret would be sent to a host that is not one of its hosts.',
      "Add the host to the secret's `hosts`, and give its value again.",
    ],
    'invalid-template': ['The template cannot be read.', 'Correct the place that `detail` names.'],
    'invalid-expression': ['The expression cannot be read.', 'Correct the place that `detail` names.'],
    'too-slow': ['A template or an expression takes too long with these values.', 'Make it simpler.'],
    'too-much-memory': ['A template or an expression needs too much memory.', 'Make it simpler.'],
    'unreachable-step': ['A step before it responds.', 'Remove one of them.'],
    'unexpected-body': ['A GET has no body.', 'Choose another method.'],
    'other-origin': ['The address leads to another host than the provider.', 'Give a path, or another provider.'],
    'unknown-time-zone': ['There is no such time zone.', 'Give one of IANA, such as Europe/Berlin.'],
  }),
  'Templates of forms': kinds({
    'other-version': ['The version differs from the version in the path.', 'Send it to its own path.'],
    crossed: ['The lowest value is above the highest one.', 'Exchange them.'],
    'never-equal': ['The control can never have this value.', 'Write the value as the control has it.'],
    'later-control': ['The control stands after the one that reads it.', 'Exchange them.'],
    'other-repeat': ['The control is in a repeat, and the one that reads it is not.', 'Name another control.'],
    'wrong-comparison': ['Values of this type cannot be compared like this.', 'Use only `answered`.'],
    'not-a-number': ['The control has no number.', 'Name a control with numbers.'],
    'not-whole': ['The number may have a fraction.', 'Make the sum a decimal.'],
    'not-ascending': ['A band does not end above the one before it.', 'Put the bands in order.'],
    'not-for-data-type': ['The data type does not have this member.', 'Remove it.'],
    'not-for-texts': ['A control without a value does not have this member.', 'Remove it.'],
    'not-for-values': ['Only a control without a value has a text.', 'Remove it.'],
    'no-picture': ['The content is not a picture of a known format.', 'Give a PNG, JPEG, GIF or WebP.'],
    'building-block-published': ['A published form has another version of the block.', 'Give the block a new version.'],
  }),
  'Warnings, which refuse nothing': kinds({
    'open-endpoint': ['The endpoint is open to everybody.', 'Give it an authentication, if that is not meant.'],
    'one-header-for-both': ['One token must satisfy two methods.', 'Leave one method out, if that is not meant.'],
    'any-client': ['Every client of the tenant may call it.', 'Name the scope that is needed.'],
    'not-encrypted': ['The address is not encrypted.', 'Use https.'],
    'closed-address': ['The rules for outbound calls close the address.', 'Use https, or have it in OUTBOUND_ALLOW.'],
    'not-repeated': [
      'A refresh fails at the first failure of the call.',
      'Say `idempotent: true` where it may be repeated.',
    ],
    'no-user-token': ["A template reads a user's token where there is none.", 'Ask for Open ID Connect.'],
    'not-escaped': [
      'A value of the request goes in as it was sent.',
      'Choose a type of body that is escaped, or say `raw`.',
    ],
    'caller-chooses': [
      'What a user sends decides whose data is read.',
      'Name the person by a claim of the token: `request.user.sub`.',
    ],
    'no-destination': ['The destination of the export is not set up.', 'Have the operators set it up.'],
    'not-the-latest': ['There is a later version.', 'Give it a higher version, if that is not meant.'],
    'same-label': ['Two options have one label.', 'Give each a label of its own.'],
    'not-described': ['The picture has no description.', 'Say what it shows, for people who cannot see it.'],
    'no-values': ['The form has nothing to fill in.', 'Add a control with a value.'],
    'open-end': ['Values above the last band have no result.', 'Add a band without an end.'],
  }),
}

type Groups = typeof faultGroups
export type FaultCode = { [Group in keyof Groups]: keyof Groups[Group] }[keyof Groups]

const codes: ReadonlySet<string> = new Set(Object.values(faultGroups).flatMap(group => Object.keys(group)))

export const isFaultCode = (code: string): code is FaultCode => codes.has(code)

/** All fault codes. */
export const faultCodes: FaultCode[] = [...codes].filter(isFaultCode)
