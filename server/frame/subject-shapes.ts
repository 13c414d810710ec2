// Schemas of subjects in requests and responses.
import Type, { type Static } from 'typebox'
import type { SubjectField } from '../../db/frame/fields/custom-field.js'
import { heldIn, listOf, type StoredValue } from '../../db/frame/fields/custom-fields.js'
import { SubjectValuesInput } from '../../db/frame/fields/value-input.js'
import type { Subject, SubjectValues } from '../../db/frame/subjects/subjects-by-id.js'
import {
  Field,
  presentField,
  presentValue,
  presentWritten,
  StructuralEntityRead,
  SubjectPlace,
  UpdatedAt,
} from './shapes.js'

/** A list of values, either as the whole body or under one of the two names that the specification uses. */
export const SubjectPatch = Type.Union(
  [
    SubjectValuesInput,
    Type.Object({
      CustomFieldValues: Type.Optional(SubjectValuesInput),
      CustomFields: Type.Optional(SubjectValuesInput),
    }),
  ],
  { examples: [[{ Key: 'phone', Value: { String: { Value: '+33 6 39 98 00 00' } } }]] },
)

const value = Type.Object({ DataType: Type.String(), ValueText: Type.String() })

const members = {
  Id: Type.String({ format: 'uuid' }),
  ExternalId: Type.String({ format: 'uuid' }),
  UpdatedAt,
  DeactivatedAt: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only where the subject is deactivated: lists leave it out.' }),
  ),
  CustomFieldValues: Type.Array(
    Type.Object({
      Field: Type.Object({ ...Field.properties, IsArray: Type.Boolean() }, { $id: 'SubjectField' }),
      Value: Type.Union([value, Type.Array(value)]),
    }),
  ),
}

/** A subject in responses (spec frame "Subject (read)"). */
export const SubjectRead = Type.Object(members, { $id: 'Subject' })
/** A subject in a list. Its structural entities are included only on request. */
export const SubjectListed = Type.Object(
  { ...members, StructuralEntities: Type.Optional(Type.Array(SubjectPlace)) },
  { $id: 'ListedSubject' },
)
export const SubjectWithPlaces = Type.Object(
  { ...members, StructuralEntities: Type.Array(StructuralEntityRead) },
  { $id: 'SubjectWithPlaces' },
)

const writtenValue = Type.Object({
  $type: Type.String(),
  dataType: Type.String(),
  value: Type.Unknown(),
  valueText: Type.String(),
})

/** A subject in the response to an upsert. */
export const SubjectWritten = Type.Object(
  {
    internalId: Type.String({ format: 'uuid' }),
    externalId: Type.String({ format: 'uuid' }),
    outcome: Type.Enum(['created', 'updated']),
    customFieldValues: Type.Array(
      Type.Object({
        customField: Type.Object({ id: Type.String({ description: 'Key of the field.' }) }),
        value: Type.Union([writtenValue, Type.Array(writtenValue)]),
      }),
    ),
  },
  { $id: 'WrittenSubject' },
)

export const presentSubject = (fields: readonly SubjectField[], subject: Subject): Static<typeof SubjectRead> => ({
  Id: subject.id,
  ExternalId: subject.externalId,
  UpdatedAt: subject.updatedAt.toISOString(),
  ...(subject.deactivatedAt && { DeactivatedAt: subject.deactivatedAt.toISOString() }),
  CustomFieldValues: held(fields, subject, presentValue).map(({ field, value }) => ({
    Field: { ...presentField(field), IsArray: field.isArray },
    Value: value,
  })),
})

export const presentWrittenSubject = (
  fields: readonly SubjectField[],
  subject: SubjectValues,
  outcome: 'created' | 'updated',
): Static<typeof SubjectWritten> => ({
  internalId: subject.id,
  externalId: subject.externalId,
  outcome,
  customFieldValues: held(fields, subject, presentWrittenValue).map(({ field, value }) => ({
    customField: { id: field.key },
    value,
  })),
})

function presentWrittenValue(stored: StoredValue) {
  const { $type, DataType, Value, ValueText } = presentWritten(stored)
  return { $type, dataType: DataType, value: Value, valueText: ValueText }
}

/** Presents values in the order of the fields. Fields without a value are left out. */
const held = <Value>(
  fields: readonly SubjectField[],
  { values }: SubjectValues,
  present: (value: StoredValue) => Value,
): { field: SubjectField; value: Value | Value[] }[] =>
  fields.flatMap(field => {
    const stored = listOf(heldIn(values, field.key) ?? []).map(present)
    const [first] = stored
    return first === undefined ? [] : [{ field, value: field.isArray ? stored : first }]
  })
