// Reads all that the database has of a tenant, whatever tables there are.
import type { Knex } from 'knex'
import type { TenantId } from '../../db/connect.js'
import { tablesWithColumn } from './schema.js'

/**
 * Tables whose rows move to another one by themselves: positions are given to events and changes after their commit, and words of
 * subjects are prepared for the search.
 */
export const movingTables = /^(audit_|events|event_feeds|subject_word_)/

/**
 * Returns all rows of a tenant as JSON, by table. Tables without rows of it are left out.
 * @param isSettled leaves out the tables whose rows move by themselves.
 */
export async function rowsOf(
  db: Knex,
  tenant: TenantId,
  { isSettled = false } = {},
): Promise<Record<string, string[]>> {
  const rows: Record<string, string[]> = {}
  for (const name of await tablesWithColumn(db, 'tenant_id')) {
    if (isSettled && movingTables.test(name)) continue
    const found: object[] = await db(name).where({ tenant_id: tenant })
    if (found.length > 0) rows[name] = found.map(row => JSON.stringify(row)).sort()
  }
  return rows
}

/** Makes a tenant look as if it had been suspended for an hour. */
export async function suspendedLong(db: Knex, tenant: TenantId): Promise<void> {
  await db('tenants')
    .where({ id: tenant })
    .update({ suspended_at: db.raw('CURRENT_TIMESTAMP(3) - INTERVAL 1 HOUR') })
}
