// Finds jobs, of a tenant or of all tenants, by one filter.
import type { Knex } from 'knex'
import type { JobKind } from '../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../connect.js'
import { type Page, type PageRequest, readPage } from '../paging.js'
import { documents, type JobRow, type JobStatus, jobStatuses, listedColumns, startedMs } from './job-row.js'

/** Which jobs are meant. Without a member, all. */
export interface JobFilter {
  kinds?: readonly JobKind[] | undefined
  statuses?: readonly JobStatus[] | undefined
  dataSets?: readonly string[] | undefined
  acceptedFrom?: Date | undefined
  acceptedTo?: Date | undefined
}

/** Whose jobs are meant. */
export type Whose = TenantId | 'all tenants'

/** Creates a query of the jobs that a filter finds. */
export function jobsOf(db: Db, whose: Whose, filter: JobFilter): Knex.QueryBuilder {
  const query = db('jobs').where({ deleted_at: null })
  if (whose !== 'all tenants') query.where({ tenant_id: whose })
  if (filter.kinds) query.whereIn('kind', filter.kinds)
  if (filter.statuses) query.whereIn('status', filter.statuses)
  if (filter.dataSets) query.whereIn('data_set', filter.dataSets)
  if (filter.acceptedFrom) query.where('accepted_at', '>=', filter.acceptedFrom)
  if (filter.acceptedTo) query.where('accepted_at', '<', filter.acceptedTo)
  return query
}

/** A job with the id of its tenant. */
type OwnedJob = JobRow & { tenant_id: TenantId }

/**
 * Reads a page of the jobs that a filter finds.
 * @param mostCounted the number at which the count stops. Without it all are counted.
 */
export function jobPage(
  db: Db,
  whose: Whose,
  filter: JobFilter,
  page: PageRequest,
  mostCounted?: number,
): Promise<Page<OwnedJob>> {
  const countSome = async (limit: number): Promise<number> => {
    const some = jobsOf(db, whose, filter).select(db.raw('1')).limit(limit)
    const [row] = await db.from(some.as('some')).count({ total: '*' })
    return Number(row?.total ?? 0)
  }
  return readPage<OwnedJob>(
    () => jobsOf(db, whose, filter).select([...listedColumns, 'tenant_id', 'bytes', startedMs(db)]),
    'id',
    page,
    mostCounted === undefined ? undefined : { count: () => countSome(mostCounted) },
    { db, table: 'jobs', key: ['tenant_id', 'id'], columns: documents },
  )
}

/** How many of the jobs that were accepted within an hour have a status. */
export interface JobsOfHour {
  /** The beginning of the hour. */
  hour: string
  status: JobStatus
  jobs: number
}

/** Counts jobs by the hour of their acceptance and by status, reading an index alone. @param from when the first hour begins. */
export async function jobsByHour(db: Db, whose: Whose, from: Date): Promise<JobsOfHour[]> {
  const hour = 'FLOOR(UNIX_TIMESTAMP(accepted_at) / 3600)'
  // Without the hint the server reads all jobs of the tenant, however old, since most statuses are asked for.
  const index = whose === 'all tenants' ? 'jobs_of_all_by_status' : 'jobs_by_status'
  const rows: { hour: number; status: JobStatus; jobs: number }[] = await jobsOf(db, whose, {
    statuses: [...jobStatuses],
    acceptedFrom: from,
  })
    .from(db.raw(`jobs FORCE INDEX (${index})`))
    .groupByRaw(`${hour}, status`)
    .orderByRaw(`${hour}, status`)
    .select('status', db.raw(`${hour} AS hour`), db.raw('COUNT(*) AS jobs'))
  return rows.map(({ hour, status, jobs }) => ({
    hour: new Date(Number(hour) * 3_600_000).toISOString(),
    status,
    jobs: Number(jobs),
  }))
}

/** Adds the keys of their tenants to jobs. */
export async function withTenantKeys<Job extends { tenant_id: TenantId }>(
  db: Db,
  jobs: readonly Job[],
): Promise<(Job & { tenant_key: string })[]> {
  const ids = [...new Set(jobs.map(job => job.tenant_id))]
  const tenants: { id: TenantId; tenant_key: string }[] = await db('tenants')
    .whereIn('id', ids)
    .select('id', 'tenant_key')
  const keys = new Map(tenants.map(({ id, tenant_key }) => [id, tenant_key]))
  return jobs.map(job => ({ ...job, tenant_key: keys.get(job.tenant_id) ?? '' }))
}
