// Finds the subjects whose data must not be written any more, because they are being erased or were erased.
import type { Knex } from 'knex'
import type { TenantId } from '../../connect.js'
import { slices } from '../../rows.js'

/**
 * Returns which of these subjects are being erased or were erased. A provider may have been asked for them before. The
 * others stay as they are until the transaction ends: an erasure that begins meanwhile waits, and then deletes what the
 * transaction has written. Only a subject whose erasure was cancelled is written on.
 */
export async function erasedAmong(
  trx: Knex.Transaction,
  tenant: TenantId,
  subjectIds: Iterable<string>,
): Promise<Set<string>> {
  const erased = new Set<string>()
  for (const some of slices([...new Set(subjectIds)].sort())) {
    const rows: { subject_id: string; erasure_job_id: string }[] = await trx('subject_tombstones')
      .where({ tenant_id: tenant })
      .whereIn('subject_id', some)
      .forShare()
      .select('subject_id', 'erasure_job_id')
    const jobs = rows.map(({ erasure_job_id }) => erasure_job_id)
    const cancelled: string[] =
      rows.length === 0
        ? []
        : await trx('jobs').where({ tenant_id: tenant, status: 'Cancelled' }).whereIn('id', jobs).pluck('id')
    for (const { subject_id, erasure_job_id } of rows) if (!cancelled.includes(erasure_job_id)) erased.add(subject_id)
  }
  return erased
}
