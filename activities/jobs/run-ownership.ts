// Decides which Temporal run may do a job, and end it.
import type { Info } from '@temporalio/activity'
import type { Knex } from 'knex'
import type { TenantId } from '../../db/connect.js'
import { jobCancelled, runReplaced } from '../../db/jobs/advance.js'
import { isOpen, type JobRow } from '../../db/jobs/job-row.js'
import { jobStore } from '../../db/jobs/jobs.js'
import type { Log } from '../../runtime/observe/log.js'
import { conflict } from '../../runtime/problems/problem.js'
import type { Temporal } from '../../runtime/temporal/calls.js'
import { latestRun } from './latest-run.js'

export interface OwnershipDependencies {
  db: Knex
  log: Log
  /** @throws Problem 503 while Temporal is away. */
  temporal: () => Temporal
}

interface Execution {
  workflowId: string
  runId: string
}

/** Returns the workflow run that an activity belongs to. */
export function runOf({ workflowExecution }: Info): Execution {
  if (!workflowExecution) throw new Error('The activity has no workflow')
  return workflowExecution
}

/**
 * Makes a run the one that does a job. The run may differ from the recorded one after a retry, after continuing as new,
 * or after an operator's reset. Waits for a step of the previous run that is still under way. A completed job is left
 * as it is.
 * @returns the job, with what earlier runs have done; undefined if there is no such job.
 * @throws Problem 409 `job-cancelled` if the job was cancelled and this run has yet to be; `job-ended` if it ended before
 *   its run began, or if Temporal has a later run by now; 503 while Temporal is away.
 */
export async function assignToRun(
  { db, temporal }: OwnershipDependencies,
  tenant: TenantId,
  jobId: string,
  run: Execution,
): Promise<JobRow | undefined> {
  const store = jobStore(db, tenant)
  for (;;) {
    const now = await store.byId(jobId)
    if (!now || now.status === 'Completed') return now
    // Temporal may not know yet that the job is cancelled, or there was no run to cancel when it was.
    const isTold = now.cancel_run_since === null
    if (now.status === 'Cancelled' && (!isTold || now.run_id === run.runId || now.started_at === null))
      throw jobCancelled(jobId)
    if (now.run_id === run.runId) return now
    if (now.started_at === null && !isOpen(now))
      throw conflict('job-ended', `The job ${jobId} was ${now.status.toLowerCase()} before its run began.`)
    // The first run of an open job competes with no other, so Temporal need not be asked.
    if ((now.run_id !== null || !isOpen(now)) && !(await isCurrent(temporal(), run))) throw runReplaced(jobId)
    // If the job has got another run or has ended since it was read, Temporal's answer may be outdated too, so it is asked again.
    if (!(await store.assignRun(jobId, run.runId, now.run_id, isOpen(now)))) continue
    // An open job that had no run is as it was read. Another one is open again, or its last run has moved it on meanwhile.
    return isOpen(now) && now.run_id === null ? now : store.byId(jobId)
  }
}

/** Tells whether Temporal is still running this run, rather than a later one with the same workflow id. */
async function isCurrent(temporal: Temporal, { workflowId, runId }: Execution): Promise<boolean> {
  const latest = await latestRun(temporal, workflowId)
  return latest?.runId === runId && latest.status === 'RUNNING'
}
