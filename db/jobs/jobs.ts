// Jobs of one tenant: rows, lists and changes of state.
import type { Knex } from 'knex'
import { conflict, type ProblemJson } from '../../runtime/problems/problem.js'
import { type JobKind, kindOf, kindsWith, type Queue } from '../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../connect.js'
import { transaction } from '../errors.js'
import { noteEvents } from '../events.js'
import type { ChangeKind } from '../feeds.js'
import { type Page, type PageRequest, readPage } from '../paging.js'
import { groupedBy } from '../rows.js'

export type JobStatus = 'Accepted' | 'Running' | 'Completed' | 'Failed' | 'Cancelled'

export interface JobRow {
  id: string
  kind: JobKind
  status: JobStatus
  queue: Queue
  actor: string
  workflow_id: string
  trace_id: string
  /** W3C `traceparent` of the request, where it was traced: its run belongs to the same trace whenever it starts. */
  trace_parent: string | null
  total: number
  done: number
  plan_version: number
  counts: string
  problem: string | null
  input: string | null
  position: string | null
  undone_by: string | null
  request_hash: string | null
  accepted_at: Date
  started_at: Date | null
  finished_at: Date | null
  /** How often it was begun: a retry begins another one. */
  attempt: number
  /** The run of Temporal that does the job; null before one has begun. */
  run_id: string | null
}

/** A problem as it is kept with the job whose failure it is. */
export type StoredProblem = Omit<ProblemJson, 'headers'>

const lockedColumns = ['kind', 'status', 'started_at', 'undone_by', 'run_id'] as const
type LockedJob = Pick<JobRow, (typeof lockedColumns)[number]>

/** Of a job that has not ended. */
export const openStatuses: readonly JobStatus[] = ['Accepted', 'Running']
/** It may still be completed without anybody's doing. */
export const isOpen = ({ status }: Pick<JobRow, 'status'>): boolean => openStatuses.includes(status)

export interface JobFilter {
  kinds?: string[] | undefined
  statuses?: string[] | undefined
  acceptedFrom?: Date | undefined
  acceptedTo?: Date | undefined
}

/** Of a JobRow. */
export const columns = [
  'id',
  'kind',
  'status',
  'queue',
  'actor',
  'workflow_id',
  'trace_id',
  'trace_parent',
  'total',
  'done',
  'plan_version',
  'counts',
  'problem',
  'input',
  'position',
  'undone_by',
  'request_hash',
  'accepted_at',
  'started_at',
  'finished_at',
  'attempt',
  'run_id',
]

/** Jobs of one tenant: the row is the truth about a job, the workflow is what carries it. */
export const jobStore = (db: Db, tenant: TenantId) => {
  const rows = () => db('jobs').where({ tenant_id: tenant })
  const one = (id: string) => rows().where({ id })

  // By the primary key, as the writers of chunks do: a condition on the status would take its index first, and deadlock.
  const locked = (trx: Knex.Transaction, id: string): Promise<LockedJob | undefined> =>
    trx('jobs')
      .where({ tenant_id: tenant, id })
      .forUpdate()
      .first(...lockedColumns)

  /** Changes a job that is as it has to be, and not undone. @param event how it ends. @returns whether it was so. */
  const change = (
    id: string,
    isRight: (job: LockedJob) => boolean,
    to: object | ((job: LockedJob) => object),
    event?: ChangeKind<'job'>,
  ): Promise<boolean> =>
    transaction(db, tenant, async trx => {
      const job = await locked(trx, id)
      if (!job || job.undone_by !== null || !isRight(job)) return false
      await trx('jobs')
        .where({ tenant_id: tenant, id })
        .update(typeof to === 'function' ? to(job) : to)
      if (event) await noteEvents(trx, tenant, 'job', [{ id, kind: event }])
      return true
    })

  return {
    page: (filter: JobFilter, page: PageRequest): Promise<Page<JobRow>> =>
      readPage<JobRow>(
        () => {
          const query = rows()
          if (filter.kinds) query.whereIn('kind', filter.kinds)
          if (filter.statuses) query.whereIn('status', filter.statuses)
          if (filter.acceptedFrom) query.where('accepted_at', '>=', filter.acceptedFrom)
          if (filter.acceptedTo) query.where('accepted_at', '<', filter.acceptedTo)
          return query.select(columns)
        },
        'id',
        page,
      ),

    byId: (id: string): Promise<JobRow | undefined> => one(id).first(columns),

    /** The job that a request with this key made or joined, with the hash of that request. */
    async byIdempotencyKey(actor: string, key: string): Promise<JobRow | undefined> {
      const made: JobRow | undefined = await rows().where({ actor, idempotency_key: key }).first(columns)
      if (made) return made
      for (const requests of requestTables) {
        const joined: { job_id: string; request_hash: string } | undefined = await db(requests)
          .where({ tenant_id: tenant, actor, idempotency_key: key })
          .first('job_id', 'request_hash')
        const job: JobRow | undefined = joined && (await one(joined.job_id).first(columns))
        if (joined && job) return { ...job, request_hash: joined.request_hash }
      }
      return undefined
    },

    /**
     * The job has a workflow now: the outbox need not look after it. A worker that has begun holds the row, and may
     * wait for others' writes with it: then there is nothing to note. It takes no turn, since it waits for no row.
     * @param runId the run that does it; undefined where it had closed before.
     */
    async markStarted(id: string, runId: string | undefined): Promise<void> {
      await transaction(db, 'platform', async trx => {
        const free = { tenant_id: tenant, id, status: 'Accepted', started_at: null }
        if (!(await trx('jobs').where(free).forUpdate().skipLocked().first('id'))) return
        await trx('jobs')
          .where({ tenant_id: tenant, id })
          .update({ started_at: new Date(), ...(runId === undefined ? {} : { run_id: runId }) })
      })
    },

    /**
     * Takes a job back that was never handed over, so that its caller can be told that nothing happened. It takes no turn, so
     * that a caller who had one does not wait for another.
     * @returns false when work has begun after all, or another request has joined the job.
     */
    withdraw: (id: string): Promise<boolean> =>
      transaction(db, 'platform', async trx => {
        const job = await locked(trx, id)
        if (job?.status !== 'Accepted' || job.started_at !== null) return false
        const { requests } = kindOf(job.kind)
        const ofJob = { tenant_id: tenant, job_id: id }
        if (requests !== undefined && (await trx(requests).where(ofJob).limit(2).select('job_id')).length > 1)
          return false
        await deleteJobs(trx, tenant, [{ id, kind: job.kind }])
        return true
      }),

    /** Which run does the job; undefined where there is no such job. */
    assignment: (id: string): Promise<Pick<JobRow, 'status' | 'run_id' | 'started_at'> | undefined> =>
      one(id).first('status', 'run_id', 'started_at'),

    /**
     * Notes that a run does the job from now on, and that no other one may end it. A job that has failed or was cancelled
     * is open again, because its run was reset. A job that is completed or undone stays as it is.
     */
    assignRun: (id: string, runId: string): Promise<void> =>
      transaction(db, tenant, async trx => {
        const job = await locked(trx, id)
        if (!job || job.undone_by !== null || job.status === 'Completed') return
        const again = { status: 'Running', problem: null, started_at: new Date(), finished_at: null, crashes: 0 }
        await trx('jobs')
          .where({ tenant_id: tenant, id })
          .update({ run_id: runId, ...(isOpen(job) ? { started_at: job.started_at ?? new Date() } : again) })
      }),

    /**
     * Notes that an attempt begins after another one has ended. It counts as a crash until it reports an end.
     * @returns attempts in a row that reported none, this one included; a step that is written sets them to 0.
     */
    async countCrash(id: string): Promise<number> {
      await one(id).update({ crashes: db.raw('LEAST(crashes + 1, 255)') })
      const job: { crashes: number } | undefined = await one(id).first('crashes')
      return job?.crashes ?? 0
    },

    /** Notes that an attempt reports its end. */
    async resetCrashes(id: string): Promise<void> {
      await one(id).update({ crashes: 0 })
    },

    /**
     * Marks the job as failed by its run. That the job has ended is no failure of it. A step of a cancelled run may say so late,
     * when a retry has opened the job already.
     * @returns false if it has ended, or another run does it by now.
     */
    fail: (id: string, runId: string, problem: StoredProblem): Promise<boolean> =>
      change(
        id,
        job => isOpen(job) && job.run_id === runId && problem.code !== 'job-ended',
        job => ({
          ...failed(problem),
          ...(kindOf(job.kind).endsWhole?.includes(problem.code) ? { total: db.raw('done') } : {}),
        }),
        'failed',
      ),

    /**
     * Marks the job as failed whose run was ended from outside.
     * @param seen the job before its run was looked at.
     * @returns false if it has ended since, or has another run.
     */
    failWithRun: (seen: Pick<JobRow, 'id' | 'run_id' | 'started_at'>, problem: StoredProblem): Promise<boolean> => {
      const isAsSeen = (job: LockedJob) =>
        job.run_id === seen.run_id && job.started_at?.getTime() === seen.started_at?.getTime()
      return change(seen.id, job => isOpen(job) && isAsSeen(job), failed(problem), 'failed')
    },

    /** @returns false when the job had ended already. */
    cancel: (id: string): Promise<boolean> =>
      change(id, isOpen, { status: 'Cancelled', finished_at: new Date() }, 'cancelled'),

    /**
     * Notes, inside the transaction that accepts it, which job reverses this one.
     * @throws Problem 409 as {@link requireReversible}.
     */
    async reverse(id: string, by: string): Promise<void> {
      const job: LockedJob | undefined = await one(id)
        .forUpdate()
        .first(...lockedColumns)
      requireReversible(job)
      await one(id).update({ undone_by: by })
    },

    /** Makes a failed or cancelled job one that is accepted and not started. @returns false when it is neither, or undone. */
    reopen: (id: string): Promise<boolean> =>
      change(id, ({ status }) => status === 'Failed' || status === 'Cancelled', {
        status: 'Accepted',
        problem: null,
        started_at: null,
        finished_at: null,
        attempt: db.raw('attempt + 1'),
        crashes: 0,
      }),
  }
}

/** Tables of requests that share jobs. */
const requestTables = new Set(kindsWith('requests').flatMap(kind => kindOf(kind).requests ?? []))

const failed = (problem: StoredProblem) => ({
  status: 'Failed',
  problem: JSON.stringify(problem),
  finished_at: new Date(),
})

/** @throws Problem 409 when a job has not ended, or is reversed already. */
export function requireReversible(job: LockedJob | undefined): void {
  if (!job || isOpen(job)) throw conflict('job-not-ended', 'Only a job that has ended can be undone.')
  if (job.undone_by !== null) throw conflict('job-undone', `The job is undone already, by the job ${job.undone_by}.`)
}

/** Whether a job is open; then it stays so until the transaction ends, and its next step sees what is written here. */
export async function isOpenFor(trx: Knex.Transaction, tenant: TenantId, id: string): Promise<boolean> {
  const job = await trx('jobs').where({ tenant_id: tenant, id }).forShare().first('status')
  return job !== undefined && isOpen(job)
}

/** Deletes jobs with all that was written down for them. */
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
