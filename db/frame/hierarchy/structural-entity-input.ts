// The schema of a structural entity as clients write it, in requests and in rows of imports.
import Type from 'typebox'
import { addMember, memberNamed } from '../../../runtime/schema/canonical-names.js'
import { Key, keyText, Name } from '../../../runtime/schema/key.js'
import { InputValue, valueEntry } from '../fields/value-input.js'

const CustomFieldValuesInput = Type.Array(
  valueEntry('EntityValueWrite', Type.Union([InputValue, Type.Array(InputValue), Type.Null()])),
  { maxItems: 500 },
)

export const StructuralEntityWrite = Type.Object(
  {
    Key,
    DisplayName: Name,
    ParentKey: Type.Optional(
      Type.Union([Type.String({ maxLength: 255 }), Type.Null()], {
        nfc: true,
        description:
          'If absent or null, the entity is a root. The greatest depth is 1,000, unless the operator has configured another one.',
      }),
    ),
    StructureTypeKey: keyText(),
    CustomFieldValues: Type.Optional(CustomFieldValuesInput),
  },
  {
    $id: 'StructuralEntityWrite',
    description:
      'Also accepts an entity in the shape in which it is read: StructureType then stands for StructureTypeKey, and Depth is ignored. A PUT ' +
      'replaces the whole entity: without ParentKey it becomes a root, and without CustomFieldValues it has no values. A value of null is as if its entry were absent.',
    fromRead: (entity: Record<string, unknown>) =>
      addMember(entity, 'StructureTypeKey', memberNamed(memberNamed(entity, 'StructureType'), 'Key')),
  },
)
