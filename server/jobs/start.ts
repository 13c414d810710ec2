import type { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  isGrpcCancelledError,
  isGrpcDeadlineError,
  WorkflowFailedError,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client'
import type { Knex } from 'knex'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { isDuplicate } from '../../db/errors.js'
import { createBulkJob } from '../../db/jobs/bulk.js'
import type { PlannedItem } from '../../db/jobs/chunks.js'
import { type JobRow, jobStore, type StoredProblem } from '../../db/jobs/jobs.js'
import { newId } from '../../runtime/ids.js'
import type { Log } from '../../runtime/log.js'
import { Problem, unavailable } from '../../runtime/problem.js'
import { searchAttributes } from '../../runtime/search-attributes.js'
import type { Temporal } from '../../runtime/temporal.js'
import { interactiveItems, type JobInput, type JobKind, queues, workflowIdOf } from '../../workflows/jobs/contracts.js'
import { type Answer, accepted, type Request } from '../endpoint.js'
import { fingerprint, idempotencyKey } from './idempotency.js'
import { presentJob } from './present.js'

/** How long Temporal may take to accept a start before the caller is told that it is away, in ms. */
const startTimeoutMs = 5_000
/** How long an interactive job is expected to end in this process before Temporal is asked about it, in ms. */
const askTemporalAfterMs = 1_000

export interface JobsOptions {
  db: Knex
  /** Throws Problem 503 while Temporal is away. */
  temporal: () => Temporal
  log: Log
  /** Emits the id of a job that the worker of this process has brought to its end. */
  ends: EventEmitter
  /** How long a call waits for its job, in ms, before it answers 202. */
  waitMs: number
  uiUrl: string
  namespace: string
}

interface Plan {
  planned: readonly PlannedItem[]
  planVersion: number
}

export type Jobs = ReturnType<typeof createJobs>

/** Accepts jobs, starts their workflows and waits for them. */
export function createJobs({ db, temporal, log, ends, waitMs, uiUrl, namespace }: JobsOptions) {
  const links = { uiUrl, namespace }

  /**
   * Starts the workflow of a job, or joins the run that there is. With `eager`, it runs in this process if it can.
   * @throws Problem 503, or the SDK's error, when Temporal does not take it.
   */
  async function start(job: JobRow, tenantKey: string): Promise<void> {
    const { client } = temporal()
    const input: JobInput = { tenantKey, jobId: job.id, queue: job.queue }
    await client.withDeadline(Date.now() + startTimeoutMs, () =>
      client.workflow.start(job.kind, {
        taskQueue: job.queue,
        workflowId: job.workflow_id,
        workflowIdConflictPolicy: 'USE_EXISTING',
        args: [input],
        requestEagerStart: job.queue === queues.interactive,
        staticSummary: `${job.total.toLocaleString('en')} items from ${job.actor}`,
        typedSearchAttributes: [
          { key: searchAttributes.tenantKey, value: tenantKey },
          { key: searchAttributes.jobKind, value: job.kind },
          { key: searchAttributes.jobId, value: job.id },
          { key: searchAttributes.actor, value: job.actor },
        ],
        ...(job.queue === queues.background ? { priority: { fairnessKey: tenantKey } } : {}),
      }),
    )
    if (job.queue === queues.background) await jobStore(db, await tenantIdOf(db, tenantKey)).handedOver(job.id)
  }

  /**
   * Waits until a job ends, however it ends: told by the worker in this process, which is some 10 ms before Temporal knows
   * that the run is over, or by Temporal. @returns false when the time was up before.
   */
  async function ended(job: JobRow, here: Promise<void>): Promise<boolean> {
    // An interactive job usually ends here within milliseconds: that spares Temporal a question for each.
    const aloneMs = job.queue === queues.interactive ? Math.min(askTemporalAfterMs, waitMs) : 0
    const over = here.then(() => true)
    if (aloneMs > 0 && (await Promise.race([over, sleep(aloneMs, false, { ref: false })]))) return true
    const { client } = temporal()
    const handle = client.workflow.getHandle(job.workflow_id)
    const run = client.withDeadline(Date.now() + waitMs - aloneMs, () => resultOf(handle))
    try {
      await Promise.race([run, over])
      return true
    } catch (error) {
      if (error instanceof WorkflowFailedError) return true
      if (!isGrpcDeadlineError(error) && !isGrpcCancelledError(error)) {
        log.warn({ err: error, jobId: job.id }, 'stopped waiting for a job')
      }
      return false
    }
  }

  /** A repeated request may come before the first one has started the run: then it is looked for again. */
  async function resultOf(handle: WorkflowHandle): Promise<void> {
    const startedBy = Date.now() + startTimeoutMs
    for (;;) {
      try {
        return await handle.result()
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError) || Date.now() > startedBy) throw error
        await sleep(20)
      }
    }
  }

  /**
   * Waits for the run of a job that has ended. The job says so some milliseconds before its run closes, and a retry in
   * between would join the run that is closing.
   */
  async function runClosed(job: JobRow): Promise<void> {
    const { client } = temporal()
    const handle = client.workflow.getHandle(job.workflow_id)
    await client
      .withDeadline(Date.now() + startTimeoutMs, () => handle.result())
      .catch(error => {
        if (!(error instanceof WorkflowFailedError || error instanceof WorkflowNotFoundError)) throw error
      })
  }

  /** Writes the job down: from here on it is not lost. Of two requests with one key at the same moment, one writes it. */
  async function accept(request: Request<unknown, unknown>, kind: JobKind, plan: Plan): Promise<JobRow> {
    const { caller, traceId } = request
    // A batch may take 100 MB; its plan is all that is needed from here on.
    request.body = undefined
    const id = newId()
    const key = idempotencyKey(request)
    try {
      await createBulkJob(db, caller.tenantId, {
        ...plan,
        id,
        kind,
        queue: plan.planned.length <= interactiveItems ? queues.interactive : queues.background,
        actor: caller.clientId,
        workflowId: workflowIdOf(kind, { tenantKey: caller.tenantKey, jobId: id }),
        traceId,
        idempotency: key === undefined ? undefined : { key, hash: fingerprint(request) },
      })
    } catch (error) {
      const first = isDuplicate(error) ? await earlier(request) : undefined
      if (!first) throw error
      return first
    }
    return known(request, id)
  }

  /**
   * Starts what was just accepted. When Temporal is away the job is taken back, so that 503 means: nothing happened. When it
   * cannot be taken back either, it stays accepted: the sweeper starts it.
   */
  async function startOrWithdraw(job: JobRow, { caller, log: line }: Request<unknown, unknown>): Promise<void> {
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

  async function known({ caller }: Request<unknown, unknown>, id: string): Promise<JobRow> {
    const job = await jobStore(db, caller.tenantId).byId(id)
    if (!job) throw new Error(`The job ${id} is gone`)
    return job
  }

  /** The job that the same key made before. @throws Problem 422 when it was made by another request. */
  async function earlier(request: Request<unknown, unknown>): Promise<JobRow | undefined> {
    const key = idempotencyKey(request)
    if (key === undefined) return undefined
    const job = await jobStore(db, request.caller.tenantId).byIdempotencyKey(request.caller.clientId, key)
    if (!job || job.request_hash === fingerprint(request)) return job
    const detail = 'This Idempotency-Key was used for another request. Send the same request again, or a new key.'
    throw new Problem(422, 'idempotency-key-reused', 'The idempotency key belongs to another request', detail)
  }

  return {
    start,
    runClosed,
    links,

    /**
     * Runs a bulk job: plans it (every fault is answered before anything is written), accepts it, starts it and waits.
     * Answers 204 when all is written, 202 with the job when the caller prefers that or the time is up, the job's problem
     * when it failed. A repeated `Idempotency-Key` answers what the first request is answered.
     */
    async runBulk(request: Request<unknown, unknown>, kind: JobKind, plan: () => Promise<Plan>): Promise<Answer> {
      const replayed = await earlier(request)
      const job = replayed ?? (await accept(request, kind, await plan()))
      request.log.info({ jobId: job.id, kind }, 'bulk job')
      const here = endHere(job.id)
      try {
        if (!replayed) await startOrWithdraw(job, request)
        const over = isOpen(job) && !prefersAsync(request) && (await ended(job, here.end))
        // Where the database goes away in this moment, what is known is that the job was accepted.
        const answer = bulkAnswer(over ? await known(request, job.id).catch(() => job) : job)
        if (answer.status === 202 && prefersAsync(request))
          answer.headers = { ...answer.headers, 'Preference-Applied': 'respond-async' }
        return answer
      } finally {
        here.forget()
      }
    },
  }

  /** Hears of the end of a job that the worker in this process carries. */
  function endHere(jobId: string): { end: Promise<void>; forget(): void } {
    let heard = () => {}
    const end = new Promise<void>(resolve => {
      heard = resolve
    })
    ends.once(jobId, heard)
    return { end, forget: () => ends.off(jobId, heard) }
  }

  function bulkAnswer(job: JobRow): Answer {
    const headers = { Location: `/api/v1/jobs/${job.id}` }
    if (job.status === 'Completed') return { status: 204, headers }
    if (isOpen(job)) return accepted(presentJob(job, links))
    if (job.status === 'Cancelled') {
      throw new Problem(
        409,
        'job-cancelled',
        'The job was cancelled',
        `${job.done} of ${job.total} items were written before.`,
      )
    }
    const { status, code, title, detail, faults }: StoredProblem = JSON.parse(job.problem ?? '{}')
    throw new Problem(status, code, title, detail, faults, headers)
  }
}

const isOpen = (job: JobRow): boolean => job.status === 'Accepted' || job.status === 'Running'

const prefersAsync = (request: Request<unknown, unknown>): boolean =>
  /(?:^|,)\s*respond-async\s*(?:[;,]|$)/i.test(request.header('prefer'))
