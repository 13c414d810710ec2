// Schemas that several frame endpoints share.
import Type, { type Static } from 'typebox'
import Format from 'typebox/format'
import type { StructuralEntity } from '../../db/frame/hierarchy/structural-entities.js'
import type { StructureType } from '../../db/frame/hierarchy/structure-types.js'
import type { CustomField } from '../../db/frame/subjects/custom-field.js'
import {
  heldIn,
  isKeptDateTime,
  isTime,
  listOf,
  type StoredValue,
  type StoredValues,
} from '../../db/frame/subjects/custom-fields.js'
import { maxTextLength } from '../../db/frame/subjects/field-forms.js'
import { type ExactNumber, isNumeric, parseExactNumber } from '../../runtime/exact-number.js'
import { memberNamed } from '../schema/canonical-names.js'
import { Guid } from '../schema/guid.js'

/** A key: visible from end to end, so that two keys never differ by blanks only (the database ignores those at the end). */
export const Key = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^(?!\\.{1,2}$)[^\\s\\p{C}](?:[^\\p{C}]*[^\\s\\p{C}])?$',
  description: 'Unique; no blanks at its ends.',
})
/** Path of what belongs to a subject (spec frame "Subject (read)": Id is a guid). */
export const SubjectPath = Type.Object({ subjectId: Guid })

export const Name = Type.String({ minLength: 1, maxLength: 255, pattern: '\\S' })

const text = (check: (text: string) => boolean, format: string) =>
  Type.Refine(
    Type.String({ maxLength: 100, description: format }),
    value => check(value),
    () => `must be a ${format}`,
  )

// A number whose digits are kept; the description publishes it as a number (see openapi.ts).
const Decimal = Type.Refine(
  Type.Unsafe<number | ExactNumber>({ exact: true, publish: { type: 'number' } }),
  isNumeric,
  () => 'must be number',
)

const holding = <Value extends Type.TSchema>(value: Value) => Type.Optional(Type.Object({ Value: value }))
const safe = Number.MAX_SAFE_INTEGER

/** A custom field value as clients write it: exactly one property, named for the data type (spec frame "Input value"). */
export const InputValue = Type.Object(
  {
    Boolean: holding(Type.Boolean()),
    String: holding(Type.String({ maxLength: maxTextLength })),
    Integer: holding(Type.Integer({ minimum: -safe, maximum: safe })),
    Decimal: holding(Decimal),
    DateTime: holding(text(isKeptDateTime, 'date-time of the years 0001 to 9999 in UTC')),
    Date: holding(text(value => Format.IsDate(value), 'date')),
    Time: holding(text(isTime, 'time of day, HH:MM[:SS[.fff]], without a zone')),
    UserIdentifier: holding(Type.String({ minLength: 1, maxLength: 255 })),
  },
  { $id: 'InputValue', minProperties: 1, maxProperties: 1, additionalProperties: false },
)

/** An entry of a list of values. One that was read, with its `Field`, can be written again. */
export const valueEntry = <Value extends Type.TSchema>(value: Value) =>
  Type.Object({ Key: Type.String({ maxLength: 255 }), Value: value }, { fromRead: writtenEntry })

function writtenEntry(entry: Record<string, unknown>): void {
  const field = memberNamed(entry, 'Field')
  if (field === undefined || memberNamed(entry, 'Key') !== undefined) return
  const value = memberNamed(entry, 'Value')
  for (const name of Object.keys(entry)) delete entry[name]
  entry.Key = memberNamed(field, 'Key')
  entry.Value = Array.isArray(value) ? value.map(inputOf) : inputOf(value)
}

/** `{DataType, ValueText}` as an input value; anything else as it is. */
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

export const CustomFieldValuesInput = Type.Array(valueEntry(Type.Union([InputValue, Type.Array(InputValue)])), {
  maxItems: 500,
})

/** A custom field as it is read. */
export const Field = Type.Object(
  { Name: Type.String(), Key: Type.String(), Type: Type.String(), Required: Type.Boolean() },
  { $id: 'CustomField' },
)

export const StructureTypeRead = Type.Object(
  { Name: Type.String(), Key: Type.String(), SubjectAssignable: Type.Boolean(), CustomFields: Type.Array(Field) },
  { $id: 'StructureType' },
)

const value = Type.Object({ DataType: Type.String(), ValueText: Type.String() })
const writtenValue = Type.Object({
  $type: Type.String(),
  DataType: Type.String(),
  Value: Type.Unknown(),
  ValueText: Type.String(),
})

const entity = <Value extends Type.TSchema>(name: string, read: Value) =>
  Type.Object(
    {
      Key: Type.String(),
      DisplayName: Type.String(),
      ParentKey: Type.Union([Type.String(), Type.Null()]),
      Depth: Type.Integer({ description: 'A root is 1.' }),
      StructureType: StructureTypeRead,
      CustomFieldValues: Type.Array(Type.Object({ Field, Value: read })),
    },
    { $id: name },
  )

export const StructuralEntityRead = entity('StructuralEntity', value)
/** Response of an upsert, whose values have more members. */
export const StructuralEntityWritten = entity('WrittenStructuralEntity', writtenValue)

export const presentField = ({ name, key, typeKey, required }: CustomField): Static<typeof Field> => ({
  Name: name,
  Key: key,
  Type: typeKey,
  Required: required,
})

export const presentType = (type: StructureType): Static<typeof StructureTypeRead> => ({
  Name: type.name,
  Key: type.key,
  SubjectAssignable: type.subjectAssignable,
  CustomFields: type.customFields.map(presentField),
})

/** Values in the order of the fields; a field without a value is left out. */
const presentValues = <Value>(
  fields: readonly CustomField[],
  values: StoredValues,
  present: (value: StoredValue) => Value,
) =>
  fields.flatMap(field => {
    const [stored] = listOf(heldIn(values, field.key) ?? [])
    return stored ? [{ Field: presentField(field), Value: present(stored) }] : []
  })

export const presentEntity = <Value>(entity: StructuralEntity, present: (value: StoredValue) => Value) => ({
  Key: entity.key,
  DisplayName: entity.displayName,
  ParentKey: entity.parentKey,
  Depth: entity.depth,
  StructureType: presentType(entity.type),
  CustomFieldValues: presentValues(entity.type.customFields, entity.values, present),
})

export const presentValue = ([DataType, ValueText]: StoredValue) => ({ DataType, ValueText })

/** `Value` is the JSON value; a decimal's exact digits stand in `ValueText`. */
export const presentWritten = ([DataType, ValueText]: StoredValue) => ({
  $type: DataType,
  DataType,
  Value: jsonValue(DataType, ValueText),
  ValueText,
})

function jsonValue(dataType: string, text: string): string | number | boolean {
  if (dataType === 'Boolean') return text === 'true'
  return dataType === 'Integer' || dataType === 'Decimal' ? Number(text) : text
}
