// The workflow input of a job that a schedule began.
import type { Knex } from 'knex'
import type { TenantId } from '../../db/connect.js'
import { jobStore } from '../../db/jobs/jobs.js'
import { searchAttributes } from '../../runtime/temporal/search-attributes.js'
import { type JobInput, queues, shownOf } from '../../workflows/jobs/contracts.js'

/** The actor of jobs that a schedule begins. */
export const schedule = 'schedule'

/** The workflow input of a job that a schedule has begun. */
export type ScheduledJob = Awaited<ReturnType<typeof scheduledJob>>

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
