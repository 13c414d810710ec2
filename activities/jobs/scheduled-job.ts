// Prepares a job that a schedule has begun for its workflow.
import type { Knex } from 'knex'
import type { TenantId } from '../../db/connect.js'
import type { JobRow } from '../../db/jobs/job-row.js'
import { jobStore } from '../../db/jobs/jobs.js'
import { searchAttributes } from '../../runtime/temporal/search-attributes.js'
import { type JobInput, queues, shownOf } from '../../workflows/jobs/contracts.js'

/** The name that stands as actor of jobs which a schedule begins. */
export const schedule = 'schedule'

/** The caller that the audit names where a schedule has begun a job. It has sent nothing, so there are no names of members. */
export const scheduledAction = { client: schedule, members: [] }

/** Returns the search attributes by which the run of a job is found in Temporal. */
export const jobAttributes = ({ id, kind, actor }: Pick<JobRow, 'id' | 'kind' | 'actor'>, tenantKey: string) => [
  { key: searchAttributes.tenantKey, value: tenantKey },
  { key: searchAttributes.jobKind, value: kind },
  { key: searchAttributes.jobId, value: id },
  { key: searchAttributes.actor, value: actor },
  { key: searchAttributes.jobPercent, value: 0 },
]

/** The input and the attributes with which a scheduled workflow starts the workflow of its job. */
export type ScheduledJob = Awaited<ReturnType<typeof scheduledJob>>

/** Reads what the workflow of a job is started with. @throws Error if the job has been deleted. */
export async function scheduledJob(db: Knex, tenant: TenantId, tenantKey: string, jobId: string, publicUrl: string) {
  const row = await jobStore(db, tenant).byId(jobId)
  if (!row) throw new Error(`The job ${jobId} is gone`)
  const job: JobInput = { tenantKey, jobId, queue: queues.background }
  return { job, typedSearchAttributes: jobAttributes(row, tenantKey), shown: shownOf(row, tenantKey, publicUrl) }
}
