// Erases what data sets contain about a subject.
import type { Knex } from 'knex'
import type { TenantId } from '../../connect.js'
import type { ErasedPart } from '../../erased-part.js'

/** Erases the data points of subjects in every snapshot, and their pending fetches. */
export async function eraseData(
  trx: Knex.Transaction,
  tenant: TenantId,
  subjectIds: readonly string[],
): Promise<ErasedPart> {
  const snapshots: { extract_key: string; snapshot: number }[] = await trx('data_points')
    .where({ tenant_id: tenant })
    .groupBy('extract_key', 'snapshot')
    .select('extract_key', 'snapshot')
  let erased = 0
  for (const { extract_key, snapshot } of snapshots) {
    const rows = (table: string) => trx(table).where({ tenant_id: tenant, extract_key, snapshot })
    erased += await rows('data_points').whereIn('subject_id', subjectIds).delete()
    await rows('data_set_touched').whereIn('subject_id', subjectIds).delete()
  }
  for (const table of ['data_set_changes', 'data_change_jobs'])
    await trx(table).where({ tenant_id: tenant }).whereIn('subject_id', subjectIds).delete()
  return { erased, more: false }
}
