// Accepts jobs, starts their workflows, and runs bulks while their callers wait.
import type { Knex } from 'knex'
import { type Run, startJob } from '../../activities/jobs/start-run.js'
import { tellIds } from '../../db/audit/action.js'
import type { TenantId } from '../../db/connect.js'
import { transaction } from '../../db/errors.js'
import { type PlannedItem, writeChunks } from '../../db/jobs/chunks.js'
import type { JobRow } from '../../db/jobs/job-row.js'
import { jobStore } from '../../db/jobs/jobs.js'
import { createWriterQueue } from '../../db/writer-queue.js'
import { unavailable } from '../../runtime/problems/problem.js'
import { interactiveItems, type JobKind, queues } from '../../workflows/jobs/contracts.js'
import { basePathOf } from '../base-path.js'
import { type Answer, noContent } from '../endpoint.js'
import { type AnyRequest, acceptJob, type JobRequest, type Work } from './accept.js'
import { acceptedJob, createAnswers, prefersAsync } from './answer.js'
import { cancelAndRetry } from './cancel-and-retry.js'
import { earlierJob, oncePerKey } from './once.js'
import { type WaitOptions, waitForRun } from './wait.js'

export interface JobsOptions extends WaitOptions {
  db: Knex
  uiUrl: string
  namespace: string
  publicUrl: string
}

/** A bulk that is written by a job. */
interface Bulk {
  total: number
  /**
   * Checks the items and puts them in the order of writing, without writing anything. The plan holds for one version of
   * the hierarchy.
   */
  plan(): Promise<{ planned: readonly PlannedItem[]; planVersion: number }>
}

/**
 * How many bulks this process runs at once while their callers wait: of one tenant, and of all. Each occupies a slot of
 * the process's worker. A tenant's bulks are written one after the other anyway, so more at once would only take slots
 * from other tenants.
 */
const interactiveBulks = { atOnce: 4, ofAll: 64, waitTimeoutMs: 8_000 }

export type Jobs = ReturnType<typeof createJobs>

/** Creates the functions by which endpoints accept jobs, start them and wait for them. */
export function createJobs(options: JobsOptions) {
  const { db, temporal, uiUrl, namespace, publicUrl } = options
  const links = { uiUrl, namespace, basePath: basePathOf(publicUrl) }
  const { waitAndAnswer, waitForPart } = createAnswers({ ...options, links })
  const bulkTurns = createWriterQueue<TenantId>(interactiveBulks)

  const start = async (job: Run, tenantKey: string) => startJob(db, temporal(), job, tenantKey, publicUrl)

  /**
   * Starts a job that was just accepted. If Temporal is away, either keeps the job, which the outbox starts later, or
   * withdraws it. If the withdrawal fails, because the database is away too or the job has begun after all, the job
   * stays accepted and the caller is answered as if it had been started.
   * @throws Problem 503 once the job is withdrawn, which tells the caller that nothing happened.
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

  /** Accepts a new job, or joins an open one that does the same work. */
  async function acceptOrJoin(
    request: JobRequest,
    kind: JobKind,
    work: Work,
  ): Promise<{ job: JobRow; joined: boolean }> {
    const { id, joined } = await transaction(db, request.caller.tenantId, async trx => {
      const joined = await work.join?.(trx)
      if (joined !== undefined) tellIds([joined])
      return { id: joined ?? (await acceptJob(trx, request, kind, work)), joined: joined !== undefined }
    })
    return { job: await acceptedJob(db, request, id), joined }
  }

  /**
   * Accepts a job and starts it. Instead returns the first request's job if the `Idempotency-Key` is repeated, or an
   * open job if the work can join one. Does not wait for the job.
   * @param prepare plans the work, without writing anything. It is not called for a repeated key. If it throws a
   *   problem, no job is accepted.
   * @throws Problem 422 if the key was used for a different request; 503 if Temporal is away and the work is not to be
   *   kept.
   */
  async function begin(request: JobRequest, kind: JobKind, prepare: () => Promise<Work>): Promise<JobRow> {
    const { earlier, made } = await oncePerKey(
      () => earlierJob(db, request),
      async () => {
        const work = await prepare()
        return {
          whenAway: work.keepWhenTemporalAway ? ('keep' as const) : ('withdraw' as const),
          ...(await acceptOrJoin(request, kind, work)),
        }
      },
    )
    if (earlier) return earlier
    const { job, joined } = made
    request.log.info({ jobId: job.id, ...(joined ? { joined } : { kind }) }, 'job')
    if (!joined) await startAccepted(job, request, made)
    return job
  }

  return {
    start,
    begin,
    waitAndAnswer,
    waitForPart,
    links,
    runClosed: (job: JobRow) => waitForRun(job, temporal()),

    ...cancelAndRetry({ ...options, start }),

    /**
     * Starts jobs that were accepted elsewhere, without waiting. Jobs that cannot be started are left to the outbox.
     */
    startSoon(request: AnyRequest, jobIds: readonly string[]): void {
      for (const id of jobIds) {
        acceptedJob(db, request, id)
          .then(job => startAccepted(job, request, { whenAway: 'keep' }))
          .catch(err => request.log.warn({ err, jobId: id }, 'job not started yet'))
      }
    },

    /**
     * Plans a bulk, accepts it as a job, starts it and waits for its end. Planning reports every fault before anything
     * is written. A repeated `Idempotency-Key` leads to the first request's job. While Temporal is away, a bulk is
     * refused with 503, unless its caller prefers not to wait: then it is accepted, and runs once Temporal is back.
     * @param request its body is set to undefined once the bulk is planned, so that the memory can be freed during the
     *   wait. Pass the request itself, since a copy would leave the body in the original.
     * @returns 204 once the job is completed, also if it ended early with less written than its total, which only the
     *   job shows. 202 with the job if the caller prefers not to wait or waited as long as it may.
     * @throws the problem of a failed or cancelled job.
     */
    runBulk(request: AnyRequest, kind: JobKind, { total, plan }: Bulk): Promise<Answer> {
      const { tenantId } = request.caller
      const isInteractive = total <= interactiveItems && !prefersAsync(request)
      const run = async (): Promise<Answer> => {
        const job = await begin(request, kind, async () => {
          const { planned, planVersion } = await plan()
          // The parsed body may occupy 100 MB. From here on the plan is enough.
          request.body = undefined
          return {
            total,
            queue: isInteractive ? queues.interactive : queues.background,
            keepWhenTemporalAway: prefersAsync(request),
            planVersion,
            write: (trx, jobId) => writeChunks(trx, tenantId, jobId, planned),
          }
        })
        return waitAndAnswer(request, job, async () => noContent)
      }
      return isInteractive ? bulkTurns.run(tenantId, run) : run()
    },
  }
}
