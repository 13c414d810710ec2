// The lock and the version of a tenant's hierarchy.
import type { Knex } from 'knex'
import type { Db, TenantId } from '../../connect.js'
import type { FieldOrder } from '../fields/custom-field.js'

/**
 * Locks the tenant's hierarchy for writing until the transaction ends, and returns its version and the orders of its entities. All writers
 * of entities, types and groups call this first, and so run one after the other. What one of them has checked (parents, cycles, use) stays
 * true until it commits.
 */
export async function lockHierarchy(
  trx: Knex.Transaction,
  tenant: TenantId,
): Promise<{ version: number; orders: readonly FieldOrder[] }> {
  const row = await trx('hierarchies').where({ tenant_id: tenant }).forUpdate().first('version', 'orders')
  if (!row) throw new Error(`Tenant ${tenant} has no hierarchy row`)
  return { version: Number(row.version), orders: JSON.parse(row.orders) }
}

/** Reads the version without locking. A plan remembers the version for which it was made. */
export async function hierarchyVersion(db: Db, tenant: TenantId): Promise<number> {
  const row = await db('hierarchies').where({ tenant_id: tenant }).first('version')
  return Number(row?.version ?? 0)
}

/** Sets the version, because something has changed that a plan may depend on. */
export async function setHierarchyVersion(trx: Knex.Transaction, tenant: TenantId, version: number): Promise<void> {
  await trx('hierarchies').where({ tenant_id: tenant }).update({ version })
}
