// Runs one step of a job in the transaction that also writes its progress.
import type { Knex } from 'knex'
import { conflict, type Problem } from '../../runtime/problems/problem.js'
import type { EndedJob, JobEnd, JobProgress } from '../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../connect.js'
import { transaction } from '../errors.js'
import { noteEvents } from '../events.js'
import type { JobRow } from './jobs.js'

export type Counts = Record<string, number>

/** How far a job has come by one step of it. */
export interface Step {
  done: number
  /**
   * Undefined while something is left to do. `all` sets the job's total to `done`. `early` completes the job with the total
   * unchanged, so that `total - done` still tells how much was left undone.
   */
  end: JobEnd | undefined
  /** Items of the step by outcome, which are added to the job's; or the job's counts as they become. */
  counts: Counts | ((before: Counts) => Counts)
  /** Items that are still to come, as far as is known; at least one. */
  expected?: number
  /** Where the next step begins, where `done` does not say it. */
  position?: string
  planVersion?: number
}

/** Of an {@link OpenJob}. */
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

/** The run that does a job's steps. A step of another run changes nothing. */
export interface JobRun {
  jobId: string
  runId: string
}

/**
 * Runs one step and updates the job's progress in the same transaction. Each step takes effect exactly once, even if
 * the process is killed or the call is repeated. The fence is the job's row: it holds the run that does the job and the step
 * that comes next, and a step that comes late is rolled back.
 * @param work does the step; undefined where the job is elsewhere than the caller thought, and nothing was done.
 * @returns the progress.
 * @throws Problem 409 when the job was withdrawn or cancelled, or another run does it by now; and the errors of the work.
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
    if (!job || job.status === 'Cancelled' || job.status === 'Failed') {
      const detail = `The job ${jobId} is ${job ? job.status.toLowerCase() : 'withdrawn'}.`
      throw conflict('job-ended', detail)
    }
    if (job.run_id !== runId) throw hasAnotherRun(jobId)
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
        position: made.position ?? job.position,
        plan_version: made.planVersion ?? job.plan_version,
        started_at: job.started_at ?? new Date(),
        crashes: 0,
        ...(end ? { finished_at: new Date() } : {}),
      })
    if (changed === 0) throw hasAnotherRun(jobId)
    if (!end) return { state: 'open', done, total }
    await noteEvents(trx, tenant, 'job', [{ id: jobId, kind: 'completed' }])
    return endedJob({ done, total }, counts)
  })
}

/** The total of a job after a step: it is only settled by the end, and grows while there is more to do than was known. */
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

/** 409 for a run that does its job no longer. */
export const hasAnotherRun = (jobId: string): Problem =>
  conflict('job-ended', `The job ${jobId} has another run by now.`)

/** The counts of a job with those of a step. */
export function countsAfter(counts: Counts, more: Step['counts']): Counts {
  if (typeof more === 'function') return more(counts)
  for (const [outcome, n] of Object.entries(more)) counts[outcome] = (counts[outcome] ?? 0) + n
  return counts
}
