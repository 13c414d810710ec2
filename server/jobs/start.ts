// Starts the workflows of jobs and bulk requests.
import { setTimeout as sleep } from 'node:timers/promises'
import { ConsecutiveBreaker, circuitBreaker, handleAll } from 'cockatiel'
import type { Knex } from 'knex'
import { type Run, startJob, startSmallBulk } from '../../activities/jobs/start-run.js'
import { inTurn, isOutage, transaction } from '../../db/errors.js'
import { outcomesOf, type PlannedItem, writeChunks } from '../../db/jobs/chunks.js'
import { isOpen, type JobRow, jobStore, type StoredProblem } from '../../db/jobs/jobs.js'
import { Problem, unavailable } from '../../runtime/problem.js'
import type { SmallBulks } from '../../runtime/small-bulks.js'
import { type BulkKind, type JobKind, queues } from '../../workflows/jobs/contracts.js'
import { type Answer, accepted, noContent } from '../endpoint.js'
import { type AnyRequest, accept, acceptOnce, type JobRequest, newRun, type Work } from './accept.js'
import { presentJob } from './present.js'
import { type WaitOptions, waitForJob, waitForRun } from './wait.js'

export interface JobsOptions extends WaitOptions {
  db: Knex
  smallBulks: SmallBulks
  uiUrl: string
  namespace: string
}

/** A batch that is checked and in order, and the version of the hierarchy that this holds for. */
interface Plan {
  planned: readonly PlannedItem[]
  planVersion: number
}

/** A small bulk that is written: what became of its items, in the order of writing, and the answer. */
interface WrittenBulk {
  items: readonly PlannedItem[]
  answer: Answer
}

/** A bulk of at most {@link smallBulkItems} items. */
export interface SmallBulk {
  total: number
  /** Checks the whole batch and writes nothing; its problem is the answer, and then there is neither job nor run. */
  check(): Promise<unknown>
  /** Checks it again, under its locks, and writes it. */
  upsert(trx: Knex.Transaction): Promise<WrittenBulk>
  /** The answer to a repeated `Idempotency-Key`, where it is not 204. */
  again?(job: JobRow): Promise<Answer>
}

export type Jobs = ReturnType<typeof createJobs>

/** Accepts jobs, starts their workflows and waits for them. */
export function createJobs(options: JobsOptions) {
  const { db, smallBulks, temporal, uiUrl, namespace } = options
  const links = { uiUrl, namespace }
  /** While Temporal hangs, a few small bulks wait for it, and not each. */
  const starts = circuitBreaker(handleAll, { halfOpenAfter: 5_000, breaker: new ConsecutiveBreaker(3) })

  const start = async (job: Run, tenantKey: string) => startJob(db, temporal(), job, tenantKey)

  /**
   * Starts what was just accepted. When Temporal is away the job is taken back, so that 503 means: nothing happened. When it
   * cannot be taken back either, it stays accepted: the outbox starts it.
   */
  async function startOrWithdraw(job: JobRow, { caller, log: line }: JobRequest): Promise<void> {
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

  /** Starts what was just accepted. While Temporal is away it is left to the outbox. */
  async function startOrLeave(job: Run, { caller, log: line }: JobRequest): Promise<void> {
    await start(job, caller.tenantKey).catch(err => line.warn({ err, jobId: job.id }, 'job not started yet'))
  }

  async function acceptAlone(request: JobRequest, kind: JobKind, work: Work): Promise<JobRow> {
    const { id } = await transaction(db, request.caller.tenantId, trx => accept(trx, request, kind, work))
    return known(request, id)
  }

  /** Accepts a job, unless one under way takes the request along. */
  async function acceptOrJoin(
    request: JobRequest,
    kind: JobKind,
    work: Work,
  ): Promise<{ job: JobRow; joined: boolean }> {
    const { id, joined } = await transaction(db, request.caller.tenantId, async trx => {
      const joined = await work.join?.(trx)
      return { id: joined ?? (await accept(trx, request, kind, work)).id, joined: joined !== undefined }
    })
    return { job: await known(request, id), joined }
  }

  /** Writes a small bulk by its run, and hears of it within the process. @throws the problem of its check or its writes. */
  async function writeSmallBulk(request: AnyRequest, kind: BulkKind, bulk: SmallBulk) {
    await bulk.check()
    // Its turn first: a run that waits for one would hold a slot that other tenants need.
    return inTurn(db, request.caller.tenantId, () => writeByRun(request, kind, bulk))
  }

  async function writeByRun(request: AnyRequest, kind: BulkKind, { total, upsert }: SmallBulk) {
    const { tenantId, tenantKey } = request.caller
    const work = { total, queue: queues.interactive }
    const job = newRun(request, kind, work)
    let answer = noContent
    // Side by side, because each takes some 10 ms. The transaction ends when both are done.
    const hasRun = starts
      .execute(() => startSmallBulk(temporal(), job, tenantKey))
      .then(() => true)
      .catch(err => {
        request.log.warn({ err, jobId: job.id }, 'small bulk without a run')
        return false
      })
    const written = transaction(db, tenantId, async trx => {
      const bulk = await upsert(trx)
      answer = bulk.answer
      // Their values are written: the list of the job's items needs their keys alone.
      const keys = bulk.items.map(([index, key, layer, outcome]): PlannedItem => [index, key, layer, outcome])
      await accept(trx, request, kind, { ...work, done: outcomesOf(keys), hasRun: await hasRun }, job)
      await writeChunks(trx, tenantId, job.id, keys)
      return { done: total, total }
    })
    smallBulks.add(job.id, written)
    await written
    return { job, answer }
  }

  async function known({ caller }: JobRequest, id: string): Promise<JobRow> {
    const job = await jobStore(db, caller.tenantId).byId(id)
    if (!job) throw new Error(`The job ${id} is gone`)
    return job
  }

  return {
    start,
    runClosed: (job: JobRow) => waitForRun(job, temporal()),
    links,

    /**
     * Accepts a job and starts it. A repeated `Idempotency-Key` finds the first request's job; what is being done already is
     * joined.
     * @param prepare finds out what is to be done, writing nothing; its problem is the answer.
     */
    async begin(request: JobRequest, kind: JobKind, prepare: () => Promise<Work>): Promise<JobRow> {
      const { earlier, made } = await acceptOnce(db, request, async () => {
        const work = await prepare()
        return { work, ...(await acceptOrJoin(request, kind, work)) }
      })
      if (earlier) return earlier
      const { work, job, joined } = made
      request.log.info({ jobId: job.id, ...(joined ? { joined } : { kind }) }, 'job')
      if (joined) return job
      await (work.stays ? startOrLeave(job, request) : startOrWithdraw(job, request))
      return job
    },

    /** Starts jobs that were accepted elsewhere, while their caller is answered already. */
    startSoon(request: AnyRequest, jobIds: readonly string[]): void {
      for (const id of jobIds) {
        known(request, id)
          .then(job => startOrLeave(job, request))
          .catch(err => request.log.warn({ err, jobId: id }, 'job not started yet'))
      }
    },

    /** Waits for a job that was begun, and answers as {@link runBulk} does. */
    settled(request: AnyRequest, job: JobRow, completed: (job: JobRow) => Promise<Answer>): Promise<Answer> {
      // It may be large, and what it asks for is kept with the job.
      request.body = undefined
      return settle(request, job, completed)
    },

    /**
     * Waits for what a request asked of a job, which may go on after that for others, and answers as {@link runBulk} does.
     * @param done the answer, once it is done.
     */
    async settledPart(request: AnyRequest, job: JobRow, done: () => Promise<Answer | undefined>): Promise<Answer> {
      request.body = undefined
      const completed = async (): Promise<Answer> => {
        const answer = await done()
        if (!answer) throw new Error(`The job ${job.id} is completed without what was asked of it`)
        return answer
      }
      if (prefersAsync(request)) return answerOf(request, job, completed)
      const until = Date.now() + options.waitMs
      for (;;) {
        // Its end is read before what was done until then. While the database is away, what is known is that it was accepted.
        const now = await known(request, job.id).catch(error => (isOutage(error) ? job : Promise.reject(error)))
        const answer = await done().catch(error => (isOutage(error) ? undefined : Promise.reject(error)))
        if (answer) return { ...answer, headers: { ...answer.headers, ...locationOf(job) } }
        if (!isOpen(now) || Date.now() >= until) return answerOf(request, now, completed)
        await sleep(lookMs)
      }
    },

    /**
     * Runs a small bulk: its run lets it be written, in one transaction with its job, which is completed with it. While
     * Temporal is away it is written without a run. It is refused without one either.
     */
    async runSmallBulk(request: AnyRequest, kind: BulkKind, bulk: SmallBulk): Promise<Answer> {
      const { again = async () => noContent } = bulk
      const { earlier, made } = await acceptOnce(db, request, () => writeSmallBulk(request, kind, bulk))
      if (earlier) return answerOf(request, earlier, again)
      const { job, answer } = made
      request.log.info({ jobId: job.id, kind }, 'small bulk')
      if (prefersAsync(request)) return answerOf(request, await known(request, job.id), again)
      return { ...answer, headers: locationOf(job) }
    },

    /**
     * Runs a large bulk: plans it, accepts it, starts it and waits. Planning reports every fault before anything is
     * written. A repeated `Idempotency-Key` gets the response of the first request.
     * @returns 204 when all is written; 202 with the job when the caller prefers that or the time is up; the problem
     *   of a failed job.
     */
    async runBulk(request: AnyRequest, kind: BulkKind, plan: () => Promise<Plan>): Promise<Answer> {
      const { earlier, made } = await acceptOnce(db, request, async () => {
        const { planned, planVersion } = await plan()
        // A batch may take 100 MB; from here on its plan is all that is needed.
        request.body = undefined
        return acceptAlone(request, kind, {
          total: planned.length,
          queue: queues.background,
          planVersion,
          write: (trx, jobId) => writeChunks(trx, request.caller.tenantId, jobId, planned),
        })
      })
      const job = earlier ?? made
      request.log.info({ jobId: job.id, kind }, 'bulk job')
      if (made) await startOrWithdraw(made, request)
      return settle(request, job, async () => noContent)
    },
  }

  /** Waits for a job unless the caller prefers not to, and answers what is known of it then. */
  async function settle(
    request: AnyRequest,
    job: JobRow,
    completed: (job: JobRow) => Promise<Answer>,
  ): Promise<Answer> {
    const over = isOpen(job) && !prefersAsync(request) && (await waitForJob(job, options))
    // Where the database goes away in this moment, what is known is that the job was accepted.
    const now = over ? await known(request, job.id).catch(() => job) : job
    return answerOf(request, now, completed)
  }

  async function answerOf(request: AnyRequest, job: JobRow, completed: (job: JobRow) => Promise<Answer>) {
    if (isOpen(job) || (job.status === 'Completed' && prefersAsync(request))) {
      const answer = accepted(presentJob(job, links))
      if (prefersAsync(request)) answer.headers = { ...answer.headers, 'Preference-Applied': 'respond-async' }
      return answer
    }
    if (job.status === 'Completed') {
      const answer = await completed(job)
      return { ...answer, headers: { ...answer.headers, ...locationOf(job) } }
    }
    if (job.status === 'Cancelled') {
      const detail = `${job.done} of ${job.total} were done before.`
      throw new Problem(409, 'job-cancelled', 'The job was cancelled', detail)
    }
    const problem: StoredProblem = JSON.parse(job.problem ?? '{}')
    throw Problem.from({ ...problem, headers: locationOf(job) })
  }
}

/** How often a caller that waits for a part of a job looks, in ms. */
const lookMs = 100

const locationOf = ({ id }: Run) => ({ Location: `/api/v1/jobs/${id}` })

/** A caller that does not wait (RFC 7240): `Prefer: respond-async`. */
export const prefersAsync = (request: AnyRequest): boolean =>
  /(?:^|,)\s*respond-async\s*(?:[;,]|$)/i.test(request.header('prefer'))
