// The activity of `platform/outbox`, which starts jobs that were accepted but not started, and compares open jobs with
// their runs.
import { isGrpcServiceError, ServiceError } from '@temporalio/client'
import type { Knex } from 'knex'
import { Counter } from 'prom-client'
import { isOutage } from '../../db/errors.js'
import { isOpen, storedProblem } from '../../db/jobs/job-row.js'
import { jobStore } from '../../db/jobs/jobs.js'
import { jobsToCancel, openJobs, type TenantJob, unstartedJobs } from '../../db/jobs/jobs-across-tenants.js'
import { jobEnded } from '../../db/jobs/jobs-ended.js'
import type { Log } from '../../runtime/observe/log.js'
import { processMetrics } from '../../runtime/observe/metrics.js'
import { Problem } from '../../runtime/problems/problem.js'
import type { Temporal } from '../../runtime/temporal/calls.js'
import type { OutboxReport } from '../../workflows/platform/contracts.js'
import { latestRun } from '../jobs/latest-run.js'
import { cancelRun, startJob } from '../jobs/start-run.js'
import { movePinnedRuns } from './pinned-runs.js'
import { pollActivity } from './poll-activity.js'
import { runningRuns } from './runs.js'
import { lookAtStuckRuns, stuckProblem } from './stuck-runs.js'

const pauseMs = 4_000
/** How old an unstarted job must be. A start takes at most 5 s, so one that is under way is left alone. */
const unstartedMs = 7_000
/** How old an open job must be before Temporal is asked about its run. Most jobs have ended by then. */
const openMs = 30_000
/** Time between two comparisons of all open jobs with their runs. */
const reconcileMs = 15_000

const repairs = new Counter({
  name: 'armature_job_repairs_total',
  help: 'Open jobs whose run was not there or had ended, by what had become of the run',
  labelNames: ['run'],
  registers: [processMetrics],
})
for (const run of ['unknown', 'completed', 'failed', 'terminated', 'timed_out', 'cancelled']) repairs.inc({ run }, 0)

export interface OutboxDependencies {
  /** PUBLIC_URL. */
  publicUrl: string
  db: Knex
  log: Log
  /** @throws Problem 503 while Temporal is unavailable. */
  temporal: () => Temporal
  /** STUCK_RUN_MINUTES. */
  stuckRunMs: number
}

/** Creates the activity that looks after accepted jobs. */
export const outboxActivities = (dependencies: OutboxDependencies) => ({
  /**
   * Starts accepted jobs that did not reach Temporal because a process ended or Temporal was unavailable, and cancels the
   * runs of jobs whose cancellation did not reach it. Fails a job whose run was ended from outside, and starts a job again whose run Temporal has lost or completed. Repeats this for
   * some minutes.
   */
  async startAccepted(): Promise<OutboxReport> {
    const { log } = dependencies
    const report: OutboxReport = { started: 0, repaired: 0 }
    const stuckRuns = lookAtStuckRuns(dependencies)
    let reconciledAt = 0
    const work = async () => {
      report.started += await startAll(dependencies)
      await cancelAll(dependencies)
      if (Date.now() - reconciledAt < reconcileMs) return
      await stuckRuns.look(dependencies.temporal())
      report.repaired += await reconcileAll(dependencies)
      await movePinnedRuns(dependencies.db, dependencies.temporal().call, log)
      reconciledAt = Date.now()
    }
    try {
      await pollActivity(log, pauseMs, work)
    } finally {
      stuckRuns.leave()
    }
    return report
  },
})

/**
 * Starts every job that was accepted a while ago and has no run.
 * @returns how many it started.
 */
async function startAll({ db, temporal, log, publicUrl }: OutboxDependencies): Promise<number> {
  let started = 0
  const start = async (job: TenantJob) => {
    // The page may be some seconds old. A job that has been started since may have failed, and would be done again.
    const now = await jobStore(db, job.tenant_id).byId(job.id)
    if (now?.status !== 'Accepted' || now.started_at !== null) return false
    await startJob(db, temporal(), now, job.tenant_key, publicUrl)
    log.info({ jobId: job.id, kind: job.kind, traceId: job.trace_id }, 'started a job that was only accepted')
    return true
  }
  await forEachPage(
    after => unstartedJobs(db, unstartedMs, after),
    async jobs => {
      for (const job of jobs) if (await tryJob(log, job, () => start(job))) started++
    },
  )
  return started
}

/** Tells Temporal of every job that was cancelled and whose run may go on. */
const cancelAll = ({ db, temporal, log }: OutboxDependencies): Promise<void> =>
  forEachPage(
    after => jobsToCancel(db, after),
    async jobs => {
      for (const job of jobs) await tryJob(log, job, () => cancelRun(db, temporal(), job, job.tenant_id))
    },
  )

/** Reads page after page of jobs and works on each. */
async function forEachPage(
  read: (after: TenantJob | undefined) => Promise<TenantJob[]>,
  work: (jobs: TenantJob[]) => Promise<void>,
): Promise<void> {
  let last: TenantJob | undefined
  do {
    const jobs = await read(last)
    await work(jobs)
    last = jobs.at(-1)
  } while (last)
}

/**
 * Works on one job. An error that concerns this job alone, such as a refusal by Temporal, is logged and does not hold
 * up the others.
 * @returns what the work returned, or false after an error.
 * @throws the error if Temporal or MySQL is unavailable, which concerns all jobs.
 */
async function tryJob(log: Log, job: TenantJob, work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work()
  } catch (err) {
    if (concernsAll(err)) throw err
    log.error({ err, jobId: job.id, kind: job.kind, traceId: job.trace_id }, 'a job could not be looked after')
    return false
  }
}

/**
 * Tells whether an error is an outage, rather than Temporal refusing this job's start (INVALID_ARGUMENT), a row being
 * locked, or a tenant that has just been hidden.
 */
function concernsAll(error: unknown): boolean {
  if (error instanceof ServiceError) return !(isGrpcServiceError(error.cause) && error.cause.code === 3)
  return error instanceof Problem ? error.status === 503 && error.code !== 'busy' : isOutage(error)
}

/**
 * Compares every open job with the runs in Temporal, a page of jobs with one query.
 * @returns how many jobs had to be repaired.
 */
async function reconcileAll(dependencies: OutboxDependencies): Promise<number> {
  const { db, temporal, log } = dependencies
  let repaired = 0
  await forEachPage(
    after => openJobs(db, openMs, after),
    async jobs => {
      const running = await runningOf(temporal(), jobs)
      const others = jobs.filter(job => !running.has(job.workflow_id))
      const repairs = others.map(job => tryJob(log, job, () => reconcile(job, dependencies)))
      repaired += (await Promise.all(repairs)).filter(Boolean).length
    },
  )
  return repaired
}

/** Returns the ids of the jobs' workflows that are running. Temporal's list may lag by some seconds. */
async function runningOf(temporal: Temporal, jobs: readonly TenantJob[]): Promise<Set<string>> {
  if (jobs.length === 0) return new Set()
  const ids = jobs.map(({ workflow_id: id }) => `'${id.replaceAll("'", "''")}'`)
  const runs = await runningRuns(temporal, `WorkflowId IN (${ids.join()})`)
  return new Set(runs.map(({ workflowId }) => workflowId))
}

/**
 * Brings a job in line with its run. A run that was terminated or lost did not update its job. If the run has completed
 * but the job is open, the database was restored to an earlier state, and the job continues from its row.
 * @returns whether the job had to be repaired.
 */
async function reconcile(
  job: TenantJob,
  { db, temporal, log, publicUrl, stuckRunMs }: OutboxDependencies,
): Promise<boolean> {
  const run = await latestRun(temporal(), job.workflow_id)
  const status = run?.status ?? 'UNKNOWN'
  if (status === 'RUNNING') return false
  const store = jobStore(db, job.tenant_id)
  // The job may have ended since it was read.
  const now = await store.byId(job.id)
  if (!now || !isOpen(now)) return false
  if (!run || status === 'COMPLETED') await startJob(db, temporal(), now, job.tenant_key, publicUrl, true)
  else {
    const stuck = await stuckProblem(temporal(), { workflowId: job.workflow_id, runId: run.runId }, stuckRunMs)
    const isFailed = await store.failWithRun(job, stuck ?? storedProblem(runEnded(status)))
    if (!isFailed) return false
    jobEnded(job.kind, 'Failed')
  }
  repairs.inc({ run: status.toLowerCase() })
  log.warn({ jobId: job.id, kind: job.kind, traceId: job.trace_id, run: status }, 'a job was open and its run was not')
  return true
}

const runEnded = (status: string): Problem =>
  new Problem(
    'run-ended',
    `Its run in Temporal is ${status.toLowerCase()}. Its writes are counted; a retry goes on from there.`,
  )
