// The lock and the version of a tenant's hierarchy.
import type { Knex } from 'knex'
import type { Db, TenantId } from '../../connect.js'

/**
 * Takes the tenant's hierarchy for writing until the transaction ends and returns its version. Writers of entities, types
 * and groups come one after another through here, so what one has checked (parents, cycles, use) holds until it commits.
 */
export async function lockHierarchy(trx: Knex.Transaction, tenant: TenantId): Promise<number> {
  const row = await trx('hierarchies').where({ tenant_id: tenant }).forUpdate().first('version')
  if (!row) throw new Error(`Tenant ${tenant} has no hierarchy row`)
  return Number(row.version)
}

/** The version without the lock: what a plan is made for. */
export async function hierarchyVersion(db: Db, tenant: TenantId): Promise<number> {
  const row = await db('hierarchies').where({ tenant_id: tenant }).first('version')
  return Number(row?.version ?? 0)
}

/** Marks that something a plan may depend on has changed. */
export async function setHierarchyVersion(trx: Knex.Transaction, tenant: TenantId, version: number): Promise<void> {
  await trx('hierarchies').where({ tenant_id: tenant }).update({ version })
}
