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

/** Returns how many rows of a table a program may hold in memory, to read or to write them at once. */
export const rowsAtOnce = ({ isLarge }: Pick<TenantTable, 'isLarge'>): number => (isLarge ? 10 : 500)

/** Returns the tables that have rows of tenants, in the order of their names. */
export async function tenantTables(db: Db): Promise<TenantTable[]> {
  const [columns]: { table: string; name: string; type: string; extra: string }[][] = await db.raw(
    `SELECT c.table_name AS \`table\`, c.column_name AS name, c.data_type AS type, c.extra AS extra
     FROM information_schema.columns c WHERE c.table_schema = DATABASE() AND EXISTS (
       SELECT 1 FROM information_schema.columns t WHERE t.table_schema = c.table_schema
         AND t.table_name = c.table_name AND t.column_name = 'tenant_id')
     ORDER BY c.table_name, c.ordinal_position`,
  )
  const [keys]: { table: string; name: string; direction: string | null }[][] = await db.raw(
    `SELECT table_name AS \`table\`, column_name AS name, collation AS direction FROM information_schema.statistics
     WHERE table_schema = DATABASE() AND index_name = 'PRIMARY' ORDER BY table_name, seq_in_index`,
  )
  const byTable = Map.groupBy(columns ?? [], ({ table }) => table)
  return [...byTable].map(([name, all]) => ({
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
