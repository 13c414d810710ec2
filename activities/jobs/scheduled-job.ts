// Prepares a job that a schedule has begun for its workflow.
import type { Knex } from 'knex'
import type { TenantId } from '../../db/connect.js'
import { jobStore } from '../../db/jobs/jobs.js'
import { searchAttributes } from '../../runtime/temporal/search-attributes.js'
import { type JobInput, queues, shownOf } from '../../workflows/jobs/contracts.js'

/** The name that stands as actor of jobs which a schedule begins. */
export const schedule = 'schedule'

/** What a scheduled workflow needs to start the workflow of its job. */
export type ScheduledJob = Awaited<ReturnType<typeof scheduledJob>>

/** Reads what the workflow of a job is started with. @throws Error if the job has been deleted. */
export async function scheduledJob(db: Knex, tenant: TenantId, tenantKey: string, jobId: string) {
  const row = await jobStore(db, tenant).byId(jobId)
  if (!row) throw new Error(`The job ${jobId} is gone`)
  const { kind } = row
  const job: JobInput = { tenantKey, jobId, queue: queues.background }
  const typedSearchAttributes = [
    { key: searchAttributes.tenantKey, value: tenantKey },
    { key: searchAttributes.jobKind, value: kind },
    { key: searchAttributes.jobId, value: jobId },
    { key: searchAttributes.actor, value: schedule },
  ]
  return { job, typedSearchAttributes, shown: shownOf(row, tenantKey) }
}
