// The run that may end a job.
import type { Info } from '@temporalio/activity'
import { WorkflowNotFoundError } from '@temporalio/client'
import type { Knex } from 'knex'
import type { TenantId } from '../../db/connect.js'
import { hasAnotherRun } from '../../db/jobs/advance.js'
import { isOpen, jobStore } from '../../db/jobs/jobs.js'
import type { Log } from '../../runtime/observe/log.js'
import { conflict, unavailable } from '../../runtime/problems/problem.js'
import type { Temporal } from '../../runtime/temporal/temporal.js'

export interface OwnershipDependencies {
  db: Knex
  log: Log
  /** Throws Problem 503 while Temporal is away. */
  temporal: () => Temporal
}

interface Execution {
  workflowId: string
  runId: string
}

/** The run of an activity. */
export function runOf({ workflowExecution }: Info): Execution {
  if (!workflowExecution) throw new Error('The activity has no workflow')
  return workflowExecution
}

/**
 * Makes a run the one that does a job: a retry, the next run of a long one, or one that an operator has reset. A step
 * of the run before that is still under way is waited for.
 * @throws Problem 409 where the job was cancelled before its run began, or Temporal has another run by now; 503 while
 *   Temporal is away.
 */
export async function assignToRun(
  { db, temporal }: OwnershipDependencies,
  tenant: TenantId,
  jobId: string,
  run: Execution,
): Promise<void> {
  const store = jobStore(db, tenant)
  const now = await store.assignment(jobId)
  if (!now || now.status === 'Completed' || now.run_id === run.runId) return
  // Its start was under way, and there was no run to cancel.
  if (now.started_at === null && !isOpen(now))
    throw conflict('job-ended', `The job ${jobId} was ${now.status.toLowerCase()} before its run began.`)
  // Before any run has begun there is none to ask about.
  if ((now.run_id !== null || !isOpen(now)) && !(await isCurrent(temporal(), run))) throw hasAnotherRun(jobId)
  await store.assignRun(jobId, run.runId)
}

/** Whether Temporal still runs this run, and no later one of its id. */
async function isCurrent({ client }: Temporal, { workflowId, runId }: Execution): Promise<boolean> {
  try {
    const latest = await client.workflow.getHandle(workflowId).describe()
    return latest.runId === runId && latest.status.name === 'RUNNING'
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false
    throw unavailable('The workflow service', error)
  }
}
