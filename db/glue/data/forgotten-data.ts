// Deletes old snapshots, and data sets whose extract no manifest contains any more.
import type { Knex } from 'knex'
import type { TenantId } from '../../connect.js'
import { transaction } from '../../errors.js'
import { activeTenants } from '../../tenant-states.js'
import type { GlueSettings } from '../endpoints/settings.js'

/** Rows deleted by one statement. */
const perStatement = 5_000

/**
 * Deletes up to {@link perStatement} rows of snapshots that are neither visible nor being fetched.
 * @returns whether nothing is left to delete.
 */
export async function dropOldPoints(db: Knex, tenant: TenantId, extractKey: string): Promise<boolean> {
  const set = await db('data_sets').where({ tenant_id: tenant, extract_key: extractKey }).first('snapshot', 'staging')
  if (!set) return true
  // If a refresh begins meanwhile, its snapshot has a higher number than any of these.
  const before = set.staging ?? set.snapshot
  const of = { tenant_id: tenant, extract_key: extractKey }
  await db('data_set_touched').where(of).where('snapshot', '<', before).delete()
  return dropPoints(db, tenant, extractKey, { before, but: set.snapshot })
}

/**
 * Deletes up to {@link perStatement} rows: of the snapshots before a number except one, or of all snapshots.
 * @returns whether nothing is left to delete.
 */
async function dropPoints(
  db: Knex,
  tenant: TenantId,
  extractKey: string,
  which?: { before: number; but: number },
): Promise<boolean> {
  const old = db('data_points').where({ tenant_id: tenant, extract_key: extractKey })
  if (which) old.where('snapshot', '<', which.before).whereNot('snapshot', which.but)
  const deleted: number = await old.limit(perStatement).delete()
  return deleted < perStatement
}

/**
 * Deletes the data sets of active tenants whose extract is in no manifest any more, some thousand rows at a time.
 * @returns how many data sets were deleted.
 */
export async function forgetData(db: Knex): Promise<number> {
  const sets: { tenant_id: TenantId; extract_key: string }[] = await db('data_sets')
    .whereIn('tenant_id', activeTenants(db))
    .select('tenant_id', 'extract_key')
  const tenants = [...new Set(sets.map(set => set.tenant_id))]
  const rows: { tenant_id: TenantId; settings: string }[] = await db('glue_settings').whereIn('tenant_id', tenants)
  const kept = new Set(
    rows.flatMap(({ tenant_id, settings }) => {
      const { dataExtracts }: GlueSettings = JSON.parse(settings)
      return dataExtracts.map(({ key }) => `${tenant_id}/${key}`)
    }),
  )
  const forgotten = sets.filter(({ tenant_id, extract_key }) => !kept.has(`${tenant_id}/${extract_key}`))
  for (const { tenant_id, extract_key } of forgotten) {
    while (!(await dropPoints(db, tenant_id, extract_key))) {
      // dropPoints deletes a limited number of rows each time.
    }
    await transaction(db, tenant_id, async trx => {
      for (const table of ['data_set_changes', 'data_set_touched', 'data_sets']) {
        await trx(table).where({ tenant_id, extract_key }).delete()
      }
    })
  }
  return forgotten.length
}
