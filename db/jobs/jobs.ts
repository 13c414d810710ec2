// Reads the jobs of one tenant and changes their state.
import type { Knex } from 'knex'
import { conflict } from '../../runtime/problems/problem.js'
import type { CodeOf } from '../../runtime/problems/problem-codes.js'
import { kindOf, kindsWith } from '../../workflows/jobs/contracts.js'
import { clearToldIds, presentActor, recordAction } from '../audit/action.js'
import { ago, now } from '../clock.js'
import type { Db, TenantId } from '../connect.js'
import { transaction } from '../errors.js'
import { groupedBy } from '../rows.js'
import { changeJobs, type LockedJob, lockedColumns, lockJobs, type StateChange } from './change-jobs.js'
import {
  cancellableStatuses,
  columnsOf,
  isOpen,
  isStopped,
  type JobRow,
  type JobStatus,
  openStatuses,
  type StoredProblem,
  type Waiting,
} from './job-row.js'

/** A job that was to be changed. */
export interface ChangedJob {
  id: string
  isChanged: boolean
  /** Its present status. */
  status: JobStatus
}

/** Creates the store of a tenant's jobs. Clients see the row; the workflow in Temporal only moves it on. */
export const jobStore = (db: Db, tenant: TenantId) => {
  const rows = () => db('jobs').where({ tenant_id: tenant, deleted_at: null })
  const one = (id: string) => rows().where({ id })

  /** Changes jobs in a transaction of their own, and tells the audit if it has changed any. */
  const changeAll = (ids: readonly string[], change: StateChange) =>
    transaction(db, 'unqueued', async trx => {
      // An operator changes jobs of several tenants in one action. Each tenant is told of its own.
      clearToldIds()
      const all = await changeJobs(trx, tenant, ids, change)
      if (all.changed.size > 0) await recordAction(trx, tenant)
      return all
    })

  /** Changes a job in the caller's transaction. @returns false if there is no such job, or it was not changed. */
  const changeIn = async (trx: Knex.Transaction, id: string, change: StateChange): Promise<boolean> =>
    (await changeJobs(trx, tenant, [id], change)).changed.has(id)

  /** Changes a job as `changeIn` does, in a transaction of its own. */
  const change = (id: string, to: StateChange): Promise<boolean> =>
    transaction(db, 'unqueued', trx => changeIn(trx, id, to))

  return {
    byId: (id: string): Promise<JobRow | undefined> => one(id).first(columnsOf(db)),

    /**
     * Returns the job that an earlier request with this key created or joined. `request_hash` is the hash of that
     * request.
     */
    async byIdempotencyKey(actor: string, key: string): Promise<JobRow | undefined> {
      const made: JobRow | undefined = await rows().where({ actor, idempotency_key: key }).first(columnsOf(db))
      if (made) return made
      for (const requests of requestTables) {
        const joined: { job_id: string; request_hash: string } | undefined = await db(requests)
          .where({ tenant_id: tenant, actor, idempotency_key: key })
          .first('job_id', 'request_hash')
        const job: JobRow | undefined = joined && (await one(joined.job_id).first(columnsOf(db)))
        if (joined && job) return { ...job, request_hash: joined.request_hash }
      }
      return undefined
    },

    /**
     * Records that a job has a workflow, so that the outbox does not start it again. Does nothing if the job has begun
     * already, or if its row is locked: then a worker has begun, and may itself be waiting for other writers while it
     * has the row locked. It never waits for a lock, so it needs no turn among the tenant's writers.
     * @param runId the run that does the job, or undefined if that run has closed already.
     */
    async markStarted(id: string, runId: string | undefined): Promise<void> {
      await transaction(db, 'unqueued', async trx => {
        const free = { tenant_id: tenant, id, status: 'Accepted', started_at: null }
        if (!(await trx('jobs').where(free).forUpdate().skipLocked().first('id'))) return
        await trx('jobs')
          .where({ tenant_id: tenant, id })
          .update({ started_at: now(trx), ...(runId === undefined ? {} : { run_id: runId }) })
      })
    },

    /**
     * Deletes a job that was never started, so that its caller can be told that nothing happened. It does not wait for
     * a turn among the tenant's writers, since its caller has already waited for one to accept the job.
     * @returns false if the job has begun after all, or if another request or a provider's change has joined it.
     */
    withdraw: (id: string): Promise<boolean> =>
      transaction(db, 'unqueued', async trx => {
        const [job] = await lockJobs(trx, tenant, [id])
        if (job?.status !== 'Accepted' || job.started_at !== null) return false
        const { requests } = kindOf(job.kind)
        const ofJob = { tenant_id: tenant, job_id: id }
        if (requests !== undefined && (await trx(requests).where(ofJob).limit(2).select('job_id')).length > 1)
          return false
        if (requests !== undefined && (await hasWaitingChange(trx, tenant, id))) return false
        await deleteJobs(trx, tenant, [{ id, kind: job.kind }])
        await recordAction(trx, tenant, 'withdrawn')
        return true
      }),

    /**
     * Makes a run the only one that may do or end the job from now on. A failed or cancelled job becomes open again,
     * because an operator has reset its run. A completed or undone job stays as it is.
     * @param seen the run that did the job before Temporal was asked about `runId`.
     * @param wasOpen whether the job was open then.
     * @returns false if another run has got the job meanwhile, or if it was cancelled or has failed. Nothing is changed then.
     */
    async assignRun(id: string, runId: string, seen: string | null, wasOpen = true): Promise<boolean> {
      if (seen === null) {
        const begun = { run_id: runId, started_at: db.raw('COALESCE(started_at, ?)', [now(db)]) }
        if ((await one(id).whereNull('run_id').whereIn('status', openStatuses).update(begun)) > 0) return true
      }
      return transaction(db, tenant, async trx => {
        const [job] = await lockJobs(trx, tenant, [id])
        if (!job || job.undone_by !== null || job.status === 'Completed') return true
        if (job.run_id !== seen || isOpen(job) !== wasOpen) return false
        const again = {
          status: 'Running',
          problem: null,
          waiting: null,
          started_at: now(trx),
          finished_at: null,
          crashes: 0,
        }
        await trx('jobs')
          .where({ tenant_id: tenant, id })
          .update({ run_id: runId, ...(isOpen(job) ? { started_at: job.started_at ?? now(trx) } : again) })
        return true
      })
    },

    /**
     * Counts a crash at the beginning of a repeated attempt. A worker that dies cannot report it, so each such attempt
     * counts as a crash until it reports that it failed (`reportFailure`) or writes a step, both of which set the count
     * to 0, or that its worker was stopped in order (`forgetCrash`).
     * @returns crashes in a row, this attempt included; at most 255.
     */
    async countCrash(id: string): Promise<number> {
      await one(id).update({ crashes: db.raw('LEAST(crashes + 1, 255)') })
      const job: { crashes: number } | undefined = await one(id).first('crashes')
      return job?.crashes ?? 0
    },

    /** Takes back what `countCrash` has counted for an attempt, because its worker was stopped in order. */
    async forgetCrash(id: string, runId: string): Promise<void> {
      await one(id)
        .where({ run_id: runId })
        .where('crashes', '>', 0)
        .update({ crashes: db.raw('crashes - 1') })
    },

    /**
     * Records that an attempt has failed, and whether the job now waits for the next one. Sets the crashes to 0, since
     * the attempt has lived to report it. Does nothing if the job has ended or another run does it now.
     */
    async reportFailure(id: string, runId: string, waiting: Waiting | undefined): Promise<void> {
      await one(id)
        .where({ run_id: runId })
        .whereIn('status', openStatuses)
        .update({ crashes: 0, waiting: waiting === undefined ? null : JSON.stringify(waiting) })
    },

    /**
     * Marks a job as failed by its run. Ignores the problems `job-ended` and `job-cancelled`, which only tell a late
     * step that there is nothing left to do. They may arrive from a cancelled run after a retry has opened the job
     * again.
     * @param giveUp writes, in the same transaction, what becomes of the job's work.
     * @returns false if the job has ended, if another run does it now, or if the problem was ignored.
     */
    fail: (
      id: string,
      runId: string,
      problem: StoredProblem,
      giveUp?: (trx: Knex.Transaction) => Promise<unknown>,
    ): Promise<boolean> =>
      transaction(db, 'unqueued', async trx => {
        const isFailed = await changeIn(trx, id, {
          isRight: job => isOpen(job) && job.run_id === runId && !endsOfJob.includes(problem.code),
          to: job => ({
            ...failed(db, problem),
            ...(kindOf(job.kind).endsWhole?.includes(problem.code) ? { total: db.raw('done') } : {}),
          }),
          event: 'failed',
        })
        if (isFailed) await giveUp?.(trx)
        return isFailed
      }),

    /**
     * Marks a job as failed because its run was terminated, or is stuck.
     * @param seen the job as it was before Temporal was asked about its run.
     * @returns false if the job has since ended, started again or got another run.
     */
    failWithRun: (seen: Pick<JobRow, 'id' | 'run_id' | 'started_at'>, problem: StoredProblem): Promise<boolean> => {
      const isAsSeen = (job: LockedJob) =>
        job.run_id === seen.run_id && job.started_at?.getTime() === seen.started_at?.getTime()
      const isRight = (job: LockedJob) => isOpen(job) && isAsSeen(job)
      return change(seen.id, { isRight, to: failed(db, problem), event: 'failed' })
    },

    /** Cancels a job as `cancelAll` does, or gives it up. @returns false if it had ended otherwise. */
    async cancel(id: string): Promise<boolean> {
      return (await this.cancelAll([id], cancellableStatuses)).some(({ isChanged }) => isChanged)
    },

    /**
     * Cancels the jobs that have one of these statuses, in one transaction. From then on no step of them is written.
     * The runs of open jobs, which may go on for a while, have yet to be cancelled in Temporal. Failed jobs, whose runs
     * have closed, are given up.
     * @param statuses some of {@link cancellableStatuses}.
     * @returns the jobs that exist.
     */
    async cancelAll(ids: readonly string[], statuses: readonly JobStatus[]): Promise<ChangedJob[]> {
      const isRight = ({ status }: LockedJob) => statuses.includes(status)
      const to = (job: LockedJob) => ({
        ...cancelled(db),
        // A run that does all jobs of its workflow id goes on with the others, and finds out by itself.
        cancel_run_since: isOpen(job) && kindOf(job.kind).startsBySignal === undefined ? now(db) : null,
      })
      const { jobs, changed } = await changeAll(ids, { isRight, to, event: 'cancelled' })
      return jobs.map(job => changedJob(job, changed, 'Cancelled'))
    },

    /** Marks an open job as cancelled because its run was. @returns false if the job had ended already. */
    cancelWithRun: (id: string): Promise<boolean> =>
      change(id, { isRight: isOpen, to: cancelled(db), event: 'cancelled' }),

    /**
     * Records that the run of a cancelled job needs no more cancelling, unless a retry has begun another attempt.
     * @param olderThanMs how long ago the job must have been cancelled.
     * @returns false if nothing was recorded.
     */
    markRunCancelled: async ({ id, attempt }: Pick<JobRow, 'id' | 'attempt'>, olderThanMs: number): Promise<boolean> =>
      (await one(id)
        .where({ attempt })
        .where('cancel_run_since', '<=', ago(db, olderThanMs))
        .update({ cancel_run_since: null })) > 0,

    /**
     * Records which job reverses this one, in the transaction that accepts the reversal.
     * @throws Problem 409 as {@link requireReversible}.
     */
    async reverse(id: string, by: string): Promise<void> {
      const job: LockedJob | undefined = await one(id)
        .forUpdate()
        .first(...lockedColumns)
      requireReversible(job)
      await one(id).update({ undone_by: by })
    },

    /**
     * Sets a failed or cancelled job back to accepted and not started, as its next attempt, in the caller's transaction.
     * @param input its new input, as JSON; unchanged if absent.
     * @returns false if the job is neither, or is undone.
     */
    reopen: (trx: Knex.Transaction, id: string, input?: string): Promise<boolean> =>
      changeIn(trx, id, {
        isRight: isStopped,
        to: { ...(input === undefined ? {} : { input }), ...reopened(db) },
      }),

    /**
     * Sets the jobs that have one of these statuses back as `reopen` does, in one transaction.
     * @param statuses some of {@link stoppedStatuses}.
     * @returns the jobs that exist.
     */
    async reopenAll(ids: readonly string[], statuses: readonly JobStatus[]): Promise<ChangedJob[]> {
      const isRight = ({ status }: LockedJob) => statuses.includes(status)
      const { jobs, changed } = await changeAll(ids, { isRight, to: reopened(db) })
      return jobs.map(job => changedJob(job, changed, 'Accepted'))
    },
  }
}

/** Tells whether a provider's change waits for a job to refresh its data set. Such a change leaves no row of a request. */
const hasWaitingChange = async (trx: Knex.Transaction, tenant: TenantId, jobId: string): Promise<boolean> =>
  (await trx('data_set_changes as c')
    .join('data_sets as d', join => join.on('d.tenant_id', 'c.tenant_id').on('d.extract_key', 'c.extract_key'))
    .where({ 'd.tenant_id': tenant, 'd.refresh_job': jobId })
    .whereRaw('COALESCE(c.failed_last, 0) < c.ticket')
    .first('c.ticket')) !== undefined

/** The tables that record the requests of kinds whose jobs several requests may share. */
const requestTables = new Set(kindsWith('requests').flatMap(kind => kindOf(kind).requests ?? []))

/** Problems with which a step says that its job has ended already. */
const endsOfJob: readonly string[] = ['job-ended', 'job-cancelled'] satisfies CodeOf<409>[]

const cancelled = (db: Db) => ({ status: 'Cancelled', finished_at: now(db), cancelled_by: presentActor() })

const reopened = (db: Db) => ({
  status: 'Accepted',
  problem: null,
  waiting: null,
  started_at: null,
  finished_at: null,
  cancel_run_since: null,
  attempt: db.raw('attempt + 1'),
  retried_by: presentActor(),
  crashes: 0,
})

const changedJob = ({ id, status }: LockedJob, changed: ReadonlySet<string>, to: JobStatus): ChangedJob => {
  const isChanged = changed.has(id)
  return { id, isChanged, status: isChanged ? to : status }
}

const failed = (db: Db, problem: StoredProblem) => ({
  status: 'Failed',
  problem: JSON.stringify(problem),
  finished_at: now(db),
})

/**
 * Checks that a job can be reversed.
 * @throws Problem 409 if it does not exist, has not ended, or is reversed already.
 */
export function requireReversible(job: LockedJob | undefined): void {
  if (!job || isOpen(job)) throw conflict('job-not-ended', 'Only a job that has ended can be undone.')
  if (job.undone_by !== null) throw conflict('job-undone', `The job is undone already, by the job ${job.undone_by}.`)
}

/**
 * Tells whether a job is open, and locks its row so that it stays open until the caller's transaction ends. The job's
 * next step then sees what this transaction has written.
 */
export async function isOpenFor(trx: Knex.Transaction, tenant: TenantId, id: string): Promise<boolean> {
  const job = await trx('jobs').where({ tenant_id: tenant, id }).forShare().first('status')
  return job !== undefined && isOpen(job)
}

/** Deletes jobs, with their rows in the tables of their kinds. */
export async function deleteJobs(
  trx: Knex.Transaction,
  tenant: TenantId,
  jobs: readonly Pick<JobRow, 'id' | 'kind'>[],
): Promise<void> {
  for (const [kind, ofKind] of groupedBy(jobs, job => job.kind)) {
    const ids = ofKind.map(({ id }) => id)
    for (const table of kindOf(kind).tables)
      await trx(table).where({ tenant_id: tenant }).whereIn('job_id', ids).delete()
    await trx('jobs').where({ tenant_id: tenant }).whereIn('id', ids).delete()
  }
}
