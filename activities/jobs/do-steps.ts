// Runs the steps of a job in one activity, and records how the job ends.
import { Context, type Info } from '@temporalio/activity'
import { ApplicationFailure, CancelledFailure } from '@temporalio/common'
import type { Knex } from 'knex'
import { Counter } from 'prom-client'
import { tenantIdOf } from '../../db/admin/tenants.js'
import type { TenantId } from '../../db/connect.js'
import { markQueueUsed } from '../../db/glue/providers/provider-queues.js'
import type { JobRun } from '../../db/jobs/advance.js'
import { type JobRow, storedProblem, type Waiting } from '../../db/jobs/job-row.js'
import { jobStore } from '../../db/jobs/jobs.js'
import { jobEnded } from '../../db/jobs/jobs-ended.js'
import type { Log } from '../../runtime/observe/log.js'
import { processMetrics } from '../../runtime/observe/metrics.js'
import { Problem } from '../../runtime/problems/problem.js'
import type { Outcomes } from '../../runtime/temporal/outcomes.js'
import { temporalNow } from '../../runtime/temporal/temporal-clock.js'
import { type Done, type JobProgress, type JobRef, type StepsInput, sliceMs } from '../../workflows/jobs/contracts.js'
import { asFailure } from '../failure.js'
import { withHeartbeat } from '../heartbeat.js'
import { assignToRun, type OwnershipDependencies, runOf } from './run-ownership.js'
import { suspensionOf } from './suspension.js'

/**
 * How many repeated attempts in a row may die or hang at one step; the first attempt is not counted. The next one fails
 * the job, which would otherwise end worker after worker.
 */
const maxCrashes = 4

const poisonJobs = new Counter({
  name: 'armature_poison_jobs_total',
  help: 'Jobs that were failed because worker after worker died at the same step',
  registers: [processMetrics],
})

export interface StepDependencies extends OwnershipDependencies {
  /** Announces jobs that end in this process to requests that wait for them here. */
  jobEnds: Outcomes<true>
}

/** The steps of a job, as one activity does them. */
export interface Steps {
  /**
   * Does one step. It must be safe to repeat at any point.
   * @param isLast whether this activity returns after the step, so that nothing need be prepared for the next one.
   */
  next(isLast: boolean): Promise<JobProgress>
  /** Writes what becomes of the work that waited for the job, in the transaction in which it fails for good. */
  giveUp?(trx: Knex.Transaction): Promise<unknown>
}

/**
 * Does steps of a job, with heartbeats, until its time in the worker slot is up, and returns the progress. The problem
 * of a final failure is stored with the job.
 *
 * If an outage stops an activity that has done at least one step, the activity succeeds with the progress it has made.
 * The next activity then fails at its first step, and Temporal retries it until the outage is over.
 * @param open reads what all steps of this activity need besides the job, and returns the steps. They must be done in the
 *   name of the given run. The job is undefined if its caller has withdrawn it. `since` is when the attempt began that was
 *   the first to fail at the present step, by Temporal's clock; that of this attempt if none has failed.
 */
export async function doSteps(
  dependencies: StepDependencies,
  { tenantKey, jobId, limit = Number.POSITIVE_INFINITY }: StepsInput,
  open: (tenant: TenantId, run: JobRun, job: JobRow | undefined, since: number) => Promise<Steps>,
): Promise<JobProgress> {
  const { db, log } = dependencies
  const context = Context.current()
  const run = runOf(context.info)
  const until = Date.now() + sliceMs
  const isRetry = context.info.attempt > 1
  let progress: JobProgress | undefined
  let steps: Steps | undefined
  let since = temporalNow()
  return withHeartbeat(async () => {
    try {
      const tenant = await tenantIdOf(db, tenantKey)
      const job = await assignToRun(dependencies, tenant, jobId, run)
      since = failingSince(context.info, job)
      if (isRetry && (await jobStore(db, tenant).countCrash(jobId)) > maxCrashes)
        throw poison(log, { tenantKey, jobId })
      steps = await open(tenant, { jobId, runId: run.runId }, job, since)
      for (let n = 1; ; n++) {
        const isLast = n >= limit || Date.now() >= until
        const suspension = await suspensionOf(db, tenantKey)
        if (suspension) {
          const { waitMs, waiting } = suspension
          await jobStore(db, tenant).reportFailure(jobId, run.runId, waiting)
          const { done, total } = progress ?? job ?? { done: 0, total: 0 }
          return { state: 'suspended', done, total, waitMs }
        }
        progress = await steps.next(isLast)
        if (progress.state === 'elsewhere') await markQueueUsed(db, progress.taskQueue)
        if (progress.state === 'ended') tellEnd(dependencies, jobId, 'Completed')
        if (progress.state !== 'open' || isLast) return progress
        context.cancellationSignal.throwIfAborted()
      }
    } catch (error) {
      if (context.cancellationSignal.aborted) {
        if (isRetry && isShutdown(context.cancellationSignal.reason))
          await forgetCrash(db, { tenantKey, jobId }, run.runId).catch(() => undefined)
        throw await context.cancelled
      }
      const { failure, final, retry } = asFailure(error)
      log.warn({ tenantKey, jobId, attempt: context.info.attempt, final: final?.code, err: error }, 'step not done')
      // If the database is away, the crash stays counted although nothing crashed. The next step that is written sets
      // the count to 0.
      const waiting = retry && !progress ? waitingFor(retry, since) : undefined
      if (isRetry || waiting) await report(db, { tenantKey, jobId }, run.runId, waiting).catch(() => undefined)
      if (final) {
        await noted(log, jobId, saveProblem(dependencies, { tenantKey, jobId }, run.runId, final, steps?.giveUp))
      } else if (progress) return progress
      throw failure
    }
  })
}

function poison(log: Log, job: JobRef): Problem {
  poisonJobs.inc()
  log.error(job, 'a job was failed: worker after worker died or hung at the same step')
  const detail =
    `${maxCrashes + 1} workers in a row died or hung at the same step, and wrote nothing. ` +
    'The log and the memory of the workers at that time have the cause. A retry goes on with this step.'
  return new Problem('worker-crashed', detail)
}

async function report(db: Knex, { tenantKey, jobId }: JobRef, runId: string, waiting: Waiting | undefined) {
  await jobStore(db, await tenantIdOf(db, tenantKey)).reportFailure(jobId, runId, waiting)
}

async function forgetCrash(db: Knex, { tenantKey, jobId }: JobRef, runId: string) {
  await jobStore(db, await tenantIdOf(db, tenantKey)).forgetCrash(jobId, runId)
}

/** Tells whether an activity was cancelled because its worker stops, as it does when a new version is rolled out. */
const isShutdown = (reason: unknown): boolean =>
  reason instanceof CancelledFailure && reason.message === 'WORKER_SHUTDOWN'

/**
 * Returns since when a job fails at its present step, in ms since 1970: what an earlier attempt of this activity has
 * stored, or else now. Waiting in a queue is no failing. What was stored before the activity, such as a suspension, does
 * not count.
 */
function failingSince({ scheduledTimestampMs }: Info, job: JobRow | undefined): number {
  const { since }: Partial<Waiting> = JSON.parse(job?.waiting ?? '{}')
  const stored = since === undefined ? 0 : Date.parse(since)
  return stored >= scheduledTimestampMs ? stored : Math.max(temporalNow(), Math.ceil(scheduledTimestampMs))
}

/**
 * Describes why a job waits, by Temporal's clock, which schedules the next attempt.
 * @param sinceMs when the first attempt began that failed at this step, in ms since 1970.
 */
const waitingFor = ({ reason, afterMs }: { reason: string; afterMs: number }, sinceMs: number): Waiting => ({
  reason,
  since: new Date(sinceMs).toISOString(),
  nextTry: new Date(temporalNow() + afterMs).toISOString(),
})

/** Creates the activities that jobs of every kind have. */
export const jobActivities = (dependencies: StepDependencies) => ({
  /**
   * Marks a job as cancelled, after its run was. What its steps have done stays done, and counted in the job's
   * progress.
   * @returns how far the job came; undefined if it has ended otherwise, or another run does it now.
   */
  async recordCancelled({ tenantKey, jobId }: JobRef): Promise<Done | undefined> {
    const { db, log } = dependencies
    const { info } = Context.current()
    const run = runOf(info)
    const cancel = async () => {
      const tenant = await tenantIdOf(db, tenantKey)
      try {
        await assignToRun(dependencies, tenant, jobId, run)
      } catch (error) {
        // The job has ended, or another run does it now, so there is nothing to record.
        if (error instanceof Problem && (error.code === 'job-ended' || error.code === 'job-cancelled')) return
        throw error
      }
      if (await jobStore(db, tenant).cancelWithRun(jobId)) tellEnd(dependencies, jobId, 'Cancelled')
    }
    await noted(log, jobId, cancel())
    const job = await jobStore(db, await tenantIdOf(db, tenantKey)).byId(jobId)
    return job?.status === 'Cancelled' ? { done: job.done, total: job.total } : undefined
  },
})

/**
 * Waits until the end of a job is recorded.
 * @throws a retryable failure if that fails, so that Temporal tries again until it succeeds. The failure does not
 *   contain the error, because a database error quotes its statement, and with it people's data; the log has it.
 */
async function noted(log: Log, jobId: string, work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (err) {
    log.warn({ jobId, err }, 'the end of the job is not noted yet')
    throw ApplicationFailure.retryable('The end of the job could not be noted; the log has the cause', 'not-noted')
  }
}

/** Counts the end of a job in the metrics, and announces it to requests that wait in this process. */
function tellEnd({ jobEnds }: StepDependencies, jobId: string, outcome: 'Completed' | 'Failed' | 'Cancelled'): void {
  jobEnded(Context.current().info.workflowType ?? '', outcome)
  jobEnds.publish(jobId, true)
}

async function saveProblem(
  dependencies: StepDependencies,
  { tenantKey, jobId }: JobRef,
  runId: string,
  problem: Problem,
  giveUp: Steps['giveUp'],
): Promise<void> {
  const { db } = dependencies
  const store = jobStore(db, await tenantIdOf(db, tenantKey))
  const isFailed = await store.fail(jobId, runId, storedProblem(problem), giveUp)
  if (isFailed) tellEnd(dependencies, jobId, 'Failed')
}
