import { WorkflowNotFoundError } from '@temporalio/client'
import type { Knex } from 'knex'
import { jobStore } from '../../db/jobs/jobs.js'
import { forgetJobs, jobsWithoutRun, openJobs, type TenantJob, unstartedJobs } from '../../db/jobs/jobs-of-all.js'
import type { Log } from '../../runtime/log.js'
import type { Temporal } from '../../runtime/temporal.js'
import type { Jobs } from './start.js'

const everyMs = 2_000
/** Older than a start may take (5 s), so that a start under way is left alone. */
const unstartedMs = 7_000
/** Most jobs have long ended by then; of the others Temporal is asked whether their run still goes on. */
const openMs = 30_000

interface SweepOptions {
  db: Knex
  jobs: Jobs
  temporal: () => Temporal
  log: Log
  /** How long a job that has ended is kept, in ms. */
  retentionMs: number
}

/**
 * Looks after what nobody waits for, in every API process; they may do so at once.
 * A job that was accepted and never handed to Temporal, because the process died in between or Temporal was away, is started;
 * also a small bulk, which is done and lacks only its run. A job whose run is over without having noted its end is ended, one
 * whose run Temporal has lost is started again. Jobs whose time is over are forgotten.
 */
export function sweep(options: SweepOptions): { stop(): void } {
  const { db, jobs, log, retentionMs } = options
  let timer: NodeJS.Timeout
  const next = () => {
    timer = setTimeout(async () => {
      try {
        const unstarted = [...(await unstartedJobs(db, unstartedMs)), ...(await jobsWithoutRun(db, unstartedMs))]
        for (const job of unstarted) {
          await jobs.start(job, job.tenant_key)
          log.info({ jobId: job.id, kind: job.kind, traceId: job.trace_id }, 'started a job that was only accepted')
        }
        for (const job of await openJobs(db, openMs)) await reconcile(job, options)
        const forgotten = await forgetJobs(db, retentionMs)
        if (forgotten > 0) log.info({ forgotten }, 'jobs forgotten')
      } catch (err) {
        log.warn({ err }, 'sweeping stopped for now')
      }
      next()
    }, everyMs).unref()
  }
  next()
  return { stop: () => clearTimeout(timer) }
}

/** Makes the job's row agree with its run, when the run ended without noting it: terminated by an operator, or lost. */
async function reconcile(job: TenantJob, { db, jobs, temporal, log }: SweepOptions): Promise<void> {
  const run = await stateOfRun(job, temporal())
  if (run === 'RUNNING') return
  log.warn({ jobId: job.id, kind: job.kind, traceId: job.trace_id, run }, 'a job is open and its run is not')
  if (run === 'UNKNOWN') return jobs.start(job, job.tenant_key)
  await jobStore(db, job.tenant_id).fail(job.id, job.attempt, {
    status: 500,
    code: 'run-ended',
    title: 'The run of the job was ended',
    detail: `Its run in Temporal is ${run.toLowerCase()}. What it wrote is counted; a retry goes on from there.`,
    faults: [],
  })
}

async function stateOfRun(job: TenantJob, { client }: Temporal): Promise<string> {
  try {
    return (await client.workflow.getHandle(job.workflow_id).describe()).status.name
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'UNKNOWN'
    throw error
  }
}
