// Accepts data changes that providers report.
import type { Knex } from 'knex'
import { workflowIdOf } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import { transaction } from '../../errors.js'
import { createJob } from '../../jobs/create.js'
import { isOpenFor } from '../../jobs/jobs.js'
import { upsertRows } from '../../rows.js'
import { type DataPoint, type LockedSet, lockDataSet, touch, writePoints } from './data-sets.js'
import { acceptRefresh, type Origin } from './refresh-requests.js'

/** A change at a provider that concerns one subject (spec frame "Data-change rules"). */
export interface DataChange {
  subjectId: string
  /** As the provider names the subject. */
  subjectIdentifier: string
  /** The matched data extracts. `bySubject`: their source answers for one subject; the others are fetched whole. */
  extracts: { key: string; bySubject: boolean }[]
  points: DataPoint[]
  removedIds: string[]
}

/** Input of a data change's job. */
export interface ChangeOfSubject {
  subjectId: string
}

export interface AcceptedChange {
  /** The job that fetches the data again. Several changes may share it. */
  jobId: string
  /** Jobs that were accepted with the change, and are to be started. */
  started: string[]
  affected: number
  /** By data extract: the number from which on a reader sees the change and what was fetched after it. */
  generations: Record<string, number>
}

/**
 * Accepts a data change in one transaction. Its points become visible, and the subject's rows are marked for a new
 * fetch, which an open job does.
 */
export const acceptChange = (db: Db, tenant: TenantId, change: DataChange, origin: Origin): Promise<AcceptedChange> =>
  transaction(db, tenant, async trx => {
    const extracts = change.extracts.toSorted((a, b) => (a.key < b.key ? -1 : 1))
    const accepted: AcceptedChange = { jobId: '', started: [], affected: 0, generations: {} }
    const bySubject = extracts.some(extract => extract.bySubject)
    // First the jobs, then the data sets: in the order in which the jobs' steps take them.
    const note = ({ jobId, isNew }: { jobId: string; isNew: boolean }) => {
      accepted.jobId ||= jobId
      if (isNew) accepted.started.push(jobId)
    }
    if (bySubject) note(await jobOfSubject(trx, tenant, change.subjectId, origin))
    for (const { key } of extracts.filter(extract => !extract.bySubject)) {
      note(await acceptRefresh(trx, tenant, key, origin))
    }
    for (const { key } of extracts) {
      const set = await lockDataSet(trx, tenant, key)
      accepted.affected += await apply(trx, tenant, key, set, change)
      accepted.generations[key] = await markChanged(trx, tenant, key, change)
    }
    return accepted
  })

/** The open job of a subject, or a new one. Other changes of the subject wait here for this one. */
export async function jobOfSubject(
  trx: Knex.Transaction,
  tenant: TenantId,
  subjectId: string,
  { tenantKey, actor, traceId, newId }: Origin,
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

async function apply(
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
  if (bringsRows({ points, removedIds })) await touch(trx, tenant, extractKey, set, subjectId)
  return points.length + removed
}

/** Whether it says what changed, and not only that something did. */
const bringsRows = ({ points, removedIds }: Pick<DataChange, 'points' | 'removedIds'>): boolean =>
  points.length + removedIds.length > 0

/** Marks the subject's rows as to be fetched again. @returns the number of this change. */
async function markChanged(
  trx: Knex.Transaction,
  tenant: TenantId,
  extractKey: string,
  change: DataChange,
): Promise<number> {
  const { subjectId, subjectIdentifier } = change
  const set = { tenant_id: tenant, extract_key: extractKey }
  // Counted on the row itself: a refresh may have begun in this transaction.
  await trx('data_sets').where(set).increment('issued', 1)
  const { issued } = await trx('data_sets').where(set).forUpdate().first('issued')
  const latest = { ticket: issued, subject_identifier: subjectIdentifier }
  const pushed = bringsRows(change) ? { pushed: issued } : {}
  const mark = { ...set, subject_id: subjectId }
  // The first one that is not fetched yet stays the one that readers wait for.
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
