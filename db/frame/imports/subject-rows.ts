// Reads the rows of an upload as subjects to upsert.
import type { Fault } from '../../../runtime/problems/problem.js'
import { partsOf } from '../../../runtime/schema/check.js'
import { storedKey } from '../../../runtime/schema/key.js'
import type { GivenValue, SubjectField } from '../fields/custom-field.js'
import { explainValues } from '../fields/field-faults.js'
import { unknownField } from '../fields/field-forms.js'
import type { SubjectSettings } from '../fields/subject-settings.js'
import { SubjectWrite } from '../fields/value-input.js'
import type { Column, ColumnTargets } from './columns.js'
import { type Converted, type ItemReader, readCell } from './rows.js'

/** The name of the column for the keys of structural entities. */
const placesColumn = 'StructuralEntityKeys'

/** Separates the values of an array field, or several places, in one cell. */
const listSeparator = '|'

/** Returns what a column may hold, with the data types of its values: a field of subjects, or {@link placesColumn}. */
export const subjectTargets = (fields: readonly SubjectField[]): ReadonlyMap<string, readonly string[]> =>
  new Map([[placesColumn, ['Text']], ...fields.map(({ key, typeKey }): [string, string[]] => [key, [typeKey]])])

/** Returns what the columns of an import may hold: the fields of subjects, and their places. */
export const subjectColumns = ({ fields, matchingFields, importMaps = [] }: SubjectSettings): ColumnTargets => ({
  fields: subjectTargets(fields),
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
    const faults: Fault[] = []
    const values = entries.map(({ field, cells: at }, n): GivenValue => {
      const read = at.flatMap(cell => {
        const texts = field.isArray ? listed([cell]) : [cells[cell] ?? ''].filter(Boolean)
        return texts.map(text => readCell(field, text, columns[cell]))
      })
      const wrong = read.find(each => 'code' in each)
      if (wrong && 'code' in wrong) faults.push({ ...wrong, pointer: `/CustomFieldValues/${n}` })
      const given = read.flatMap(each => ('code' in each ? [] : [each]))
      const isNone = wrong !== undefined || given.length === 0
      return { Key: field.key, Value: isNone ? null : field.isArray ? given : (given[0] ?? null) }
    })
    const given = {
      CustomFieldValues: values,
      ...(places.length > 0 ? { StructuralEntityKeys: listed(places).map(storedKey) } : {}),
    }
    return { given, faults, columnOf }
  }
}

const unknown: SubjectField = { key: '', name: '', typeKey: 'Text', required: false, isArray: false }
