// The tables that have rows of tenants, as the database describes them, and the rows of one tenant in them.
import type { Knex } from 'knex'
import type { Db, TenantId } from '../connect.js'
import { type Bound, whereBeyond } from '../paging.js'
import type { Cell } from '../rows.js'

/** A column of such a table. Generated columns and the tenant are left out. */
interface Column {
  name: string
  type: 'text' | 'bytes' | 'time'
}

/** A table with rows of tenants. */
export interface TenantTable {
  name: string
  columns: Column[]
  /** The columns of its primary key after the tenant, in their order. */
  key: { column: string; sign: '>' | '<' }[]
  /** Whether its rows hold up to some MB. */
  isLarge: boolean
}

/** The tables whose rows may have a file outside of the database, and the kind of these files. */
export const tablesWithFiles = { record_items: 'record', import_files: 'import' } as const

/** Returns how many rows of a table a program may hold in memory, to read or to write them at once. */
export const rowsAtOnce = ({ isLarge }: Pick<TenantTable, 'isLarge'>): number => (isLarge ? 10 : 500)

/**
 * Selects from a table of information_schema what it says of the schema that has the table `tenants`. On Vitess that is another one than
 * the statements name, which VTGate finds by the name of the table.
 */
const besideTenants = (table: 'columns' | 'statistics'): string =>
  `FROM information_schema.${table} s, information_schema.tables t
   WHERE t.table_schema = DATABASE() AND t.table_name = 'tenants' AND s.table_schema = DATABASE()`

/** Returns the tables that have rows of tenants, in the order of their names. */
export async function tenantTables(db: Db): Promise<TenantTable[]> {
  const [columns]: { table: string; name: string; type: string; extra: string }[][] = await db.raw(
    `SELECT s.table_name AS \`table\`, s.column_name AS name, s.data_type AS type, s.extra AS extra
     ${besideTenants('columns')} ORDER BY s.table_name, s.ordinal_position`,
  )
  const [keys]: { table: string; name: string; direction: string | null }[][] = await db.raw(
    `SELECT s.table_name AS \`table\`, s.column_name AS name, s.collation AS direction
     ${besideTenants('statistics')} AND s.index_name = 'PRIMARY' ORDER BY s.table_name, s.seq_in_index`,
  )
  const byTable = [...Map.groupBy(columns ?? [], ({ table }) => table)]
  const ofTenants = byTable.filter(([, all]) => all.some(({ name }) => name === 'tenant_id'))
  return ofTenants.map(([name, all]) => ({
    name,
    columns: all
      .filter(column => column.name !== 'tenant_id' && !/GENERATED/i.test(column.extra))
      .map(column => ({ name: column.name, type: typeOf(column.type) })),
    key: (keys ?? [])
      .filter(each => each.table === name && each.name !== 'tenant_id')
      .map(each => ({ column: each.name, sign: each.direction === 'D' ? ('<' as const) : ('>' as const) })),
    isLarge: all.some(({ type }) => /mediumblob|longblob/i.test(type)),
  }))
}

const typeOf = (type: string): Column['type'] =>
  /blob|binary/i.test(type) ? 'bytes' : /datetime/i.test(type) ? 'time' : 'text'

/** A row by the names of its columns. */
export type Row = Record<string, Cell>

/** Turns a cell of an archive into what the database stores. Bytes are base64 there, times ISO 8601. */
export function readCell({ columns }: TenantTable, name: string, cell: string | number | null): Cell {
  const type = columns.find(column => column.name === name)?.type
  if (typeof cell !== 'string' || type === 'text') return cell
  return type === 'bytes' ? Buffer.from(cell, 'base64') : new Date(cell)
}

/** Reads the rows of a tenant in a table, in the order of its key. */
export async function* rowsToArchive(db: Knex, tenant: TenantId, table: TenantTable): AsyncGenerator<Row> {
  const limit = rowsAtOnce(table)
  for (let last: Row | undefined; ; ) {
    const page = db(table.name)
      .where({ tenant_id: tenant })
      .orderBy(table.key.map(({ column, sign }) => ({ column, order: sign === '<' ? 'desc' : 'asc' })))
      .limit(limit)
      .select(table.columns.map(({ name }) => name))
    const after = last
    if (after) whereBeyond(page, ...table.key.map(({ column, sign }): Bound => [column, sign, after[column] ?? null]))
    const rows: Row[] = await page
    yield* rows
    last = rows.at(-1)
    if (rows.length < limit) return
  }
}
