// Reads the rows of an upload as subjects to upsert.
import { partsOf } from '../../../runtime/schema/check.js'
import type { GivenValue, SubjectField } from '../fields/custom-field.js'
import { explainValues } from '../fields/field-faults.js'
import { unknownField } from '../fields/field-forms.js'
import type { SubjectSettings } from '../fields/subject-settings.js'
import { SubjectWrite } from '../fields/value-input.js'
import type { Column, ColumnTargets } from './columns.js'
import { type Converted, type ItemReader, inputValue } from './rows.js'

/** The name of the column for the keys of structural entities. */
const placesColumn = 'StructuralEntityKeys'

/** Separates the values of an array field, or several places, in one cell. */
const listSeparator = '|'

/** Returns true for what a column may hold: a field of subjects, {@link placesColumn}, or '' for nothing. */
export const isColumnTarget = (field: string, fields: readonly SubjectField[]): boolean =>
  field === '' || field === placesColumn || fields.some(({ key }) => key === field)

/** Returns what the columns of an import may hold: the fields of subjects, and their places. */
export const subjectColumns = ({ fields, matchingFields, importMaps = [] }: SubjectSettings): ColumnTargets => ({
  has: field => isColumnTarget(field, fields),
  isList: field => field === placesColumn || fields.some(({ key, isArray }) => key === field && isArray),
  required: matchingFields.map(field => ({
    field,
    meaning: `the matching field '${field}', which says which subject is meant`,
  })),
  unknown: field => unknownField(fields, field),
  maps: importMaps,
})

const check = partsOf(SubjectWrite)

/** Creates the reader of rows as subjects. */
export const subjectReader = (fields: readonly SubjectField[]): ItemReader => ({
  check,
  example: '{"CustomFieldValues":[…]}',
  converter: columns => converter(columns, fields),
  explain: (faults, value) => explainValues(faults, [value], () => fields),
  standIn: {},
})

/** Creates a function that turns the cells of a row into a subject. An empty cell means no value. */
function converter(
  columns: readonly Column[],
  fields: readonly SubjectField[],
): (cells: readonly string[]) => Converted {
  const byField = new Map<string, { field: SubjectField; cells: number[] }>()
  const places: number[] = []
  for (const [n, { field: key }] of columns.entries()) {
    const field = fields.find(each => each.key === key)
    if (key === placesColumn) places.push(n)
    else if (field) byField.set(key, { field, cells: [...(byField.get(key)?.cells ?? []), n] })
    // The field existed when the import was accepted. It is passed on, so that planning the subject reports that it is gone.
    else if (key !== '') byField.set(key, { field: { ...unknown, key }, cells: [n] })
  }
  const entries = [...byField.values()]
  const name = (cells: readonly number[] | undefined) => columns[cells?.[0] ?? -1]?.column ?? ''
  const columnOf = (pointer: string): string => {
    const [, member, entry] = pointer.split('/')
    if (member === 'StructuralEntityKeys') return name(places)
    return entry === undefined ? '' : name(entries[Number(entry)]?.cells)
  }
  return cells => {
    const listed = (at: readonly number[]) => at.flatMap(n => (cells[n] ?? '').split(listSeparator).filter(Boolean))
    const values = entries.map(({ field, cells: at }): GivenValue => {
      const texts = field.isArray ? listed(at) : [cells[at[0] ?? -1] ?? ''].filter(Boolean)
      const given = texts.map(text => inputValue(field, text))
      return { Key: field.key, Value: field.isArray && given.length > 0 ? given : (given[0] ?? null) }
    })
    const given = { CustomFieldValues: values, ...(places.length > 0 ? { StructuralEntityKeys: listed(places) } : {}) }
    return { given, columnOf }
  }
}

const unknown: SubjectField = { key: '', name: '', typeKey: 'Text', required: false, isArray: false }
