// The columns of a CSV, and the members and fields that they hold.
import type { FaultCode } from '../../../runtime/fault-codes.js'
import type { Fault } from '../../../runtime/problem.js'

/** A column by its name in the header. */
export interface Column {
  column: string
  /** Name of the member or key of the field that it holds, or '' for a column that is not read. */
  field: string
}

/** A map of the columns of a CSV, kept for imports. */
export interface ImportMap {
  key: string
  /** By column the field, or '' for a column that is not read. */
  columns: Record<string, string>
}

/** The fields that the columns of an import may hold. */
export interface ColumnTargets {
  has(field: string): boolean
  /** It holds several values, in one column or in several. */
  isList(field: string): boolean
  /** Fields that need a column, each with its meaning: `the matching field 'nationalId', which says which subject is meant`. */
  required: readonly { field: string; meaning: string }[]
  /** The sentence for a field that is not there. */
  unknown(field: string): string
  /** Maps of the manifest. */
  maps: readonly ImportMap[]
}

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
  targets: ColumnTargets,
): { columns: Column[]; faults: Fault[] } {
  const faults: Fault[] = []
  const report = (pointer: string, code: FaultCode, detail: string) => void faults.push({ pointer, code, detail })
  if (header.length > mostColumns) {
    report('/1', 'too-many-columns', `The header has ${header.length} columns. At most ${mostColumns} are read.`)
    return { columns: [], faults }
  }
  const isTarget = (field: string) => field === '' || targets.has(field)

  const mapped = new Map<string, string>()
  const take = (column: string, field: string, at: string) => {
    mapped.set(column, field)
    if (!header.includes(column)) report(at, 'missing-column', `The header has no column '${column}'.`)
    if (!isTarget(field)) report(at, 'unknown-custom-field', targets.unknown(field))
  }
  for (const [n, text] of map.entries()) {
    const at = `/query/Map/${n}`
    const colon = text.lastIndexOf(':')
    const [column, field] = [text.slice(0, colon), text.slice(colon + 1)]
    if (colon < 1) report(at, 'wrong-format', 'Give Map=Column:FieldKey, or Map=Column: for a column that is not read.')
    else if (mapped.has(column)) report(at, 'duplicate-column', `The column '${column}' is mapped twice.`)
    else take(column, field, at)
  }
  const kept = keptMap(MapKey, targets.maps)
  if (MapKey !== undefined && !kept) report('/query/MapKey', 'unknown-map', unknownMap(MapKey, targets.maps))
  for (const [column, field] of Object.entries(kept?.columns ?? {}))
    if (!mapped.has(column)) take(column, field, '/query/MapKey')

  const columns = header.map((column, n): Column => {
    const at = `/1/${n + 1}`
    const field = mapped.get(column) ?? (isRefused(column) ? '' : column)
    if (header.indexOf(column) < n) report(at, 'duplicate-column', `The header has the column '${column}' twice.`)
    else if (column === '') report(at, 'unknown-column', `Column ${n + 1} has no name.`)
    else if (!mapped.has(column) && !isTarget(field)) report(at, 'unknown-column', unknownColumn(targets, column))
    return { column, field }
  })
  for (const [n, { column, field }] of columns.entries()) {
    const first = columns.findIndex(each => each.field === field)
    if (field === '' || first === n || targets.isList(field) || columns[first]?.column === column) continue
    const detail = `The columns '${columns[first]?.column}' and '${column}' are both for '${field}', which holds one value.`
    report(`/1/${n + 1}`, 'duplicate-column', detail)
  }
  for (const { field, meaning } of targets.required) {
    if (columns.some(each => each.field === field)) continue
    report('/1', 'missing-column', `No column holds ${meaning}. Give Map=Column:${field}.`)
  }
  return { columns, faults }
}

const keptMap = (key: string | undefined, maps: readonly ImportMap[]) => maps.find(each => each.key === key)

/** True where a map names the column. */
export const isMapped = (column: string, { Map: map = [], MapKey }: GivenMaps, { maps }: ColumnTargets): boolean =>
  map.some(each => each.startsWith(`${column}:`)) || Object.hasOwn(keptMap(MapKey, maps)?.columns ?? {}, column)

const unknownMap = (key: string, maps: readonly ImportMap[]): string =>
  `The manifest has no map '${key}' of imports. ${maps.length > 0 ? `It has ${maps.map(each => each.key).join(', ')}.` : 'It has none.'}`

const isRefused = (column: string): boolean => refusedColumns.some(each => each === column)

const unknownColumn = (targets: ColumnTargets, column: string): string =>
  `${targets.unknown(column)} Give Map=${column}:FieldKey, or Map=${column}: to leave the column out.`
