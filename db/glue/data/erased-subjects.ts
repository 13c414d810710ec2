// Finds the subjects whose data must not be written any more, because they are being erased or were erased.
import type { Knex } from 'knex'
import type { TenantId } from '../../connect.js'
import { slices } from '../../rows.js'

/**
 * Returns which of these subjects are being erased or were erased. A provider may have been asked for them before. The
 * others stay as they are until the transaction ends: an erasure that begins meanwhile waits, and then deletes what the
 * transaction has written.
 */
export async function erasedAmong(
  trx: Knex.Transaction,
  tenant: TenantId,
  subjectIds: Iterable<string>,
): Promise<Set<string>> {
  const erased = new Set<string>()
  for (const some of slices([...new Set(subjectIds)].sort())) {
    const tombstones: Tombstone[] = await trx('subject_tombstones')
      .where({ tenant_id: tenant })
      .whereIn('subject_id', some)
      .forShare()
      .select('subject_id', 'erasure_job_id')
    if (tombstones.length === 0) continue
    const living = await livingAmong(trx, tenant, tombstones)
    for (const { subject_id } of tombstones) if (!living.has(subject_id)) erased.add(subject_id)
  }
  return erased
}

interface Tombstone {
  subject_id: string
  erasure_job_id: string
}

/** Returns the subjects that are still there because their erasure was cancelled, and perhaps forgotten since. */
async function livingAmong(trx: Knex.Transaction, tenant: TenantId, tombstones: Tombstone[]): Promise<Set<string>> {
  const ids = tombstones.map(({ subject_id }) => subject_id)
  const jobs = tombstones.map(({ erasure_job_id }) => erasure_job_id)
  const of = (table: string) => trx(table).where({ tenant_id: tenant })
  const subjects: string[] = await of('subjects').whereIn('id', ids).pluck('id')
  const merged: string[] = await of('merged_subjects').whereIn('subject_id', ids).pluck('subject_id')
  const valid: string[] = await of('jobs').whereIn('id', jobs).whereNot({ status: 'Cancelled' }).pluck('id')
  const there = new Set([...subjects, ...merged])
  return new Set(
    tombstones.flatMap(each =>
      there.has(each.subject_id) && !valid.includes(each.erasure_job_id) ? [each.subject_id] : [],
    ),
  )
}
