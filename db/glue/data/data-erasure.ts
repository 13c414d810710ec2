// Erases what data sets have of a subject.
import type { Knex } from 'knex'
import type { TenantId } from '../../connect.js'
import type { ErasedPart } from '../../frame/erasure/erased-part.js'

/** Erases the data points of a subject in every snapshot, and its pending fetches. */
export async function eraseData(trx: Knex.Transaction, tenant: TenantId, subjectId: string): Promise<ErasedPart> {
  const snapshots: { extract_key: string; snapshot: number }[] = await trx('data_points')
    .where({ tenant_id: tenant })
    .groupBy('extract_key', 'snapshot')
    .select('extract_key', 'snapshot')
  let erased = 0
  for (const { extract_key, snapshot } of snapshots) {
    const one = { tenant_id: tenant, extract_key, snapshot, subject_id: subjectId }
    erased += await trx('data_points').where(one).delete()
    await trx('data_set_touched').where(one).delete()
  }
  for (const table of ['data_set_changes', 'data_change_jobs'])
    await trx(table).where({ tenant_id: tenant, subject_id: subjectId }).delete()
  return { erased, more: false }
}
