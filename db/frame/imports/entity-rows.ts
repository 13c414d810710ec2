// Reads the rows of an upload as structural entities to upsert.
import type { Fault } from '../../../runtime/problems/problem.js'
import { partsOf } from '../../../runtime/schema/check.js'
import { storedKey } from '../../../runtime/schema/key.js'
import { memberOf } from '../../../runtime/schema/member-of.js'
import type { GivenValue } from '../fields/custom-field.js'
import type { EntitySettings } from '../fields/entity-settings.js'
import { explainValues } from '../fields/field-faults.js'
import { unknownField } from '../fields/field-forms.js'
import { StructuralEntityWrite } from '../hierarchy/structural-entity-input.js'
import type { StructureType } from '../hierarchy/structure-types.js'
import type { Column, ColumnTargets } from './columns.js'
import { type Converted, type ItemReader, readCell } from './rows.js'

/** The members of an entity that need a column, each with its meaning. */
const members = new Map([
  ['Key', 'the Key, which says which entity is meant'],
  ['DisplayName', 'the DisplayName'],
  ['ParentKey', 'the ParentKey; an empty cell means a root'],
  ['StructureTypeKey', 'the StructureTypeKey'],
])

/** Returns what the columns of an import may hold: the members of entities, and the custom fields of all types. */
export function entityColumns(types: readonly StructureType[], { importMaps = [] }: EntitySettings): ColumnTargets {
  const fields = new Map<string, string[]>([...members.keys()].map(key => [key, ['Text']]))
  for (const { key, typeKey } of types.flatMap(({ customFields }) => customFields))
    fields.set(key, [...(fields.get(key) ?? []), typeKey])
  return {
    fields,
    isList: () => false,
    required: [...members].map(([field, meaning]) => ({ field, meaning })),
    unknown: field =>
      unknownField(
        [...fields.keys()].map(key => ({ key })),
        field,
      ),
    maps: importMaps,
  }
}

/** Returns the keys of the custom fields that have a column. */
export const fieldsWithColumn = (columns: readonly Column[]): Set<string> =>
  new Set(columns.map(({ field }) => field).filter(field => !members.has(field)))

const check = partsOf(StructuralEntityWrite)

/** Creates the reader of rows as structural entities. @param types all structure types, by key. */
export const entityReader = (types: ReadonlyMap<string, StructureType>): ItemReader => ({
  check,
  example: '{"Key":"ward-1","DisplayName":"Ward 1","StructureTypeKey":"ward"}',
  converter: columns => converter(columns, types),
  explain: (faults, value) => explainValues(faults, [value], item => types.get(typeKeyOf(item))?.customFields),
  standIn: { DisplayName: '' },
})

const typeKeyOf = (value: unknown): string => {
  const key = memberOf(value, 'StructureTypeKey')
  return typeof key === 'string' ? key : ''
}

/**
 * Creates a function that turns the cells of a row into an entity. An empty cell means no parent, or no value of the field. The type
 * that the row states decides of which kind each field is.
 */
function converter(
  columns: readonly Column[],
  types: ReadonlyMap<string, StructureType>,
): (cells: readonly string[]) => Converted {
  const at = new Map(columns.map(({ field }, n) => [field, n]))
  const fields = [...at].filter(([field]) => field !== '' && !members.has(field))
  const nameOf = (n: number | undefined) => columns[n ?? -1]?.column ?? ''
  return cells => {
    const cell = (field: string) => cells[at.get(field) ?? -1] ?? ''
    const typeKey = storedKey(cell('StructureTypeKey'))
    const type = types.get(typeKey)
    const given: number[] = []
    const values: GivenValue[] = []
    const faults: Fault[] = []
    for (const [Key, n] of fields) {
      const text = cells[n] ?? ''
      // Without a known type it is not clear how to read the text.
      if (text === '' || !type) continue
      given.push(n)
      const field = type.customFields.find(({ key }) => key === Key)
      const read = readCell(field ?? { typeKey: 'Text' }, text, columns[n])
      if ('code' in read) faults.push({ ...read, pointer: `/CustomFieldValues/${values.length}` })
      values.push({ Key, Value: 'code' in read ? null : read })
    }
    const columnOf = (pointer: string): string => {
      const [, member = '', entry] = pointer.split('/')
      if (member !== 'CustomFieldValues') return nameOf(at.get(member))
      return entry === undefined ? '' : nameOf(given[Number(entry)])
    }
    const parent = storedKey(cell('ParentKey'))
    return {
      given: {
        Key: storedKey(cell('Key')),
        DisplayName: cell('DisplayName'),
        ParentKey: parent === '' ? null : parent,
        StructureTypeKey: typeKey,
        CustomFieldValues: values,
      },
      faults,
      columnOf,
    }
  }
}
