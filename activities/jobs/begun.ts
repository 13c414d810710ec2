import { searchAttributes } from '../../runtime/search-attributes.js'
import { type JobInput, type JobKind, queues } from '../../workflows/jobs/contracts.js'

/** Who asks for jobs whose time has come. */
export const schedule = 'schedule'

/** What a workflow starts the run of a job with that a schedule has begun. */
export type BegunJob = ReturnType<typeof begunJob>

export function begunJob(kind: JobKind, tenantKey: string, jobId: string) {
  const job: JobInput = { tenantKey, jobId, queue: queues.background }
  const typedSearchAttributes = [
    { key: searchAttributes.tenantKey, value: tenantKey },
    { key: searchAttributes.jobKind, value: kind },
    { key: searchAttributes.jobId, value: jobId },
    { key: searchAttributes.actor, value: schedule },
  ]
  return { job, typedSearchAttributes }
}
