import type { Knex } from 'knex'
import type { TenantId } from '../connect.js'
import { transaction } from '../errors.js'
import { dropPoints } from './data-set-refresh.js'
import type { GlueSettings } from './settings.js'

/**
 * Deletes the data sets whose extract is in no manifest any more, some thousand rows at a time.
 * @returns how many data sets.
 */
export async function forgetData(db: Knex): Promise<number> {
  const sets: { tenant_id: TenantId; extract_key: string }[] = await db('data_sets')
    .whereIn('tenant_id', db('tenants').select('id'))
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
      // Some thousand more.
    }
    await transaction(db, async trx => {
      for (const table of ['data_set_changes', 'data_set_touched', 'data_sets']) {
        await trx(table).where({ tenant_id, extract_key }).delete()
      }
    })
  }
  return forgotten.length
}
