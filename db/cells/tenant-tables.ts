// The tables that a tenant's rows are in, as the schema of a database says.
import type { Knex } from 'knex'
import type { TenantId } from '../connect.js'
import { type Cell, groupedBy } from '../rows.js'

/** Tables of a cell: they stay when a tenant moves. Every other table must have the column `tenant_id`. */
export const tablesOfCell: ReadonlySet<string> = new Set([
  // Its row moves by itself, in the moment of the switch.
  'tenants',
  'tenant_moves',
  'tenant_move_changes',
  'tenant_move_tables',
  'replica_heartbeats',
  'signing_keys',
  'worker_heartbeats',
  'rate_counts',
  'provider_queues',
  // How each process of the cell finds a provider.
  'glue_circuits',
  'schema_steps',
  'schema_steps_begun',
  'schema_steps_lock',
])

/** A move that cannot be done; the message is for operators, and names no personal data. */
export class MoveRefused extends Error {
  override readonly name = 'MoveRefused'
}

interface Column {
  name: string
  /** As `information_schema` describes it, to compare two databases. */
  type: string
  /** Values are bytes, not text. */
  isBytes: boolean
  /** Values are numbers or times. */
  isNumber: boolean
  isInteger: boolean
  /** Values may be long: a checksum stands for them. */
  isLong: boolean
}

/** A table with rows of tenants. */
export interface TenantTable {
  name: string
  /** About how many rows it has, of all tenants. */
  size: number
  /** Without the tenant's number. */
  columns: Column[]
  /** Places in {@link columns} of those of the primary key, in its order. */
  key: number[]
}

/** A row as the server sends it: the columns of its key in their order, and what a statement selects after them. */
export type RawRow = (Buffer | null)[]

interface ColumnRow {
  table_name: string
  size: number | null
  name: string
  type: string
  data_type: string
}

/**
 * All tables with rows of tenants, by name.
 * @throws MoveRefused where a table is neither a tenant's nor one of {@link tablesOfCell}.
 */
export async function tenantTables(db: Knex): Promise<TenantTable[]> {
  const [columns]: ColumnRow[][] = await db.raw(
    `SELECT c.table_name AS table_name, t.table_rows AS size, c.column_name AS name, c.column_type AS type, c.data_type AS data_type
     FROM information_schema.columns c JOIN information_schema.tables t
       ON t.table_schema = c.table_schema AND t.table_name = c.table_name AND t.table_type = 'BASE TABLE'
     WHERE c.table_schema = DATABASE() ORDER BY c.table_name, c.ordinal_position`,
  )
  const [keys]: { table_name: string; name: string }[][] = await db.raw(
    `SELECT table_name AS table_name, column_name AS name FROM information_schema.statistics
     WHERE table_schema = DATABASE() AND index_name = 'PRIMARY' ORDER BY table_name, seq_in_index`,
  )
  const keysOf = groupedBy(keys ?? [], each => each.table_name)
  const tables = groupedBy(columns ?? [], each => each.table_name)
  return [...tables]
    .filter(([name]) => !tablesOfCell.has(name))
    .map(([name, all]) => {
      const key = (keysOf.get(name) ?? []).map(each => each.name)
      if (key[0] !== 'tenant_id')
        throw new MoveRefused(
          `The table ${name} has no primary key that begins with tenant_id: a move would leave it out.`,
        )
      const own = all.filter(column => column.name !== 'tenant_id')
      return {
        name,
        size: Number(all[0]?.size ?? 0),
        columns: own.map(columnOf),
        key: key.slice(1).map(part => own.findIndex(column => column.name === part)),
      }
    })
}

/** In the order in which some at a time are over first: none of the large ones is left to the end. */
export const largestFirst = (tables: readonly TenantTable[]): TenantTable[] =>
  [...tables].sort((a, b) => b.size - a.size)

const columnOf = ({ name, type, data_type }: ColumnRow): Column => ({
  name,
  type,
  isBytes: /binary|blob/.test(data_type),
  isInteger: /int$/.test(data_type),
  isNumber: /int|decimal|float|double|date|time/.test(data_type),
  isLong: /text|blob/.test(data_type),
})

/** The key of a row after the tenant: the bytes of its columns in hexadecimal digits, with commas. Triggers write the same. */
export const keyOf = ({ key }: TenantTable, row: RawRow): string =>
  key.map((_, n) => (row[n] ?? Buffer.of()).toString('hex').toUpperCase()).join(',')

/** SQL of {@link keyOf}. @param row `NEW` or `OLD` in a trigger. */
export function keySql({ columns, key }: TenantTable, row: string): string {
  const parts = key.flatMap(place => {
    const column = columns[place]
    if (!column) return []
    const value = `${row}.${quoted(column.name)}`
    return [column.isBytes ? `HEX(${value})` : `HEX(CAST(${value} AS CHAR CHARACTER SET utf8mb4))`]
  })
  return parts.length === 0 ? "''" : `CONCAT_WS(',', ${parts.join(', ')})`
}

/** The columns of the key, each with its value in a key. */
function partsOf({ columns, key }: TenantTable, text: string): { name: string; value: Cell }[] {
  const parts = text.split(',')
  return key.flatMap((place, n) => {
    const column = columns[place]
    return column ? [{ name: column.name, value: cellOf(column, Buffer.from(parts[n] ?? '', 'hex')) }] : []
  })
}

/** A value of a key as a statement takes it: its bytes, or its text. */
const cellOf = ({ isBytes }: Column, value: Buffer): Cell => (isBytes ? value : value.toString('utf8'))

/** A condition of SQL with its values. */
export interface Condition {
  sql: string
  values: Cell[]
}

/** Rows of a tenant with these keys. Several columns are spelled out, because the servers use no index for `(a, b) IN (…)`. */
export function withKeys(table: TenantTable, tenant: TenantId, keys: readonly string[]): Condition {
  const parts = keys.map(key => partsOf(table, key))
  const [[first, ...others] = []] = parts
  if (first && others.length === 0) {
    const values = parts.flat().map(({ value }) => value)
    return {
      sql: `tenant_id = ? AND ${quoted(first.name)} IN (${values.map(() => '?').join(', ')})`,
      values: [tenant, ...values],
    }
  }
  if (!first) return { sql: 'tenant_id = ?', values: [tenant] }
  const one = (names: { name: string }[]) => `(${names.map(({ name }) => `${quoted(name)} = ?`).join(' AND ')})`
  return {
    sql: `tenant_id = ? AND (${parts.map(one).join(' OR ')})`,
    values: [tenant, ...parts.flat().map(({ value }) => value)],
  }
}

/**
 * Rows of a tenant after a key, and up to another one. Spelled out, because the servers use no index range for
 * `(a, b) > (x, y)`.
 */
export function between(
  table: TenantTable,
  tenant: TenantId,
  after: string | undefined,
  upTo: string | undefined,
): Condition {
  const bounds = [
    ...(after === undefined ? [] : [bound(partsOf(table, after), '>', '')]),
    ...(upTo === undefined ? [] : [bound(partsOf(table, upTo), '<', '=')]),
  ]
  return {
    sql: ['tenant_id = ?', ...bounds.map(({ sql }) => sql)].join(' AND '),
    values: [tenant, ...bounds.flatMap(({ values }) => values)],
  }
}

function bound([first, ...others]: { name: string; value: Cell }[], sign: '<' | '>', itself: '' | '='): Condition {
  // The one row of a tenant.
  if (!first) return { sql: itself ? '1 = 1' : '1 = 0', values: [] }
  const name = quoted(first.name)
  if (others.length === 0) return { sql: `${name} ${sign}${itself} ?`, values: [first.value] }
  const rest = bound(others, sign, itself)
  return {
    sql: `(${name} ${sign} ? OR (${name} = ? AND ${rest.sql}))`,
    values: [first.value, first.value, ...rest.values],
  }
}

const quoted = (name: string): string => `\`${name}\``

/** Names as a list of SQL. */
const quotedList = (names: readonly string[]): string => names.map(quoted).join(', ')

const keyNames = ({ columns, key }: TenantTable): string[] => key.flatMap(place => columns[place]?.name ?? [])

/** The list of a SELECT for a {@link RawRow}: the columns of its key, then others. */
export const selected = (table: TenantTable, ...others: string[]): string =>
  [...keyNames(table).map(quoted), ...others].join(', ') || 'NULL'

/** The columns of the primary key, for an order. */
export const orderOf = (table: TenantTable): string => quotedList(['tenant_id', ...keyNames(table)])

/** The columns in the order of {@link literalSql}. */
export const columnsOf = ({ columns }: TenantTable): string[] => ['tenant_id', ...columns.map(({ name }) => name)]

/** Tables whose rows name a file in the column `storage`. */
export const tablesOfFiles: readonly string[] = ['record_items', 'import_files']

/**
 * SQL of a value of a row that moves. Objects in S3 keep their names, which begin with the number of the tenant. From the
 * first move on its rows say which number that was.
 */
const movedValue = (table: TenantTable, { name }: Column): string =>
  name === 'storage' && tablesOfFiles.includes(table.name)
    ? "IF(`storage` = 's3', CONCAT('s3/', tenant_id), `storage`)"
    : quoted(name)

/**
 * SQL of the values of a row, as a statement that writes it again has them. The server makes the text, which costs this process
 * more. Equal values have equal texts. Null beyond `max_allowed_packet`.
 */
export function literalSql(table: TenantTable): string {
  const values = table.columns.map(column => {
    const { isBytes, isInteger } = column
    const value = movedValue(table, column)
    if (isInteger) return `IFNULL(${value}, 'NULL')`
    if (isBytes) return `IFNULL(CONCAT('X''', HEX(${value}), ''''), 'NULL')`
    // As bytes, so that texts of several character sets stand side by side.
    return `CAST(CONVERT(QUOTE(${value}) USING utf8mb4) AS BINARY)`
  })
  return values.length === 0 ? "''" : `CONCAT_WS(',', ${values.join(', ')})`
}

/**
 * SQL of the checksum of a row, which is the same on every server for the same values. MySQL has no SHA1 without a component
 * since 9.6.
 */
export function checksumSql(table: TenantTable): string {
  const values = table.columns.map(column => {
    const { isNumber, isLong } = column
    const value = movedValue(table, column)
    // In digits, so that texts of several character sets stand side by side.
    return `IFNULL(${isLong ? `SHA2(${value}, 256)` : isNumber ? value : `HEX(${value})`}, '-')`
  })
  return values.length === 0 ? "''" : `SHA2(CONCAT_WS(',', ${values.join(', ')}), 256)`
}
