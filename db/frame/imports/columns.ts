// Maps the columns of a CSV to the members and custom fields that they hold.
import type { FaultCode } from '../../../runtime/problems/fault-codes.js'
import type { Fault } from '../../../runtime/problems/problem.js'
import { storedKey } from '../../../runtime/schema/key.js'
import { comparableText } from '../fields/comparable-text.js'
import { type ImportMap, type MappedColumn, mappedColumn } from '../fields/import-map.js'

/** A column of a CSV, with the member or the key of the custom field that it holds: '' if the column is not read. */
export interface Column extends MappedColumn {
  /** Its name in the header, without blanks around it; '' if it has none. */
  column: string
}

/** What the columns of an import may hold: members and custom fields, here both called fields. */
export interface ColumnTargets {
  /** By member or key, the data types that its values may have. */
  fields: ReadonlyMap<string, readonly string[]>
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

/** The maps of columns to fields. A column that none of them mentions is taken for the field of the same name. */
export interface GivenMaps {
  /** Each `Column:FieldKey`, or `Column:` for a column that is not to be read. */
  Map?: string[]
  /** Key of a map in the manifest. {@link Map} takes precedence over it. */
  MapKey?: string
  /** The columns of an earlier import, if the rows are corrected ones of it. */
  columns?: readonly Column[]
}

/**
 * Finds out what each column of a header holds.
 * @returns the columns, and every fault of the header and the maps. Pointers are `/1/<column>`, `/query/Map/<n>` and `/query/MapKey`.
 */
export function columnsOf(
  cells: readonly string[],
  { Map: map = [], MapKey, columns: earlier = [] }: GivenMaps,
  targets: ColumnTargets,
): { columns: Column[]; faults: Fault[] } {
  const faults: Fault[] = []
  const report = (pointer: string, code: FaultCode, detail: string) => void faults.push({ pointer, code, detail })
  if (cells.length > maxColumns) {
    report('/1', 'too-many-columns', `The header has ${cells.length} columns. At most ${maxColumns} are read.`)
    return { columns: [], faults }
  }
  const header = cells.map(comparableText)
  const inHeader = new Map(header.map(name => [name, name]))
  const mapped = new Map<string, MappedColumn>()
  const isMappedYet = (column: string) => mapped.has(named(inHeader, column) ?? column)
  const mapColumn = (column: string, to: MappedColumn, at: string) => {
    const name = named(inHeader, column)
    mapped.set(name ?? column, to)
    if (name === undefined) report(at, 'missing-column', `The header has no column '${column}'.`)
    const types = to.field === '' ? [] : targets.fields.get(to.field)
    if (!types) report(at, 'unknown-custom-field', targets.unknown(to.field))
    else if (!hasForm(to, types)) report(at, 'wrong-field', wrongForm(to))
  }
  for (const [n, text] of map.entries()) {
    const at = `/query/Map/${n}`
    const colon = text.lastIndexOf(':')
    const [column, field] = [text.slice(0, colon), storedKey(text.slice(colon + 1))]
    if (colon < 1) report(at, 'wrong-format', 'Give Map=Column:FieldKey, or Map=Column: for a column that is not read.')
    else if (isMappedYet(column)) report(at, 'duplicate-column', `The column '${column}' is mapped twice.`)
    else mapColumn(column, { field }, at)
  }
  for (const { column, ...to } of earlier) {
    const n = header.indexOf(column)
    if (n >= 0 && column !== '') mapColumn(column, to, `/1/${n + 1}`)
  }
  const ofManifest = manifestMap(MapKey, targets.maps)
  if (MapKey !== undefined && !ofManifest) report('/query/MapKey', 'unknown-map', unknownMap(MapKey, targets.maps))
  for (const [column, to] of Object.entries(ofManifest?.columns ?? {}))
    if (!isMappedYet(column)) mapColumn(column, mappedColumn(to), '/query/MapKey')

  const keys = new Map([...targets.fields.keys()].map(key => [key, key]))
  const columns = header.map((name, n): Column => {
    const at = `/1/${n + 1}`
    // A column without a name is not read. A row with a value in it is refused.
    if (name === '') return { column: '', field: '' }
    if (header.indexOf(name) < n) report(at, 'duplicate-column', `The header has the column '${name}' twice.`)
    const to = mapped.get(name)
    if (to) return { column: name, ...to }
    const refused = named(refusedNames, name)
    if (refused !== undefined) return { column: refused, field: '' }
    const field = named(keys, name)
    if (field === undefined) report(at, 'unknown-column', unknownColumn(targets, name))
    return { column: name, field: field ?? name }
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

/**
 * Finds a name among others: as it is written, or else in another letter case, if there is only one such name.
 * @returns its value.
 */
function named<Value>(all: ReadonlyMap<string, Value>, name: string): Value | undefined {
  const wanted = comparableText(name)
  const exact = all.get(wanted)
  if (exact !== undefined) return exact
  const others = [...all].filter(([each]) => each.toLowerCase() === wanted.toLowerCase())
  return others.length === 1 ? others[0]?.[1] : undefined
}

/** Returns true if values of these types can be written in the form of a column. */
export const hasForm = ({ format, decimal }: MappedColumn, types: readonly string[]): boolean =>
  (format === undefined || types.every(type => type === 'Date')) &&
  (decimal === undefined || types.every(type => type === 'Number'))

/** Says which fields take the form of a column. */
export const wrongForm = ({ field, format }: MappedColumn): string =>
  format === undefined
    ? `'decimal' is for Number fields, and '${field}' is none.`
    : `'format' is for Date fields, and '${field}' is none.`

const manifestMap = (key: string | undefined, maps: readonly ImportMap[]) => maps.find(each => each.key === key)

/** Returns true if one of the maps names the column. */
export function isMapped(column: string, given: GivenMaps, { maps }: ColumnTargets): boolean {
  const names = [
    ...(given.Map ?? []).map(text => text.slice(0, text.lastIndexOf(':'))),
    ...(given.columns ?? []).map(each => each.column),
    ...Object.keys(manifestMap(given.MapKey, maps)?.columns ?? {}),
  ]
  return named(new Map(names.map(name => [comparableText(name), true])), column) ?? false
}

const unknownMap = (key: string, maps: readonly ImportMap[]): string =>
  `The manifest has no map '${key}' of imports. ${maps.length > 0 ? `It has ${maps.map(each => each.key).join(', ')}.` : 'It has none.'}`

const refusedNames = new Map(refusedColumns.map(name => [name, name]))

const unknownColumn = (targets: ColumnTargets, column: string): string =>
  `${targets.unknown(column)} Give Map=${column}:FieldKey, or Map=${column}: to leave the column out.`
