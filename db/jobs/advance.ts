// Runs one step of a job in the transaction that also writes its progress.
import type { Knex } from 'knex'
import { conflict, type Problem } from '../../runtime/problems/problem.js'
import type { EndedJob, JobEnd, JobProgress } from '../../workflows/jobs/contracts.js'
import { now } from '../clock.js'
import type { Db, TenantId } from '../connect.js'
import { transaction } from '../errors.js'
import { noteEvents } from '../events.js'
import type { JobRow } from './job-row.js'

export type Counts = Record<string, number>

/** Describes a job as a step leaves it; `work` of {@link advance} returns it. */
export interface Step {
  done: number
  /**
   * Undefined while something is left to do. `all` sets the job's total to `done`. `early` completes the job with the
   * total unchanged, so that `total - done` still tells how much was left undone.
   */
  end: JobEnd | undefined
  /**
   * How many items of the step had each outcome, to be added to the job's counts. A function instead gets the counts so
   * far and returns the new ones.
   */
  counts: Counts | ((before: Counts) => Counts)
  /** How many units are known to be left; 1 by default. The total grows if it turns out to be too small. */
  expected?: number
  /** Where the next step begins, for kinds that cannot tell it from `done`; null at the beginning. Unchanged if absent. */
  position?: string | null
  planVersion?: number
}

/** The columns of an {@link OpenJob}. */
const columns = [
  'kind',
  'status',
  'done',
  'total',
  'counts',
  'plan_version',
  'input',
  'position',
  'accepted_at',
  'started_at',
  'run_id',
] as const
export type OpenJob = Pick<JobRow, (typeof columns)[number]>

/** The Temporal run that currently does a job. Steps of any other run are rolled back. */
export interface JobRun {
  jobId: string
  runId: string
}

/**
 * Runs one step and updates the job's progress in the same transaction, so that each step takes effect exactly once,
 * even if the process is killed or the call is repeated. The job's row acts as the fence: it is locked during the step,
 * and names the run that does the job and how much is done. A late step, of another run or of an attempt that was given
 * up, is rolled back.
 * @param work does the step. It returns undefined if the job is not where the caller expected it, after changing
 *   nothing.
 * @returns the job's progress. If the job is completed already, `work` is not called.
 * @throws Problem 409 if the job was withdrawn, cancelled or failed, or if another run does it now; and whatever `work`
 *   throws.
 */
export async function advance(
  db: Db,
  tenant: TenantId,
  { jobId, runId }: JobRun,
  work: (trx: Knex.Transaction, job: OpenJob) => Promise<Step | undefined>,
): Promise<JobProgress> {
  return transaction(db, tenant, async trx => {
    const row = () => trx('jobs').where({ tenant_id: tenant, id: jobId })
    const job: OpenJob | undefined = await row()
      .forUpdate()
      .first(...columns)
    if (job?.status === 'Completed') return endedJob(job, JSON.parse(job.counts))
    if (job?.status === 'Cancelled') throw jobCancelled(jobId)
    if (!job || job.status === 'Failed') {
      const detail = `The job ${jobId} is ${job ? job.status.toLowerCase() : 'withdrawn'}.`
      throw conflict('job-ended', detail)
    }
    if (job.run_id !== runId) throw runReplaced(jobId)
    const made = await work(trx, job)
    if (!made) return { state: 'open', done: job.done, total: job.total }
    const counts = countsAfter(JSON.parse(job.counts), made.counts)
    const { done, end } = made
    const total = totalAfter(job, made)
    const changed = await row()
      .where({ run_id: runId, done: job.done })
      .update({
        status: end ? 'Completed' : 'Running',
        done,
        total,
        counts: JSON.stringify(counts),
        position: made.position === undefined ? job.position : made.position,
        plan_version: made.planVersion ?? job.plan_version,
        started_at: job.started_at ?? now(trx),
        crashes: 0,
        waiting: null,
        ...(end ? { finished_at: now(trx) } : {}),
      })
    if (changed === 0) throw runReplaced(jobId)
    if (!end) return { state: 'open', done, total }
    await noteEvents(trx, tenant, 'job', [{ id: jobId, kind: 'completed' }])
    return endedJob({ done, total }, counts)
  })
}

/**
 * Counts the total of a job that was accepted without one, once a step shows that there is more. The count is no part of the
 * step, since with millions of rows it takes seconds.
 * @param totalOf counts the total of a job.
 */
export async function withTotal(
  db: Db,
  tenant: TenantId,
  { jobId, runId }: JobRun,
  progress: JobProgress,
  totalOf: (job: OpenJob) => Promise<number>,
): Promise<JobProgress> {
  if (progress.state !== 'open') return progress
  // Without a total, a step expects one more unit.
  if (progress.total > progress.done + 1) return progress
  const row = () => db('jobs').where({ tenant_id: tenant, id: jobId, run_id: runId })
  const job: OpenJob | undefined = await row().first(...columns)
  if (!job) return progress
  const total = await totalOf(job)
  if (total <= progress.total) return progress
  await row().where('total', '<', total).update({ total })
  return { ...progress, total }
}

/**
 * Returns a job's total after a step. While the job goes on, the total is an estimate, which grows but never shrinks.
 */
function totalAfter(job: OpenJob, { done, end, expected = 1 }: Step): number {
  if (end === 'all') return done
  return end === 'early' ? job.total : Math.max(job.total, done + expected)
}

const endedJob = ({ done, total }: Pick<OpenJob, 'done' | 'total'>, counts: Counts): EndedJob => ({
  state: 'ended',
  end: done < total ? 'early' : 'all',
  done,
  total,
  counts,
})

/** Creates the problem 409 for a run whose job was cancelled. */
export const jobCancelled = (jobId: string): Problem => conflict('job-cancelled', `The job ${jobId} was cancelled.`)

/** Creates the problem 409 for a run whose job is now done by another one. */
export const runReplaced = (jobId: string): Problem => conflict('job-ended', `The job ${jobId} has another run by now.`)

/** Adds a step's counts to the job's. Changes and returns `counts`, unless `more` is a function. */
export function countsAfter(counts: Counts, more: Step['counts']): Counts {
  if (typeof more === 'function') return more(counts)
  for (const [outcome, n] of Object.entries(more)) counts[outcome] = (counts[outcome] ?? 0) + n
  return counts
}
