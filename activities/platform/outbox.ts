// The activity of `platform/outbox`: starts jobs that were only accepted, and compares open jobs with their runs.
import { WorkflowNotFoundError } from '@temporalio/client'
import type { Knex } from 'knex'
import { Gauge } from 'prom-client'
import { jobStore } from '../../db/jobs/jobs.js'
import { openJobs, type TenantJob, unstartedJobs } from '../../db/jobs/jobs-of-all.js'
import type { Log } from '../../runtime/log.js'
import { processMetrics } from '../../runtime/metrics.js'
import type { Temporal } from '../../runtime/temporal.js'
import type { OutboxReport } from '../../workflows/platform/contracts.js'
import { startJob } from '../jobs/start-run.js'
import { repeatedly } from './repeatedly.js'

const pauseMs = 2_000
/** Older than a start may take (5 s), so that a start under way is left alone. */
const unstartedMs = 7_000
/** Most jobs have long ended by then; of the others Temporal is asked whether their run still goes on. */
const openMs = 30_000
/** Between two looks at all open jobs. */
const reconcileMs = 15_000
/** Failures in a row of one workflow task. Temporal waits longer before each, so that an outage of a worker makes fewer. */
const stuckAttempts = 3

const stuckRuns = new Gauge({
  name: 'armature_stuck_runs',
  help: 'Runs of open jobs whose workflow task fails again and again, seen by the worker that does the outbox',
  registers: [processMetrics],
})

export interface OutboxDependencies {
  db: Knex
  log: Log
  /** Throws Problem 503 while Temporal is away. */
  temporal: () => Temporal
}

/** Activities of the run that looks after jobs for which nobody waits. */
export const outboxActivities = (dependencies: OutboxDependencies) => ({
  /**
   * Starts accepted jobs that Temporal has not got, because a process ended or Temporal was away. Fails a job whose run
   * was ended, and starts a job again whose run Temporal has lost or completed. Goes on for minutes.
   */
  async startAccepted(): Promise<OutboxReport> {
    const { db, log, temporal } = dependencies
    const report: OutboxReport = { started: 0, repaired: 0 }
    let reconciledAt = 0
    const work = async () => {
      for (const job of await unstartedJobs(db, unstartedMs)) {
        await startJob(db, temporal(), job, job.tenant_key)
        report.started++
        log.info({ jobId: job.id, kind: job.kind, traceId: job.trace_id }, 'started a job that was only accepted')
      }
      if (Date.now() - reconciledAt < reconcileMs) return
      report.repaired += await reconcileAll(dependencies)
      reconciledAt = Date.now()
    }
    try {
      await repeatedly(log, pauseMs, work)
    } finally {
      stuckRuns.set(0)
    }
    return report
  },
})

/** Compares every open job with its run. @returns how many did not agree. */
async function reconcileAll(dependencies: OutboxDependencies): Promise<number> {
  const found = { repaired: 0, stuck: 0, agrees: 0 }
  let last: TenantJob | undefined
  do {
    const jobs = await openJobs(dependencies.db, openMs, last)
    for (const state of await Promise.all(jobs.map(job => reconcile(job, dependencies)))) found[state]++
    last = jobs.at(-1)
  } while (last)
  stuckRuns.set(found.stuck)
  return found.repaired
}

/**
 * Makes the job's row agree with its run. A run that was terminated or lost left no note. A completed run beside an
 * open job means that MySQL was restored to an earlier moment: the job goes on from its row.
 */
async function reconcile(
  job: TenantJob,
  { db, temporal, log }: OutboxDependencies,
): Promise<'repaired' | 'stuck' | 'agrees'> {
  const { run, failures } = await stateOfRun(job, temporal())
  const about = { jobId: job.id, kind: job.kind, traceId: job.trace_id }
  if (run === 'RUNNING' && failures < stuckAttempts) return 'agrees'
  if (run === 'RUNNING') {
    log.error(
      { ...about, failures },
      'the workflow task of a run fails again and again; the Temporal UI shows the cause',
    )
    return 'stuck'
  }
  log.warn({ ...about, run }, 'a job is open and its run is not')
  if (run === 'UNKNOWN' || run === 'COMPLETED') await startJob(db, temporal(), job, job.tenant_key, true)
  else
    await jobStore(db, job.tenant_id).fail(job.id, job.attempt, {
      status: 500,
      code: 'run-ended',
      title: 'The run of the job was ended',
      detail: `Its run in Temporal is ${run.toLowerCase()}. Its writes are counted; a retry goes on from there.`,
      faults: [],
    })
  return 'repaired'
}

/** The status of a job's run, and how often its workflow task has failed in a row. */
async function stateOfRun(job: TenantJob, { client }: Temporal): Promise<{ run: string; failures: number }> {
  try {
    const { status, raw } = await client.workflow.getHandle(job.workflow_id).describe()
    return { run: status.name, failures: (raw.pendingWorkflowTask?.attempt ?? 1) - 1 }
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { run: 'UNKNOWN', failures: 0 }
    throw error
  }
}
