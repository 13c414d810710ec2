// Replaces the rows of one subject that are fetched again after a data change.
import type { Knex } from 'knex'
import type { JobProgress } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import { advance, type JobRun, type Step } from '../../jobs/advance.js'
import type { JobRow } from '../../jobs/job-row.js'
import { jobOfSubject } from './data-changes.js'
import { type DataPoint, isFetchedBy, isWaiting, lockDataSet, markFailed, notFailed, touch } from './data-sets.js'
import { addPoints } from './fetched-points.js'

/** A request to fetch a subject's rows of a data set again. */
export interface PendingChange {
  extractKey: string
  /** The number of the latest change when this was read. */
  ticket: number
  /** The data set's highest number when this was read. A refresh with a higher one began later. */
  issued: number
  subjectIdentifier: string
}

interface ChangeRow {
  extract_key: string
  ticket: number
  issued: number
  subject_identifier: string
}

/**
 * Returns the pending fetches of a subject, the oldest first.
 * @param jobId a job whose own failures are pending too, because it has been retried.
 */
export async function pendingChanges(
  db: Db,
  tenant: TenantId,
  subjectId: string,
  jobId?: string,
): Promise<PendingChange[]> {
  const rows: ChangeRow[] = await db('data_set_changes as c')
    .join('data_sets as d', join => join.on('d.tenant_id', 'c.tenant_id').on('d.extract_key', 'c.extract_key'))
    .where({ 'c.tenant_id': tenant, 'c.subject_id': subjectId })
    .where(jobId === undefined ? isWaiting : isFetchedBy(jobId))
    .orderBy(['c.since', 'c.extract_key'])
    .select('c.extract_key', 'c.ticket', 'c.subject_identifier', 'd.issued')
  return rows.map(row => ({
    extractKey: row.extract_key,
    ticket: row.ticket,
    issued: row.issued,
    subjectIdentifier: row.subject_identifier,
  }))
}

/**
 * Replaces a subject's rows by fetched ones, as one step of its job. A change that came after `pending` was read stays
 * pending. If such a change brought rows, those are newer than the fetched ones, which are dropped.
 * @param points undefined if there is nothing to fetch because the extract or its source no longer exists.
 * @param concerned tells whether an extract is fetched by this job.
 */
export const writeSubject = (
  db: Db,
  tenant: TenantId,
  run: JobRun,
  subjectId: string,
  pending: PendingChange | undefined,
  points: DataPoint[] | undefined,
  concerned: (extractKey: string) => boolean,
): Promise<JobProgress> =>
  advance(db, tenant, run, async (trx, job): Promise<Step> => {
    let rows = points?.length ?? 0
    if (pending) {
      const { extractKey, ticket, issued } = pending
      const set = await lockDataSet(trx, tenant, extractKey)
      const mark = { tenant_id: tenant, extract_key: extractKey, subject_id: subjectId }
      const changes = () => trx('data_set_changes').where(mark)
      const overtaken = await changes().where('pushed', '>', ticket).forUpdate().first('pushed')
      if (points && !overtaken) {
        const key = { tenant_id: tenant, extract_key: extractKey, snapshot: set.snapshot, subject_id: subjectId }
        await trx('data_points').where(key).delete()
        rows -= await addPoints(trx, tenant, extractKey, set.snapshot, points)
        // A refresh that began after this fetch has newer rows than these.
        if (set.staging !== null && set.staging <= issued) await touch(trx, tenant, extractKey, set, subjectId)
      }
      await changes().where('ticket', '<=', ticket).delete()
      if (!overtaken)
        await changes()
          .where('since', '<=', ticket)
          .update({ since: ticket + 1, ...notFailed })
    }
    // The rows are locked because a plain read would show the state at the beginning of the transaction, without
    // changes committed since.
    const left: { extract_key: string }[] = await trx('data_set_changes')
      .where({ tenant_id: tenant, subject_id: subjectId })
      .where(isFetchedBy(run.jobId))
      .forShare()
      .select('extract_key')
    const end = left.some(({ extract_key }) => concerned(extract_key)) ? undefined : 'all'
    return { done: job.done + 1, end, counts: { rows, fetches: points ? 1 : 0 } }
  })

/**
 * Marks a pending fetch of a subject as failed, because its job fails for good. If other fetches of the subject are
 * pending, a new job is created for them, which the outbox starts.
 */
export async function giveUp(
  trx: Knex.Transaction,
  tenant: TenantId,
  { id, actor, trace_id }: Pick<JobRow, 'id' | 'actor' | 'trace_id'>,
  subjectId: string,
  { extractKey, ticket }: PendingChange,
  { tenantKey, concerned }: { tenantKey: string; concerned: (extractKey: string) => boolean },
): Promise<void> {
  const pending = await pendingChanges(trx, tenant, subjectId)
  const others = pending.filter(other => other.extractKey !== extractKey || other.ticket > ticket)
  if (others.some(other => concerned(other.extractKey))) {
    await jobOfSubject(trx, tenant, subjectId, { tenantKey, actor, traceId: trace_id })
  }
  const change = { tenant_id: tenant, extract_key: extractKey, subject_id: subjectId }
  await markFailed(trx, trx('data_set_changes').where(change).where('ticket', '<=', ticket), id)
}
