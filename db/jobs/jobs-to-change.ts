// Finds the jobs that one call retries or cancels.
import type { Knex } from 'knex'
import type { JobKind } from '../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../connect.js'
import { hiddenTenants } from '../tenant-states.js'
import { type JobFilter, jobsOf, type Whose, withTenantKeys } from './job-list.js'
import {
  cancellableStatuses,
  columnsOf,
  type JobRow,
  type JobStatus,
  openStatuses,
  stoppedStatuses,
} from './job-row.js'
import type { TenantJob } from './jobs-across-tenants.js'

/** What is done with jobs. */
export type JobChange = 'retry' | 'cancel'

/** The statuses of the jobs with which something can be done. Failed jobs that are cancelled are given up. */
export const changeableStatuses: Record<JobChange, readonly JobStatus[]> = {
  retry: stoppedStatuses,
  cancel: cancellableStatuses,
}

/** Returns the statuses of the jobs that are meant. Failed jobs are given up, and cancelled ones retried, only if the filter names their status. */
export const statusesToChange = (change: JobChange, { statuses }: JobFilter): readonly JobStatus[] =>
  statuses ?? (change === 'retry' ? ['Failed'] : openStatuses)

/** Which jobs are to be changed. */
export interface JobsToChange {
  change: JobChange
  whose: Whose
  filter: JobFilter
  /** Kinds of which no jobs are changed. */
  without: readonly JobKind[]
  /** Jobs that were accepted or have ended since are left alone, but not those that were retried since and are still open. */
  asOf: Date
  /** The id of the last job that was looked at, if not all are meant. */
  after?: string | undefined
}

/** How many jobs of a kind with a status there are. */
export interface KindCount {
  kind: string
  status: JobStatus
  jobs: number
}

function matching(db: Db, { change, whose, filter, without, asOf, after }: JobsToChange): Knex.QueryBuilder {
  const query = jobsOf(db, whose, { ...filter, statuses: statusesToChange(change, filter) })
    .whereNull('undone_by')
    .whereRaw('COALESCE(finished_at, accepted_at) <= ?', [asOf])
  if (without.length > 0) query.whereNotIn('kind', without)
  if (whose === 'all tenants') query.whereNotIn('tenant_id', hiddenTenants(db))
  if (after !== undefined) query.where('id', '>', after)
  return query
}

/** Counts the jobs that are to be changed. */
export async function countToChange(db: Db, which: JobsToChange): Promise<KindCount[]> {
  const rows: { kind: string; status: JobStatus; jobs: string }[] = await matching(db, which)
    .groupBy('kind', 'status')
    .orderBy(['kind', 'status'])
    .select('kind', 'status')
    .count({ jobs: '*' })
  return rows.map(({ jobs, ...row }) => ({ ...row, jobs: Number(jobs) }))
}

/** Returns the first jobs that are to be changed, in order of their ids. */
export async function firstToChange(db: Db, which: JobsToChange, limit: number): Promise<TenantJob[]> {
  // Sorted by keys alone, because whole rows are many times larger.
  const keys = matching(db, which).orderBy('id').limit(limit).select({ of_tenant: 'tenant_id', of_job: 'id' })
  const jobs: (JobRow & { tenant_id: TenantId })[] = await db
    .from(keys.as('found'))
    .join('jobs', { tenant_id: 'of_tenant', id: 'of_job' })
    .orderBy('id')
    .select('tenant_id', ...columnsOf(db))
  return withTenantKeys(db, jobs)
}
