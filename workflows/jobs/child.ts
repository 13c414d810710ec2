// Runs a job as the child of a scheduled workflow.
import { CancellationScope, executeChild, ParentClosePolicy } from '@temporalio/workflow'
import type { ScheduledJob } from '../../activities/jobs/scheduled-job.js'
import { addressOf, type JobInput, type JobKind, priorities, workflowIdOf } from './contracts.js'

/** The result of a scheduled workflow: the address of the job that it has begun. */
export interface JobAddress {
  job: string
}

/**
 * Runs a job that a schedule has begun, and waits for its end. Does not throw if the job fails, since the job's own row
 * and run tell so.
 * @throws if this workflow itself is cancelled.
 */
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
    // The job has failed or was cancelled, or its run was started by somebody else at the same moment.
    if (CancellationScope.current().consideredCancelled) throw error
  })
  return { job: addressOf(job.jobId) }
}
