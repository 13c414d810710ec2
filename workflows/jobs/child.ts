// Runs a job as a child workflow.
import { CancellationScope, executeChild, ParentClosePolicy } from '@temporalio/workflow'
import type { ScheduledJob } from '../../activities/jobs/scheduled-job.js'
import { addressOf, type JobInput, type JobKind, priorities, workflowIdOf } from './contracts.js'

/** Address of a job that a schedule has begun. */
export interface JobAddress {
  job: string
}

/** Runs a job that was begun because its time had come. How that goes is told by the job's own row and run. */
export async function runChild(
  kind: JobKind,
  { job, typedSearchAttributes, shown }: ScheduledJob,
): Promise<JobAddress> {
  const child = executeChild<(input: JobInput) => Promise<unknown>>(kind, {
    workflowId: workflowIdOf(kind, job),
    args: [job],
    typedSearchAttributes,
    ...shown,
    parentClosePolicy: ParentClosePolicy.ABANDON,
    priority: { fairnessKey: job.tenantKey, priorityKey: priorities.schedule },
  })
  await child.catch(error => {
    // Somebody asked for the same at the same moment, or the job has failed or was cancelled, and says so.
    if (CancellationScope.current().consideredCancelled) throw error
  })
  return { job: addressOf(job.jobId) }
}
