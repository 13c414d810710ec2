// Runs one step of a job in the transaction that also writes its progress.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import { conflict } from '../../runtime/problem.js'
import { type JobProgress, mostRanges } from '../../workflows/jobs/contracts.js'
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
export const columns = [
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
      await release(trx, namesOf(jobId))
    }
  })
}

/** A step whose work is done in its own transaction before the step before it has ended. */
export interface StepAhead {
  /**
   * Waits for its work, and writes it with the job's progress. Called once, after the step before it has ended.
   * @returns as {@link advance}; where the job is elsewhere than the work thought, nothing of it is written.
   */
  commit(): Promise<JobProgress>
  /** Takes its work back. Resolves when its transaction is over, also after {@link StepAhead.commit}. */
  giveUp(): Promise<void>
}

/** How long a step whose work is done keeps its locks before its turn, in ms. The step before it may wait for them. */
const patienceMs = 1_000

/**
 * Begins the work of a step that comes after the present one, without a lock of the job. Where its turn does not come soon, it
 * takes the work back, and does it again in its turn.
 * @param prepare does the work, maybe twice. It returns the step that this makes of the job; that one's undefined takes the work back.
 */
export function stepAhead(
  db: Db,
  tenant: TenantId,
  jobId: string,
  prepare: (trx: Knex.Transaction) => Promise<(job: OpenJob) => Step | undefined | Promise<Step | undefined>>,
): StepAhead {
  let decide: (isMeant: boolean) => void = () => undefined
  const isMeant = new Promise<boolean>(resolve => {
    decide = resolve
  })
  const work = async (trx: Knex.Transaction) => {
    // The step before it may have the first name.
    await trx.raw('DO IF(GET_LOCK(?, 0), 1, GET_LOCK(?, 0))', namesOf(jobId))
    try {
      const stepOf = await prepare(trx)
      if (!(await soon(isMeant))) throw new TakenBack()
      const job: OpenJob | undefined = await trx('jobs')
        .where({ tenant_id: tenant, id: jobId })
        .forUpdate()
        .first(...columns)
      let isMade = false
      const progress = await step(trx, tenant, jobId, job, async (_, now) => {
        const next = await stepOf(now)
        isMade = next !== undefined
        return next
      })
      if (!isMade) throw new TakenBack(progress)
      return progress
    } finally {
      await release(trx, namesOf(jobId))
    }
  }
  async function made(): Promise<JobProgress> {
    for (;;) {
      try {
        return await transaction(db, tenant, work)
      } catch (error) {
        if (!(error instanceof TakenBack)) throw error
        if (error.progress) return error.progress
        if (!(await isMeant)) throw error
      }
    }
  }
  const result = made()
  // Its failure counts when its turn comes.
  result.catch(() => undefined)
  return {
    commit() {
      decide(true)
      return result
    },
    async giveUp() {
      decide(false)
      await result.catch(() => undefined)
    },
  }
}

/** A decision; undefined where it is not made within the patience. */
async function soon(decision: Promise<boolean>): Promise<boolean | undefined> {
  const waited = new AbortController()
  try {
    return await Promise.race([decision, sleep(patienceMs, undefined, { signal: waited.signal })])
  } finally {
    waited.abort()
  }
}

/** Rolls a transaction back whose work is not wanted, or not yet. @param progress where the job is elsewhere. */
class TakenBack extends Error {
  override readonly name = 'TakenBack'
  constructor(readonly progress?: JobProgress) {
    super('The step is not the next one of its job')
  }
}

/** A step that does nothing before its turn. */
export const stepInTurn = (commit: () => Promise<JobProgress>): StepAhead => ({ commit, giveUp: async () => undefined })

/**
 * Does a step of a job whose row is locked, and updates its progress.
 * @throws as {@link advance}.
 */
export async function step(
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

/** Names of the locks that two steps of a job hold besides their rows: MySQL tells whose they are. */
const namesOf = (jobId: string): [string, string] => [nameOf(jobId), `${nameOf(jobId)}.next`]
/** @param range the number of a range, of which a step has a name of its own. */
export const nameOf = (jobId: string, range?: number): string =>
  `armature.job.${jobId}${range === undefined ? '' : `.${range}`}`

/** Gives the names back that the connection has. */
export async function release(trx: Knex.Transaction, names: readonly string[]): Promise<void> {
  await trx.raw(`DO ${names.map(() => 'RELEASE_LOCK(?)').join()}`, names).catch(() => undefined)
}

/**
 * Closes the connections by which another process still does steps of the job, which rolls them back. Temporal has given the
 * job to this process: the other one hangs, or has not heard of it yet.
 * @param range the number of a range, whose steps alone are ended.
 * @returns whether there was one.
 */
export async function endOtherSteps(db: Db, jobId: string, range?: number): Promise<boolean> {
  const ofRanges = Array.from({ length: mostRanges }, (_, n) => nameOf(jobId, n + 1))
  const names = range === undefined ? [...namesOf(jobId), ...ofRanges] : [nameOf(jobId, range)]
  const [[used]] = await db.raw(`SELECT ${names.map((_, n) => `IS_USED_LOCK(?) AS n${n}`).join()}`, names)
  const connections = Object.values(used).filter(connection => connection !== null)
  for (const connection of connections) {
    await db.raw('KILL CONNECTION ?', [Number(connection)]).catch((error: { code?: string }) => {
      // It has just ended by itself.
      if (error.code !== 'ER_NO_SUCH_THREAD') throw error
    })
  }
  return connections.length > 0
}

/** The counts of a job with those of a step. */
export function countsAfter(counts: Counts, more: Step['counts']): Counts {
  if (typeof more === 'function') return more(counts)
  for (const [outcome, n] of Object.entries(more)) counts[outcome] = (counts[outcome] ?? 0) + n
  return counts
}
