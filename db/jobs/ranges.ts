// Ranges of a job: each has a position of its own, and they are worked on side by side.
import type { Knex } from 'knex'
import type { JobProgress } from '../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../connect.js'
import { transaction } from '../errors.js'
import { insertRows } from '../rows.js'
import { type Counts, columns, nameOf, type OpenJob, release, step } from './advance.js'
import { isOpen, openStatuses } from './jobs.js'

/** Part of a job's items, in their order: those behind `position`, as far as `last_id`. Null: from the first, to the last. */
export interface JobRange {
  position: string | null
  last_id: string | null
}

/** Work of one step of a range. */
export interface RangeStep {
  /** Items of the step. */
  size: number
  /** Nothing of the range is left. */
  ended: boolean
  counts: Counts
  /** Where its next step begins. */
  position?: string
}

/** Writes the ranges of a job. @param lasts the last item of each, but for that of the last one, which has no end. */
export async function writeRanges(
  trx: Knex.Transaction,
  tenant: TenantId,
  jobId: string,
  lasts: readonly string[],
): Promise<void> {
  const rows = [...lasts, null].map((last, n) => [tenant, jobId, n + 1, lasts[n - 1] ?? null, last])
  await insertRows(trx, 'job_ranges', ['tenant_id', 'job_id', 'number', 'position', 'last_id'], rows)
}

/** Numbers of the ranges of a job that are not done. */
export const openRanges = (db: Db, tenant: TenantId, jobId: string): Promise<number[]> =>
  db('job_ranges').where({ tenant_id: tenant, job_id: jobId, is_done: false }).orderBy('number').pluck('number')

/** Whether another open job of the tenant has ranges that are not done. */
export async function othersHaveRanges(trx: Knex.Transaction, tenant: TenantId, jobId: string): Promise<boolean> {
  const other = await trx('job_ranges as r')
    .join('jobs as j', join => join.on('j.tenant_id', 'r.tenant_id').on('j.id', 'r.job_id'))
    .where({ 'r.tenant_id': tenant, 'r.is_done': false })
    .whereNot('r.job_id', jobId)
    .whereIn('j.status', openStatuses)
    .first('r.job_id')
  return other !== undefined
}

/**
 * Runs one step of a range, and updates its position and the job's progress in the same transaction. It locks the job's row at its
 * end alone, beside other ranges. The job ends with a step of its own.
 * @param work does the step.
 * @throws Problem 409 when the job was withdrawn or has ended, and the errors of the work.
 */
export async function advanceRange(
  db: Db,
  tenant: TenantId,
  jobId: string,
  number: number,
  work: (trx: Knex.Transaction, job: OpenJob, range: JobRange) => Promise<RangeStep>,
): Promise<JobProgress> {
  const mine = { tenant_id: tenant, job_id: jobId, number }
  return transaction(db, tenant, async trx => {
    const range: (JobRange & { is_done: 0 | 1 }) | undefined = await trx('job_ranges')
      .where(mine)
      .forUpdate()
      .first('position', 'last_id', 'is_done', trx.raw('GET_LOCK(?, 0)', [nameOf(jobId, number)]))
    try {
      const job = () => trx('jobs').where({ tenant_id: tenant, id: jobId })
      const seen: OpenJob | undefined = await job().first(...columns)
      const isMeant = range?.is_done === 0 && seen !== undefined && isOpen(seen)
      const made = isMeant ? await work(trx, seen, range) : undefined
      const now: OpenJob | undefined = await job()
        .forUpdate()
        .first(...columns)
      const progress = await step(trx, tenant, jobId, now, async (_, { done }) =>
        made ? { done: done + made.size, ended: false, counts: made.counts, expected: 0 } : undefined,
      )
      if (made) {
        const place = { position: made.position ?? range?.position, is_done: made.ended, crashes: 0 }
        await trx('job_ranges').where(mine).update(place)
      }
      return { ...progress, isRangeDone: made ? made.ended : range?.is_done !== 0 }
    } finally {
      await release(trx, [nameOf(jobId, number)])
    }
  })
}
