// The schemas of a subject as clients write it, in requests and in rows of imports.
import Type from 'typebox'
import Format from 'typebox/format'
import { type ExactNumber, isNumeric, parseExactNumber } from '../../../runtime/json/exact-number.js'
import { memberNamed } from '../../../runtime/schema/canonical-names.js'
import { keyText } from '../../../runtime/schema/key.js'
import { nullIsAbsent } from '../../../runtime/schema/null-is-absent.js'
import { isKeptDateTime, isTime } from './custom-fields.js'
import { maxTextLength } from './field-forms.js'

/** A text that a function checks. @param publish the `format` that the OpenAPI description states for it. */
const text = (check: (text: string) => boolean, format: string, publish: { format?: string } = {}) =>
  Type.Refine(
    Type.String({ maxLength: 100, description: format, publish }),
    value => check(value),
    () => `must be a ${format}`,
  )

// A number that is read without losing digits. The OpenAPI description states it as an ordinary number (see openapi.ts).
const Decimal = Type.Refine(
  Type.Unsafe<number | ExactNumber>({ exact: true, publish: { type: 'number' } }),
  isNumeric,
  () => 'must be number',
)

const holding = <Value extends Type.TSchema>(value: Value) => Type.Optional(Type.Object({ Value: value }))
const safe = Number.MAX_SAFE_INTEGER

/** Matches a control character other than tabs and line ends. */
const control = /[^\P{Cc}\t\n\r]/u

/** A text without characters that belong in no text: control characters other than tabs and line ends. */
const plainText = (length: { minLength?: number; maxLength: number }) =>
  Type.Refine(
    Type.String({ ...length, description: 'Without control characters other than tabs and line ends.' }),
    value => !control.test(value),
    () => 'must have no control characters other than tabs and line ends',
  )

/** A custom field value as clients write it: exactly one property, named for the data type (spec frame "Input value"). */
export const InputValue = Type.Object(
  {
    Boolean: holding(Type.Boolean()),
    String: holding(plainText({ maxLength: maxTextLength })),
    Integer: holding(Type.Integer({ minimum: -safe, maximum: safe, publish: { format: 'int64' } })),
    Decimal: holding(Decimal),
    DateTime: holding(text(isKeptDateTime, 'date-time of the years 0001 to 9999 in UTC', { format: 'date-time' })),
    Date: holding(text(value => Format.IsDate(value), 'date', { format: 'date' })),
    Time: holding(text(isTime, 'time of day, HH:MM[:SS[.fff]], without a zone')),
    UserIdentifier: holding(plainText({ minLength: 1, maxLength: 255 })),
  },
  { $id: 'InputValue', minProperties: 1, maxProperties: 1, additionalProperties: false },
)

/** The schema of an entry in a list of values. It also accepts entries as they are read, with `Field` instead of `Key`. */
export const valueEntry = <Value extends Type.TSchema>($id: string, value: Value) =>
  Type.Object({ Key: keyText(), Value: value }, { $id, fromRead: writtenEntry })

/** Converts an entry in place from the shape in which it is read to the one in which it is written. */
function writtenEntry(entry: Record<string, unknown>): void {
  const field = memberNamed(entry, 'Field')
  if (field === undefined || memberNamed(entry, 'Key') !== undefined) return
  const value = memberNamed(entry, 'Value')
  for (const name of Object.keys(entry)) delete entry[name]
  entry.Key = memberNamed(field, 'Key')
  entry.Value = Array.isArray(value) ? value.map(inputOf) : inputOf(value)
}

/** Converts `{DataType, ValueText}` to an input value. Returns anything else unchanged, for the schema to judge. */
function inputOf(value: unknown): unknown {
  const [dataType, text] = [memberNamed(value, 'DataType'), memberNamed(value, 'ValueText')]
  if (typeof dataType !== 'string' || typeof text !== 'string') return value
  return { [dataType]: { Value: fromText(dataType, text) } }
}

function fromText(dataType: string, text: string): unknown {
  if (dataType === 'Boolean') return text === 'true' || (text === 'false' ? false : text)
  if (dataType !== 'Integer' && dataType !== 'Decimal') return text
  return /^-?\d+(\.\d+)?$/.test(text) ? parseExactNumber(text) : text
}

/** The values of a subject as clients write them. A null removes an optional value. */
export const SubjectValuesInput = Type.Array(
  valueEntry('SubjectValueWrite', Type.Union([InputValue, Type.Array(InputValue, { maxItems: 500 }), Type.Null()])),
  { maxItems: 500 },
)

export const SubjectWrite = Type.Object(
  {
    CustomFieldValues: SubjectValuesInput,
    StructuralEntityKeys: Type.Optional(
      Type.Array(keyText(), {
        maxItems: 1000,
        description: 'All places of the subject. If absent, its places stay as they are.',
        ...nullIsAbsent,
      }),
    ),
  },
  {
    $id: 'SubjectWrite',
    examples: [
      {
        CustomFieldValues: [
          { Key: 'nationalId', Value: { String: { Value: 'A-1234' } } },
          { Key: 'givenName', Value: { String: { Value: 'Zoë' } } },
          { Key: 'familyName', Value: { String: { Value: 'Kowalczyk' } } },
          { Key: 'languages', Value: [{ String: { Value: 'pl' } }, { String: { Value: 'fr' } }] },
        ],
        StructuralEntityKeys: [],
      },
    ],
  },
)
