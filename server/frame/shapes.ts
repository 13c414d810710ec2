// Schemas that several frame endpoints share.
import Type, { type Static } from 'typebox'
import type { CustomField } from '../../db/frame/fields/custom-field.js'
import { heldIn, listOf, type StoredValue, type StoredValues } from '../../db/frame/fields/custom-fields.js'
import type { Place, StructuralEntity } from '../../db/frame/hierarchy/structural-entities.js'
import type { StructureType } from '../../db/frame/hierarchy/structure-types.js'
import { Guid } from '../schema/guid.js'

/** Path parameters of everything that belongs to a subject. The id is a GUID (spec frame "Subject (read)"). */
export const SubjectPath = Type.Object({ subjectId: Guid })

/** A custom field in responses. */
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

/** When something was last written. */
export const UpdatedAt = Type.String({
  format: 'date-time',
  description:
    'When it was last written, in UTC, by the clock of the database. Assigning subjects to entities, as transfers do, is no write of either.',
})

const placeMembers = {
  Key: Type.String(),
  DisplayName: Type.String(),
  ParentKey: Type.Union([Type.String(), Type.Null()]),
  Depth: Type.Integer({ description: 'A root is 1.' }),
  UpdatedAt,
}

const entity = <Value extends Type.TSchema>(name: string, read: Value) =>
  Type.Object(
    {
      ...placeMembers,
      StructureType: StructureTypeRead,
      CustomFieldValues: Type.Array(Type.Object({ Field, Value: read })),
    },
    { $id: name },
  )

export const StructuralEntityRead = entity('StructuralEntity', value)
/** An entity in the response to an upsert, where values have more members than in other responses. */
export const StructuralEntityWritten = entity('WrittenStructuralEntity', writtenValue)

const shown = StructuralEntityRead.properties
/** An entity in a list. Its counts are included only on request. */
export const StructuralEntityListed = Type.Object(
  {
    ...shown,
    Counts: Type.Optional(
      Type.Object(
        {
          Children: Type.Integer({ description: 'Entities directly below it.' }),
          Subjects: Type.Integer({ description: 'Subjects assigned to it itself, deactivated ones too.' }),
        },
        { description: 'Only with Include=Counts.' },
      ),
    ),
  },
  { $id: 'ListedStructuralEntity' },
)
/** An entity as a list of subjects shows it. */
export const SubjectPlace = Type.Object(
  {
    ...placeMembers,
    StructureType: Type.Optional(shown.StructureType),
    CustomFieldValues: Type.Optional(shown.CustomFieldValues),
  },
  {
    $id: 'SubjectPlace',
    description:
      'An entity of a listed subject. Where all of a subject have over 4 MB of values and fields together, none of them has StructureType and CustomFieldValues: getSubject shows them.',
  },
)

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

/** Presents values in the order of the fields. Fields without a value are left out. */
const presentValues = <Value>(
  fields: readonly CustomField[],
  values: StoredValues,
  present: (value: StoredValue) => Value,
) =>
  fields.flatMap(field => {
    const [stored] = listOf(heldIn(values, field.key) ?? [])
    return stored ? [{ Field: presentField(field), Value: present(stored) }] : []
  })

const presentBrief = (place: Place) => ({
  Key: place.key,
  DisplayName: place.displayName,
  ParentKey: place.parentKey,
  Depth: place.depth,
  UpdatedAt: place.updatedAt.toISOString(),
})

export const presentRead = (entity: StructuralEntity): Static<typeof StructuralEntityRead> =>
  presentEntity(entity, presentValue)

export const presentPlace = ({ type, values, ...place }: Place): Static<typeof SubjectPlace> =>
  type && values ? presentRead({ ...place, type, values }) : presentBrief(place)

export const presentEntity = <Value>(entity: StructuralEntity, present: (value: StoredValue) => Value) => ({
  ...presentBrief(entity),
  StructureType: presentType(entity.type),
  CustomFieldValues: presentValues(entity.type.customFields, entity.values, present),
})

export const presentValue = ([DataType, ValueText]: StoredValue) => ({ DataType, ValueText })

/** Presents a value in the response to an upsert. JSON numbers may round a decimal; `ValueText` has its exact digits. */
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
