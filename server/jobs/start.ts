// Accepts jobs and starts their workflows.
import type { Knex } from 'knex'
import { type Run, startJob } from '../../activities/jobs/start-run.js'
import { transaction } from '../../db/errors.js'
import { type PlannedItem, writeChunks } from '../../db/jobs/chunks.js'
import { type JobRow, jobStore } from '../../db/jobs/jobs.js'
import { unavailable } from '../../runtime/problem.js'
import type { SmallBulks } from '../../runtime/small-bulks.js'
import { type BulkKind, type JobKind, queues } from '../../workflows/jobs/contracts.js'
import { type Answer, noContent } from '../endpoint.js'
import { type AnyRequest, acceptJob, type JobRequest, oncePerKey, type Work } from './accept.js'
import { acceptedJob, createAnswers, locationOf, prefersAsync } from './answer.js'
import { createSmallBulkWriter, type SmallBulk } from './small-bulk.js'
import { type WaitOptions, waitForRun } from './wait.js'

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

export type Jobs = ReturnType<typeof createJobs>

/** Accepts jobs, starts their workflows and waits for them. */
export function createJobs(options: JobsOptions) {
  const { db, temporal, uiUrl, namespace } = options
  const links = { uiUrl, namespace }
  const { answerOf, settled, settledPart } = createAnswers({ ...options, links })
  const writeSmallBulk = createSmallBulkWriter(options)

  const start = async (job: Run, tenantKey: string) => startJob(db, temporal(), job, tenantKey)

  /**
   * Starts a job that was just accepted. While Temporal is away, the job is kept for the outbox, or withdrawn: then 503 means
   * that nothing happened. A job that cannot be withdrawn either stays for the outbox.
   */
  async function startAccepted(
    job: JobRow,
    { caller, log }: JobRequest,
    { whenAway }: { whenAway: 'keep' | 'withdraw' },
  ): Promise<void> {
    try {
      await start(job, caller.tenantKey)
    } catch (err) {
      log.warn({ err, jobId: job.id }, 'the workflow could not be started')
      if (whenAway === 'keep') return
      const isWithdrawn = await jobStore(db, caller.tenantId)
        .withdraw(job.id)
        .catch(() => false)
      if (isWithdrawn) throw unavailable('The workflow service', err, 'Nothing was changed. ')
    }
  }

  /** Accepts a job, or joins one under way that does the same. */
  async function acceptOrJoin(
    request: JobRequest,
    kind: JobKind,
    work: Work,
  ): Promise<{ job: JobRow; joined: boolean }> {
    const { id, joined } = await transaction(db, request.caller.tenantId, async trx => {
      const joined = await work.join?.(trx)
      return { id: joined ?? (await acceptJob(trx, request, kind, work)).id, joined: joined !== undefined }
    })
    return { job: await acceptedJob(db, request, id), joined }
  }

  /**
   * Accepts a job and starts it. A repeated `Idempotency-Key` finds the first request's job, and a job under way may be
   * joined.
   * @param prepare plans the work and writes nothing; its problem is the answer.
   */
  async function begin(request: JobRequest, kind: JobKind, prepare: () => Promise<Work>): Promise<JobRow> {
    const { earlier, made } = await oncePerKey(db, request, async () => {
      const work = await prepare()
      return {
        whenAway: work.stays ? ('keep' as const) : ('withdraw' as const),
        ...(await acceptOrJoin(request, kind, work)),
      }
    })
    if (earlier) return earlier
    const { job, joined } = made
    request.log.info({ jobId: job.id, ...(joined ? { joined } : { kind }) }, 'job')
    if (!joined) await startAccepted(job, request, made)
    return job
  }

  return {
    start,
    begin,
    settled,
    settledPart,
    links,
    runClosed: (job: JobRow) => waitForRun(job, temporal()),

    /** Starts jobs that were accepted elsewhere, after their caller has its answer. */
    startSoon(request: AnyRequest, jobIds: readonly string[]): void {
      for (const id of jobIds) {
        acceptedJob(db, request, id)
          .then(job => startAccepted(job, request, { whenAway: 'keep' }))
          .catch(err => request.log.warn({ err, jobId: id }, 'job not started yet'))
      }
    },

    /**
     * Runs a small bulk in one transaction with its job. While Temporal is away the bulk is written without a run. A refused
     * bulk has neither job nor run.
     */
    async runSmallBulk(request: AnyRequest, kind: BulkKind, bulk: SmallBulk): Promise<Answer> {
      const { again = async () => noContent } = bulk
      const { earlier, made } = await oncePerKey(db, request, () => writeSmallBulk(request, kind, bulk))
      if (earlier) return answerOf(request, earlier, again)
      const { job, answer } = made
      request.log.info({ jobId: job.id, kind }, 'small bulk')
      if (prefersAsync(request)) return answerOf(request, await acceptedJob(db, request, job.id), again)
      return { ...answer, headers: locationOf(job) }
    },

    /**
     * Runs a large bulk: plans it, accepts it, starts it and waits. Planning reports every fault before anything is
     * written. A repeated `Idempotency-Key` gets the response of the first request.
     * @returns 204 when all is written; 202 with the job when the caller prefers that or the time is up; the problem
     *   of a failed job.
     */
    async runBulk(request: AnyRequest, kind: BulkKind, plan: () => Promise<Plan>): Promise<Answer> {
      const job = await begin(request, kind, async () => {
        const { planned, planVersion } = await plan()
        // A batch may take 100 MB; from here on its plan is enough.
        request.body = undefined
        return {
          total: planned.length,
          queue: queues.background,
          planVersion,
          write: (trx, jobId) => writeChunks(trx, request.caller.tenantId, jobId, planned),
        }
      })
      return settled(request, job, async () => noContent)
    },
  }
}
