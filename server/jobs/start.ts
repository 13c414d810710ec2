import type { Knex } from 'knex'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { isDuplicate, transaction } from '../../db/errors.js'
import { type PlannedItem, writeChunks } from '../../db/jobs/chunks.js'
import { createJob, JobUnderWay } from '../../db/jobs/create.js'
import { type JobRow, jobStore, type StoredProblem } from '../../db/jobs/jobs.js'
import { newId } from '../../runtime/ids.js'
import { Problem, unavailable } from '../../runtime/problem.js'
import {
  type BulkKind,
  interactiveItems,
  type JobKind,
  type Queue,
  queues,
  workflowIdOf,
} from '../../workflows/jobs/contracts.js'
import { type Answer, accepted, type Request } from '../endpoint.js'
import { fingerprint, idempotencyKey } from './idempotency.js'
import { presentJob } from './present.js'
import { startRun } from './run.js'
import { ended, endHere, runClosed, type WaitOptions } from './wait.js'

export interface JobsOptions extends WaitOptions {
  db: Knex
  uiUrl: string
  namespace: string
}

/** What a new job is to do. */
export interface Work {
  total: number
  queue: Queue
  /** What it is to do, where that is not a planned batch. */
  input?: object
  planVersion?: number
  /** While Temporal is away it stays accepted, and the sweeper starts it; otherwise it is taken back. */
  stays?: boolean
  /** What is written together with the job, in one transaction. */
  write?(trx: Knex.Transaction, jobId: string): Promise<void>
}

interface Plan {
  planned: readonly PlannedItem[]
  planVersion: number
}

type AnyRequest = Request<unknown, unknown>

export type Jobs = ReturnType<typeof createJobs>

/** Accepts jobs, starts their workflows and waits for them. */
export function createJobs(options: JobsOptions) {
  const { db, temporal, ends, uiUrl, namespace } = options
  const links = { uiUrl, namespace }

  async function start(job: JobRow, tenantKey: string): Promise<void> {
    await startRun(temporal(), job, tenantKey)
    if (job.queue === queues.background) await jobStore(db, await tenantIdOf(db, tenantKey)).handedOver(job.id)
  }

  /**
   * Writes the job down: from here on it is not lost. Of two requests with one key at the same moment, one writes it; what is
   * being done already is joined.
   */
  async function accept(request: AnyRequest, kind: JobKind, work: Work): Promise<{ job: JobRow; joined: boolean }> {
    const { caller, traceId } = request
    const { write, stays: _, ...rest } = work
    const id = newId()
    const key = idempotencyKey(request)
    try {
      await transaction(db, async trx => {
        await createJob(trx, caller.tenantId, {
          ...rest,
          id,
          kind,
          actor: caller.clientId,
          workflowId: workflowIdOf(kind, { tenantKey: caller.tenantKey, jobId: id }),
          traceId,
          idempotency: key === undefined ? undefined : { key, hash: fingerprint(request) },
        })
        await write?.(trx, id)
      })
    } catch (error) {
      if (error instanceof JobUnderWay) return { job: await known(request, error.jobId), joined: true }
      const first = isDuplicate(error) ? await earlier(request) : undefined
      if (!first) throw error
      return { job: first, joined: false }
    }
    return { job: await known(request, id), joined: false }
  }

  /**
   * Starts what was just accepted. When Temporal is away the job is taken back, so that 503 means: nothing happened. When it
   * cannot be taken back either, it stays accepted: the sweeper starts it.
   */
  async function startOrWithdraw(job: JobRow, { caller, log: line }: AnyRequest): Promise<void> {
    try {
      await start(job, caller.tenantKey)
    } catch (error) {
      line.error({ err: error, jobId: job.id }, 'the workflow could not be started')
      const withdrawn = await jobStore(db, caller.tenantId)
        .withdraw(job.id)
        .catch(() => false)
      if (withdrawn) throw unavailable('The workflow service', error, 'Nothing was changed. ')
    }
  }

  async function known({ caller }: AnyRequest, id: string): Promise<JobRow> {
    const job = await jobStore(db, caller.tenantId).byId(id)
    if (!job) throw new Error(`The job ${id} is gone`)
    return job
  }

  /** The job that the same key made before. @throws Problem 422 when it was made by another request. */
  async function earlier(request: AnyRequest): Promise<JobRow | undefined> {
    const key = idempotencyKey(request)
    if (key === undefined) return undefined
    const job = await jobStore(db, request.caller.tenantId).byIdempotencyKey(request.caller.clientId, key)
    if (!job || job.request_hash === fingerprint(request)) return job
    const detail = 'This Idempotency-Key was used for another request. Send the same request again, or a new key.'
    throw new Problem(422, 'idempotency-key-reused', 'The idempotency key belongs to another request', detail)
  }

  /** The bulk's work. A batch may take 100 MB; from here on its plan is all that is needed. */
  function bulkWork(request: AnyRequest, { planned, planVersion }: Plan): Work {
    request.body = undefined
    return {
      total: planned.length,
      queue: planned.length <= interactiveItems ? queues.interactive : queues.background,
      planVersion,
      write: (trx, jobId) => writeChunks(trx, request.caller.tenantId, jobId, planned),
    }
  }

  return {
    start,
    runClosed: (job: JobRow) => runClosed(job, temporal()),
    links,

    /**
     * Accepts a job that nobody waits for and starts it. A repeated `Idempotency-Key` finds the first request's job.
     * @param prepare finds out what is to be done, writing nothing; its problem is the answer.
     */
    async begin(request: AnyRequest, kind: JobKind, prepare: () => Promise<Work>): Promise<JobRow> {
      const replayed = await earlier(request)
      if (replayed) return replayed
      let work: Work
      try {
        work = await prepare()
      } catch (error) {
        // The same request may just have done what makes this one impossible.
        const first = await earlier(request)
        if (!first) throw error
        return first
      }
      const { job, joined } = await accept(request, kind, work)
      request.log.info({ jobId: job.id, kind, joined }, 'job')
      if (joined) return job
      const started = work.stays ? start(job, request.caller.tenantKey) : startOrWithdraw(job, request)
      await started.catch(err => {
        if (!work.stays) throw err
        request.log.warn({ err, jobId: job.id }, 'job not started yet')
      })
      return job
    },

    /**
     * Starts jobs that were accepted elsewhere, while the caller is answered already: where that fails, the sweeper starts them.
     */
    startSoon(request: AnyRequest, jobIds: readonly string[]): void {
      for (const id of jobIds) {
        known(request, id)
          .then(job => start(job, request.caller.tenantKey))
          .catch(err => request.log.warn({ err, jobId: id }, 'job not started yet'))
      }
    },

    /** Waits for a job that was begun, and answers as {@link runBulk} does. */
    settled: (request: AnyRequest, job: JobRow, completed: (job: JobRow) => Promise<Answer>): Promise<Answer> =>
      settle(request, job, completed),

    /**
     * Runs a bulk job: plans it (every fault is answered before anything is written), accepts it, starts it and waits.
     * Answers what `written` says (204) when all is written, 202 with the job when the caller prefers that or the time is up,
     * the job's problem when it failed. A repeated `Idempotency-Key` answers what the first request is answered.
     */
    async runBulk(
      request: AnyRequest,
      kind: BulkKind,
      plan: () => Promise<Plan>,
      written: (job: JobRow) => Promise<Answer> = async () => ({ status: 204 }),
    ): Promise<Answer> {
      const replayed = await earlier(request)
      const job = replayed ?? (await accept(request, kind, bulkWork(request, await plan()))).job
      request.log.info({ jobId: job.id, kind }, 'bulk job')
      return settle(request, job, written, replayed ? undefined : () => startOrWithdraw(job, request))
    },
  }

  async function settle(
    request: AnyRequest,
    job: JobRow,
    completed: (job: JobRow) => Promise<Answer>,
    begin?: () => Promise<void>,
  ): Promise<Answer> {
    const here = endHere(ends, job.id)
    try {
      await begin?.()
      const over = isOpen(job) && !prefersAsync(request) && (await ended(job, here.end, options))
      // Where the database goes away in this moment, what is known is that the job was accepted.
      const now = over ? await known(request, job.id).catch(() => job) : job
      return await bulkAnswer(now, request, completed)
    } finally {
      here.forget()
    }
  }

  async function bulkAnswer(job: JobRow, request: AnyRequest, written: (job: JobRow) => Promise<Answer>) {
    const headers = { Location: `/api/v1/jobs/${job.id}` }
    if (job.status === 'Completed') return { ...(await written(job)), headers }
    if (isOpen(job)) {
      const answer = accepted(presentJob(job, links))
      if (prefersAsync(request)) answer.headers = { ...answer.headers, 'Preference-Applied': 'respond-async' }
      return answer
    }
    if (job.status === 'Cancelled') {
      const detail = `${job.done} of ${job.total} items were written before.`
      throw new Problem(409, 'job-cancelled', 'The job was cancelled', detail)
    }
    const { status, code, title, detail, faults }: StoredProblem = JSON.parse(job.problem ?? '{}')
    throw new Problem(status, code, title, detail, faults, headers)
  }
}

const isOpen = (job: JobRow): boolean => job.status === 'Accepted' || job.status === 'Running'

const prefersAsync = (request: AnyRequest): boolean =>
  /(?:^|,)\s*respond-async\s*(?:[;,]|$)/i.test(request.header('prefer'))
