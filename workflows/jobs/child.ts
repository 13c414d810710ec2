// Runs a job as a child workflow.
import { CancellationScope, executeChild, ParentClosePolicy } from '@temporalio/workflow'
import type { BegunJob } from '../../activities/jobs/begun.js'
import { addressOf, type JobInput, type JobKind, type JobProgress, priorities, workflowIdOf } from './contracts.js'

/** Address of a job that a schedule has begun. */
export interface BegunRef {
  job: string
}

/** Runs a job that was begun because its time had come. How that goes is told by the job's own row and run. */
export async function runChild(
  kind: JobKind,
  workflow: (input: JobInput) => Promise<JobProgress>,
  { job, typedSearchAttributes, shown }: BegunJob,
): Promise<BegunRef> {
  const child = executeChild(workflow, {
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
