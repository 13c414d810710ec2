// Accepts the data changes that providers report.
import type { Knex } from 'knex'
import { newId } from '../../../runtime/ids.js'
import { notFound } from '../../../runtime/problems/problem.js'
import { workflowIdOf } from '../../../workflows/jobs/contracts.js'
import { tellIds } from '../../audit/action.js'
import type { Db, TenantId } from '../../connect.js'
import { transaction } from '../../errors.js'
import { createJob } from '../../jobs/create.js'
import { isOpenFor } from '../../jobs/jobs.js'
import { upsertRows } from '../../rows.js'
import { type DataPoint, isWaiting, type LockedSet, lockDataSet, touch, writePoints } from './data-sets.js'
import { erasedAmong } from './erased-subjects.js'
import { acceptRefresh, type JobOrigin } from './refresh-requests.js'

/** A change at a provider that concerns one subject (spec frame "Data-change rules"). */
export interface DataChange {
  subjectId: string
  /** The subject's identifier at the provider. */
  subjectIdentifier: string
  /**
   * The data extracts that the change matches. `bySubject`: the source can be asked for this subject alone; other
   * extracts are fetched as a whole.
   */
  extracts: { key: string; bySubject: boolean }[]
  points: DataPoint[]
  removedIds: string[]
}

/** The input of a data change's job. */
export interface ChangeOfSubject {
  subjectId: string
}

export interface AcceptedChange {
  /** The job that fetches the data again. Several changes may share it. */
  jobId: string
  /** Jobs that were created with the change and must now be started. */
  started: string[]
  affected: number
  /** By data extract: the generation from which on readers see the change and what was fetched after it. */
  generations: Record<string, number>
}

/**
 * Accepts a data change in one transaction. The data points that it brings become visible at once, and the subject's
 * rows are marked to be fetched again by an open job.
 * @throws Problem 404 if the subject is erased by now.
 */
export const acceptChange = (
  db: Db,
  tenant: TenantId,
  change: DataChange,
  origin: JobOrigin,
): Promise<AcceptedChange> =>
  transaction(db, tenant, async trx => {
    const extracts = change.extracts.toSorted((a, b) => (a.key < b.key ? -1 : 1))
    const accepted: AcceptedChange = { jobId: '', started: [], affected: 0, generations: {} }
    tellIds([change.subjectId])
    if ((await erasedAmong(trx, tenant, [change.subjectId])).size > 0) throw notFound('The subject is erased.')
    const bySubject = extracts.some(extract => extract.bySubject)
    // The jobs are locked before the data sets, in the same order as by the jobs' steps, so that the two cannot
    // deadlock.
    const addJob = ({ jobId, isNew }: { jobId: string; isNew: boolean }) => {
      accepted.jobId ||= jobId
      if (isNew) accepted.started.push(jobId)
    }
    if (bySubject) addJob(await jobOfSubject(trx, tenant, change.subjectId, origin))
    for (const { key } of extracts.filter(extract => !extract.bySubject)) {
      addJob(await acceptRefresh(trx, tenant, key, origin))
    }
    for (const { key } of extracts) {
      const set = await lockDataSet(trx, tenant, key)
      accepted.affected += await applyChange(trx, tenant, key, set, change)
      accepted.generations[key] = await markChanged(trx, tenant, key, change)
    }
    return accepted
  })

/**
 * Returns the open job that fetches a subject's data again, or creates one. The subject stays locked, so that another
 * change of it waits for this transaction.
 */
export async function jobOfSubject(
  trx: Knex.Transaction,
  tenant: TenantId,
  subjectId: string,
  { tenantKey, actor, traceId }: JobOrigin,
): Promise<{ jobId: string; isNew: boolean }> {
  await upsertRows(trx, 'data_change_jobs', ['tenant_id', 'subject_id'], [[tenant, subjectId]], [])
  const row = await trx('data_change_jobs')
    .where({ tenant_id: tenant, subject_id: subjectId })
    .forUpdate()
    .first('job_id')
  if (row.job_id !== null && (await isOpenFor(trx, tenant, row.job_id))) return { jobId: row.job_id, isNew: false }
  const id = newId()
  const input: ChangeOfSubject = { subjectId }
  await createJob(trx, tenant, {
    id,
    kind: 'dataChange',
    queue: 'background',
    actor,
    traceId,
    workflowId: workflowIdOf('dataChange', { tenantKey, jobId: subjectId }),
    total: 1,
    input,
  })
  await trx('data_change_jobs').where({ tenant_id: tenant, subject_id: subjectId }).update({ job_id: id })
  return { jobId: id, isNew: true }
}

async function applyChange(
  trx: Knex.Transaction,
  tenant: TenantId,
  extractKey: string,
  set: LockedSet,
  { subjectId, points, removedIds }: DataChange,
): Promise<number> {
  await writePoints(trx, tenant, extractKey, set.snapshot, points)
  const where = { tenant_id: tenant, extract_key: extractKey, snapshot: set.snapshot, subject_id: subjectId }
  const removed =
    removedIds.length > 0 ? await trx('data_points').where(where).whereIn('point_id', removedIds).delete() : 0
  if (containsRows({ points, removedIds })) await touch(trx, tenant, extractKey, set, subjectId)
  return points.length + removed
}

/** Tells whether a change contains the changed rows, rather than only the news that something changed. */
const containsRows = ({ points, removedIds }: Pick<DataChange, 'points' | 'removedIds'>): boolean =>
  points.length + removedIds.length > 0

/**
 * Marks the subject's rows to be fetched again.
 * @returns the number of this change.
 */
async function markChanged(
  trx: Knex.Transaction,
  tenant: TenantId,
  extractKey: string,
  change: DataChange,
): Promise<number> {
  const { subjectId, subjectIdentifier } = change
  const set = { tenant_id: tenant, extract_key: extractKey }
  // Incremented in the database, because a refresh that began in this transaction has raised it too.
  await trx('data_sets').where(set).increment('issued', 1)
  const { issued } = await trx('data_sets').where(set).forUpdate().first('issued')
  const latest = { ticket: issued, subject_identifier: subjectIdentifier }
  const pushed = containsRows(change) ? { pushed: issued } : {}
  const mark = { ...set, subject_id: subjectId }
  // Readers do not wait for changes that have failed.
  await trx('data_set_changes').where(mark).whereNot(isWaiting).update({ since: issued })
  // `since` is not updated: readers wait for the first change that has not been fetched yet.
  const row = Object.entries({ ...mark, since: issued, ...latest, ...pushed })
  const names = row.map(([name]) => name)
  await upsertRows(
    trx,
    'data_set_changes',
    names,
    [row.map(([, value]) => value)],
    Object.keys({ ...latest, ...pushed }),
  )
  return issued
}
