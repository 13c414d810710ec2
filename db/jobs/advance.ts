import type { Knex } from 'knex'
import { Problem } from '../../runtime/problem.js'
import type { JobProgress } from '../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../connect.js'
import { transaction } from '../errors.js'
import type { JobRow } from './jobs.js'

export type Counts = Record<string, number>

/** How far a job has come by one step of it. */
export interface Step {
  done: number
  /** Nothing is left. */
  ended: boolean
  /** Items of the step by outcome, which are added to the job's; or the job's counts as they become. */
  counts: Counts | ((before: Counts) => Counts)
  /** Items that are still to come, as far as is known; at least one. */
  expected?: number
  /** Where the next step begins, where `done` does not say it. */
  position?: string
  planVersion?: number
}

const columns = [
  'kind',
  'status',
  'done',
  'total',
  'counts',
  'plan_version',
  'input',
  'position',
  'attempt',
  'accepted_at',
  'started_at',
] as const
export type OpenJob = Pick<JobRow, (typeof columns)[number]>

/**
 * Does one step of a job in one transaction with the job's progress, which is also the place of the next step: however
 * often this is called, and after whatever kill, each step is done once.
 * @param work does the step; undefined where the job is elsewhere than the caller thought, and nothing was done.
 * @returns the progress; `done` equals `total` when nothing is left.
 * @throws Problem 410 when the job was withdrawn or cancelled, and what the work throws.
 */
export async function advance(
  db: Db,
  tenant: TenantId,
  jobId: string,
  work: (trx: Knex.Transaction, job: OpenJob) => Promise<Step | undefined>,
): Promise<JobProgress> {
  return transaction(db, tenant, async trx => {
    const job: OpenJob | undefined = await trx('jobs')
      .where({ tenant_id: tenant, id: jobId })
      .forUpdate()
      .first(...columns)
    if (job?.status === 'Completed') return { done: job.total, total: job.total }
    if (!job || job.status === 'Cancelled' || job.status === 'Failed') {
      const detail = `The job ${jobId} is ${job ? job.status.toLowerCase() : 'withdrawn'}.`
      throw new Problem(410, 'job-ended', 'The job has ended', detail)
    }
    const step = await work(trx, job)
    if (!step) return { done: job.done, total: job.total }
    const total = step.ended ? step.done : Math.max(job.total, step.done + (step.expected ?? 1))
    await trx('jobs')
      .where({ tenant_id: tenant, id: jobId })
      .update({
        status: step.ended ? 'Completed' : 'Running',
        done: step.done,
        total,
        counts: JSON.stringify(countsAfter(JSON.parse(job.counts), step.counts)),
        position: step.position ?? job.position,
        plan_version: step.planVersion ?? job.plan_version,
        started_at: job.started_at ?? new Date(),
        ...(step.ended ? { finished_at: new Date() } : {}),
      })
    return { done: step.done, total }
  })
}

function countsAfter(counts: Counts, more: Step['counts']): Counts {
  if (typeof more === 'function') return more(counts)
  for (const [outcome, n] of Object.entries(more)) counts[outcome] = (counts[outcome] ?? 0) + n
  return counts
}
