// Maps the columns of a CSV to the members and custom fields that they hold.
import type { FaultCode } from '../../../runtime/problems/fault-codes.js'
import type { Fault } from '../../../runtime/problems/problem.js'
import type { ImportMap } from '../fields/import-map.js'

/** A column of a CSV. */
export interface Column {
  /** Its name in the header. */
  column: string
  /** The member, or the key of the custom field, that it holds; '' if the column is not read. */
  field: string
}

/** What the columns of an import may hold: members and custom fields, here both called fields. */
export interface ColumnTargets {
  has(field: string): boolean
  /** Returns true if the field may hold several values, in one column or in several. */
  isList(field: string): boolean
  /** Fields that need a column, each with its meaning: `the matching field 'nationalId', which says which subject is meant`. */
  required: readonly { field: string; meaning: string }[]
  /** Says that there is no such field. */
  unknown(field: string): string
  /** The maps of the manifest. */
  maps: readonly ImportMap[]
}

/** The columns that the list of refused rows has in addition to those of the upload. An import ignores them. */
export const refusedColumns = ['Refused-Row', 'Refused-Column', 'Refused-Code', 'Refused-Detail'] as const

const maxColumns = 1_000

/** The query parameters that map columns to fields. A column that none of them mentions is taken for the field of the same name. */
export interface GivenMaps {
  /** Each `Column:FieldKey`, or `Column:` for a column that is not to be read. */
  Map?: string[]
  /** Key of a map in the manifest. {@link Map} takes precedence over it. */
  MapKey?: string
}

/**
 * Finds out what each column of a header holds.
 * @returns the columns, and every fault of the header and the maps. Pointers are `/1/<column>`, `/query/Map/<n>` and `/query/MapKey`.
 */
export function columnsOf(
  header: readonly string[],
  { Map: map = [], MapKey }: GivenMaps,
  targets: ColumnTargets,
): { columns: Column[]; faults: Fault[] } {
  const faults: Fault[] = []
  const report = (pointer: string, code: FaultCode, detail: string) => void faults.push({ pointer, code, detail })
  if (header.length > maxColumns) {
    report('/1', 'too-many-columns', `The header has ${header.length} columns. At most ${maxColumns} are read.`)
    return { columns: [], faults }
  }
  const isTarget = (field: string) => field === '' || targets.has(field)

  const mapped = new Map<string, string>()
  const mapColumn = (column: string, field: string, at: string) => {
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
    else mapColumn(column, field, at)
  }
  const ofManifest = manifestMap(MapKey, targets.maps)
  if (MapKey !== undefined && !ofManifest) report('/query/MapKey', 'unknown-map', unknownMap(MapKey, targets.maps))
  for (const [column, field] of Object.entries(ofManifest?.columns ?? {}))
    if (!mapped.has(column)) mapColumn(column, field, '/query/MapKey')

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

const manifestMap = (key: string | undefined, maps: readonly ImportMap[]) => maps.find(each => each.key === key)

/** Returns true if one of the maps names the column. */
export const isMapped = (column: string, { Map: map = [], MapKey }: GivenMaps, { maps }: ColumnTargets): boolean =>
  map.some(each => each.startsWith(`${column}:`)) || Object.hasOwn(manifestMap(MapKey, maps)?.columns ?? {}, column)

const unknownMap = (key: string, maps: readonly ImportMap[]): string =>
  `The manifest has no map '${key}' of imports. ${maps.length > 0 ? `It has ${maps.map(each => each.key).join(', ')}.` : 'It has none.'}`

const isRefused = (column: string): boolean => refusedColumns.some(each => each === column)

const unknownColumn = (targets: ColumnTargets, column: string): string =>
  `${targets.unknown(column)} Give Map=${column}:FieldKey, or Map=${column}: to leave the column out.`
