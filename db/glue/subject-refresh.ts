import type { JobProgress } from '../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../connect.js'
import { transaction } from '../errors.js'
import { advance, type Step } from '../jobs/advance.js'
import { type DataPoint, lockDataSet, touch, writePoints } from './data-sets.js'

/** A subject's rows of a data set that are to be fetched again. */
export interface PendingChange {
  extractKey: string
  /** The latest change that was known when this was read. */
  ticket: number
  subjectIdentifier: string
}

/** What is to be fetched again of a subject, the longest waiting first. */
export async function pendingChanges(db: Db, tenant: TenantId, subjectId: string): Promise<PendingChange[]> {
  const rows: { extract_key: string; ticket: number; subject_identifier: string }[] = await db('data_set_changes')
    .where({ tenant_id: tenant, subject_id: subjectId })
    .orderBy('ticket')
    .select('extract_key', 'ticket', 'subject_identifier')
  return rows.map(row => ({
    extractKey: row.extract_key,
    ticket: row.ticket,
    subjectIdentifier: row.subject_identifier,
  }))
}

/**
 * Puts what was fetched in place of a subject's rows, as one step of the job of its changes. A change that came after
 * `pending` was read stays to be fetched again.
 * @param points undefined where there is nothing to fetch any more: the extract is gone, or its source.
 * @param concerned keys of the extracts that this job looks after.
 */
export const writeSubject = (
  db: Db,
  tenant: TenantId,
  jobId: string,
  subjectId: string,
  pending: PendingChange | undefined,
  points: DataPoint[] | undefined,
  concerned: (extractKey: string) => boolean,
): Promise<JobProgress> =>
  advance(db, tenant, jobId, async (trx, job): Promise<Step> => {
    if (pending) {
      const { extractKey, ticket } = pending
      const set = await lockDataSet(trx, tenant, extractKey)
      if (points) {
        const key = { tenant_id: tenant, extract_key: extractKey, snapshot: set.snapshot, subject_id: subjectId }
        await trx('data_points').where(key).delete()
        await writePoints(trx, tenant, extractKey, set.snapshot, points)
        await touch(trx, tenant, extractKey, set, subjectId)
      }
      await trx('data_set_changes')
        .where({ tenant_id: tenant, extract_key: extractKey, subject_id: subjectId })
        .where('ticket', '<=', ticket)
        .delete()
    }
    // Locked, as everything that a decision stands on: a plain read shows what was there when the transaction began.
    const left: { extract_key: string }[] = await trx('data_set_changes')
      .where({ tenant_id: tenant, subject_id: subjectId })
      .forShare()
      .select('extract_key')
    const ended = !left.some(({ extract_key }) => concerned(extract_key))
    return { done: job.done + 1, ended, counts: { rows: points?.length ?? 0, fetches: points ? 1 : 0 } }
  })

/** Gives up what is to be fetched again of a subject: its job has failed, and says why. */
export const giveUp = (db: Db, tenant: TenantId, subjectId: string, pending: readonly PendingChange[]): Promise<void> =>
  transaction(db, async trx => {
    for (const { extractKey, ticket } of pending) {
      await trx('data_set_changes')
        .where({ tenant_id: tenant, extract_key: extractKey, subject_id: subjectId })
        .where('ticket', '<=', ticket)
        .delete()
    }
  })
