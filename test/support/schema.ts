// Reads from the database which tables of tenants there are.
import type { Knex } from 'knex'

/**
 * Queries `information_schema.columns`, as `c`, for the schema that has the table `tenants`. On Vitess that is another one than
 * statements name.
 */
export const columnsOfTenants = (db: Knex): Knex.QueryBuilder =>
  db.from({ c: 'information_schema.columns', t: 'information_schema.tables' }).where({
    't.table_schema': db.raw('DATABASE()'),
    't.table_name': 'tenants',
    'c.table_schema': db.raw('DATABASE()'),
  })

/** Returns the names of all tables that have a column of this name, sorted. */
export async function tablesWithColumn(db: Knex, column: string): Promise<string[]> {
  const rows: { name: string }[] = await columnsOfTenants(db)
    .where('c.column_name', column)
    .select({ name: 'c.table_name' })
  return rows.map(({ name }) => name).sort()
}
