// The columns of a CSV, and the fields of subjects that they hold.
import type { Fault } from '../../../runtime/problem.js'
import type { SubjectField } from '../subjects/custom-field.js'
import { unknownField } from '../subjects/field-forms.js'
import type { SubjectSettings } from '../subjects/subject-settings.js'

/** A column by its name in the header. */
export interface Column {
  column: string
  /** Key of its field, {@link placesColumn}, or '' for a column that is not read. */
  field: string
}

/** Holds keys of structural entities. */
export const placesColumn = 'StructuralEntityKeys'

/** Between the values of an array field, and between places, in one cell. */
export const listSeparator = '|'

/** Columns that the list of refused rows has beyond those of the upload. An import does not read them. */
export const refusedColumns = ['Refused-Row', 'Refused-Column', 'Refused-Code', 'Refused-Detail'] as const

const mostColumns = 1_000

/**
 * The columns of a header.
 * @param map `Column:FieldKey`, for columns that are not called as their field; without a key, for one that is not to be read.
 * @returns every fault of header and map, `/1/<column>` and `/query/Map/<n>`.
 */
export function columnsOf(
  header: readonly string[],
  map: readonly string[],
  { fields, matchingFields }: SubjectSettings,
): { columns: Column[]; faults: Fault[] } {
  const faults: Fault[] = []
  const report = (pointer: string, code: string, detail: string) => void faults.push({ pointer, code, detail })
  if (header.length > mostColumns) {
    report('/1', 'too-many-columns', `The header has ${header.length} columns. At most ${mostColumns} are read.`)
    return { columns: [], faults }
  }
  const isTarget = (field: string) => field === '' || field === placesColumn || fields.some(({ key }) => key === field)

  const mapped = new Map<string, string>()
  for (const [n, text] of map.entries()) {
    const at = `/query/Map/${n}`
    const colon = text.lastIndexOf(':')
    const [column, field] = [text.slice(0, colon), text.slice(colon + 1)]
    if (colon < 1) report(at, 'wrong-format', 'Give Map=Column:FieldKey, or Map=Column: for a column that is not read.')
    else if (mapped.has(column)) report(at, 'duplicate-column', `The column '${column}' is mapped twice.`)
    else {
      mapped.set(column, field)
      if (!header.includes(column)) report(at, 'missing-column', `The header has no column '${column}'.`)
      if (!isTarget(field)) report(at, 'unknown-custom-field', unknownField(fields, field))
    }
  }

  const columns = header.map((column, n): Column => {
    const at = `/1/${n + 1}`
    const field = mapped.get(column) ?? (isRefused(column) ? '' : column)
    if (header.indexOf(column) < n) report(at, 'duplicate-column', `The header has the column '${column}' twice.`)
    else if (column === '') report(at, 'unknown-column', `Column ${n + 1} has no name.`)
    else if (!mapped.has(column) && !isTarget(field)) report(at, 'unknown-column', unknownColumn(fields, column))
    return { column, field }
  })
  for (const [n, { column, field }] of columns.entries()) {
    const first = columns.findIndex(each => each.field === field)
    if (field === '' || first === n || holdsList(fields, field) || columns[first]?.column === column) continue
    const detail = `The columns '${columns[first]?.column}' and '${column}' are both for '${field}', which holds one value.`
    report(`/1/${n + 1}`, 'duplicate-column', detail)
  }
  for (const key of matchingFields) {
    if (columns.some(({ field }) => field === key)) continue
    const detail = `No column holds the matching field '${key}', which says which subject is meant. Give Map=Column:${key}.`
    report('/1', 'missing-column', detail)
  }
  return { columns, faults }
}

const isRefused = (column: string): boolean => refusedColumns.some(each => each === column)

const holdsList = (fields: readonly SubjectField[], field: string): boolean =>
  field === placesColumn || fields.some(({ key, isArray }) => key === field && isArray)

const unknownColumn = (fields: readonly SubjectField[], column: string): string =>
  `${unknownField(fields, column)} Give Map=${column}:FieldKey, or Map=${column}: to leave the column out.`
