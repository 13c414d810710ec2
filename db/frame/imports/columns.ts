// The columns of a CSV, and the fields of subjects that they hold.
import type { Fault } from '../../../runtime/problem.js'
import type { SubjectField } from '../subjects/custom-field.js'
import { unknownField } from '../subjects/field-forms.js'
import type { ImportMap, SubjectSettings } from '../subjects/subject-settings.js'

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

/** Maps of columns that are not called as their field, as a request names them. */
export interface GivenMaps {
  /** `Column:FieldKey`; without a key, for a column that is not to be read. */
  Map?: string[]
  /** Key of a map in the manifest. {@link Map} counts more. */
  MapKey?: string
}

/**
 * The columns of a header.
 * @returns every fault of header and maps, `/1/<column>`, `/query/Map/<n>` and `/query/MapKey`.
 */
export function columnsOf(
  header: readonly string[],
  { Map: map = [], MapKey }: GivenMaps,
  { fields, matchingFields, importMaps = [] }: SubjectSettings,
): { columns: Column[]; faults: Fault[] } {
  const faults: Fault[] = []
  const report = (pointer: string, code: string, detail: string) => void faults.push({ pointer, code, detail })
  if (header.length > mostColumns) {
    report('/1', 'too-many-columns', `The header has ${header.length} columns. At most ${mostColumns} are read.`)
    return { columns: [], faults }
  }
  const isTarget = (field: string) => isColumnTarget(field, fields)

  const mapped = new Map<string, string>()
  const take = (column: string, field: string, at: string) => {
    mapped.set(column, field)
    if (!header.includes(column)) report(at, 'missing-column', `The header has no column '${column}'.`)
    if (!isTarget(field)) report(at, 'unknown-custom-field', unknownField(fields, field))
  }
  for (const [n, text] of map.entries()) {
    const at = `/query/Map/${n}`
    const colon = text.lastIndexOf(':')
    const [column, field] = [text.slice(0, colon), text.slice(colon + 1)]
    if (colon < 1) report(at, 'wrong-format', 'Give Map=Column:FieldKey, or Map=Column: for a column that is not read.')
    else if (mapped.has(column)) report(at, 'duplicate-column', `The column '${column}' is mapped twice.`)
    else take(column, field, at)
  }
  const kept = keptMap(MapKey, importMaps)
  if (MapKey !== undefined && !kept) report('/query/MapKey', 'unknown-map', unknownMap(MapKey, importMaps))
  for (const [column, field] of Object.entries(kept?.columns ?? {}))
    if (!mapped.has(column)) take(column, field, '/query/MapKey')

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

const keptMap = (key: string | undefined, maps: readonly ImportMap[] = []) => maps.find(each => each.key === key)

/** True where a map names the column. */
export const isMapped = (
  column: string,
  { Map: map = [], MapKey }: GivenMaps,
  { importMaps }: SubjectSettings,
): boolean =>
  map.some(each => each.startsWith(`${column}:`)) || Object.hasOwn(keptMap(MapKey, importMaps)?.columns ?? {}, column)

/** True for the field that a column may hold: one of subjects, {@link placesColumn}, or '' for none. */
export const isColumnTarget = (field: string, fields: readonly SubjectField[]): boolean =>
  field === '' || field === placesColumn || fields.some(({ key }) => key === field)

const unknownMap = (key: string, maps: readonly ImportMap[]): string =>
  `The manifest has no map '${key}' of imports. ${maps.length > 0 ? `It has ${maps.map(each => each.key).join(', ')}.` : 'It has none.'}`

const isRefused = (column: string): boolean => refusedColumns.some(each => each === column)

const holdsList = (fields: readonly SubjectField[], field: string): boolean =>
  field === placesColumn || fields.some(({ key, isArray }) => key === field && isArray)

const unknownColumn = (fields: readonly SubjectField[], column: string): string =>
  `${unknownField(fields, column)} Give Map=${column}:FieldKey, or Map=${column}: to leave the column out.`
