// Runs one step of a job in the transaction that also writes its progress.
import type { Knex } from 'knex'
import { conflict } from '../../runtime/problem.js'
import type { JobProgress } from '../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../connect.js'
import { transaction } from '../errors.js'
import { noteEvents } from '../events.js'
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
] as const
export type OpenJob = Pick<JobRow, (typeof columns)[number]>

/**
 * Runs one step and updates the job's progress in the same transaction. Each step takes effect exactly once, even if
 * the process is killed or the call is repeated.
 * @param work does the step; undefined where the job is elsewhere than the caller thought, and nothing was done.
 * @returns the progress; `done` equals `total` when nothing is left.
 * @throws Problem 409 when the job was withdrawn or cancelled, and the errors of the work.
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
      // The name tells other processes by which connection the row is held.
      .first(...columns, trx.raw('GET_LOCK(?, 0)', [nameOf(jobId)]))
    try {
      return await step(trx, tenant, jobId, job, work)
    } finally {
      await trx.raw('DO RELEASE_LOCK(?)', [nameOf(jobId)]).catch(() => undefined)
    }
  })
}

/**
 * Does a step of a job whose row is locked, and updates its progress.
 * @throws as {@link advance}.
 */
async function step(
  trx: Knex.Transaction,
  tenant: TenantId,
  jobId: string,
  job: OpenJob | undefined,
  work: (trx: Knex.Transaction, job: OpenJob) => Promise<Step | undefined>,
): Promise<JobProgress> {
  if (job?.status === 'Completed') return { done: job.total, total: job.total, counts: JSON.parse(job.counts) }
  if (!job || job.status === 'Cancelled' || job.status === 'Failed') {
    const detail = `The job ${jobId} is ${job ? job.status.toLowerCase() : 'withdrawn'}.`
    throw conflict('job-ended', detail)
  }
  const made = await work(trx, job)
  if (!made) return { done: job.done, total: job.total }
  const counts = countsAfter(JSON.parse(job.counts), made.counts)
  const total = made.ended ? made.done : Math.max(job.total, made.done + (made.expected ?? 1))
  await trx('jobs')
    .where({ tenant_id: tenant, id: jobId })
    .update({
      status: made.ended ? 'Completed' : 'Running',
      done: made.done,
      total,
      counts: JSON.stringify(counts),
      position: made.position ?? job.position,
      plan_version: made.planVersion ?? job.plan_version,
      started_at: job.started_at ?? new Date(),
      crashes: 0,
      ...(made.ended ? { finished_at: new Date() } : {}),
    })
  if (made.ended) await noteEvents(trx, tenant, 'job', [{ id: jobId, kind: 'completed' }])
  return { done: made.done, total, ...(made.ended ? { counts } : {}) }
}

/** Name of the lock that a step of a job holds besides its rows: MySQL tells whose it is. */
const nameOf = (jobId: string): string => `armature.job.${jobId}`

/**
 * Closes the connection by which another process still does a step of the job, which rolls it back. Temporal has given the
 * job to this process: the other one hangs, or has not heard of it yet.
 * @returns whether there was one.
 */
export async function endOtherSteps(db: Db, jobId: string): Promise<boolean> {
  const [[used]] = await db.raw('SELECT IS_USED_LOCK(?) AS connection', [nameOf(jobId)])
  if (used.connection === null) return false
  await db.raw('KILL CONNECTION ?', [Number(used.connection)]).catch((error: { code?: string }) => {
    // It has just ended by itself.
    if (error.code !== 'ER_NO_SUCH_THREAD') throw error
  })
  return true
}

/** The counts of a job with those of a step. */
export function countsAfter(counts: Counts, more: Step['counts']): Counts {
  if (typeof more === 'function') return more(counts)
  for (const [outcome, n] of Object.entries(more)) counts[outcome] = (counts[outcome] ?? 0) + n
  return counts
}
