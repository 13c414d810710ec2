// The schema of a structural entity as clients write it, in requests and in rows of imports.
import Type from 'typebox'
import { addMember, memberNamed } from '../../../runtime/schema/canonical-names.js'
import { Key, Name } from '../../../runtime/schema/key.js'
import { InputValue, valueEntry } from '../fields/value-input.js'

const CustomFieldValuesInput = Type.Array(
  valueEntry('EntityValueWrite', Type.Union([InputValue, Type.Array(InputValue)])),
  { maxItems: 500 },
)

export const StructuralEntityWrite = Type.Object(
  {
    Key,
    DisplayName: Name,
    ParentKey: Type.Optional(
      Type.Union([Type.String({ maxLength: 255 }), Type.Null()], {
        description: 'Absent or null: a root. An entity is at most 1,000 deep, unless the operator says otherwise.',
      }),
    ),
    StructureTypeKey: Type.String({ maxLength: 255 }),
    CustomFieldValues: Type.Optional(CustomFieldValuesInput),
  },
  {
    $id: 'StructuralEntityWrite',
    description:
      'An entity as it is read is taken too: StructureType stands for StructureTypeKey, and Depth says nothing. A PUT says all of an ' +
      'entity: without ParentKey it becomes a root, and without CustomFieldValues it has none.',
    fromRead: (entity: Record<string, unknown>) =>
      addMember(entity, 'StructureTypeKey', memberNamed(memberNamed(entity, 'StructureType'), 'Key')),
  },
)
