// Queries over the jobs of all tenants, for the platform's own runs.
import type { Knex } from 'knex'
import { jobKinds, kindsWith } from '../../workflows/jobs/contracts.js'
import type { TenantId } from '../connect.js'
import { transaction } from '../errors.js'
import { whereBeyond } from '../paging.js'
import { groupedBy } from '../rows.js'
import type { TenantLimits } from '../tenant-limits.js'
import { columns, deleteJobs, type JobRow, openStatuses } from './jobs.js'

/** A job with its tenant, for those who look after the jobs of all. */
export type TenantJob = JobRow & { tenant_id: TenantId; tenant_key: string }

/** At most so many jobs at a time, those that were accepted first before all others. */
const perLook = 100

/**
 * Jobs that were accepted a while ago and never handed over: they have to be started.
 * @param after the last one of those that were looked at before.
 */
export const unstartedJobs = (db: Knex, olderThanMs: number, after?: TenantJob): Promise<TenantJob[]> =>
  firstOf(db, after, jobs =>
    jobs.where('status', 'Accepted').where('accepted_at', '<', before(olderThanMs)).whereNull('started_at'),
  )

/**
 * Jobs that were handed over a while ago and have not ended: their runs have to be there.
 * @param after the last one of those that were looked at before.
 */
export const openJobs = (db: Knex, olderThanMs: number, after?: TenantJob): Promise<TenantJob[]> =>
  firstOf(db, after, jobs => jobs.whereIn('status', openStatuses).where('started_at', '<', before(olderThanMs)))

const before = (olderThanMs: number): Date => new Date(Date.now() - olderThanMs)

type Chosen = (jobs: Knex.QueryBuilder) => Knex.QueryBuilder

/**
 * Tenants are looked up for these alone: a join before the limit would read all jobs. Kinds of a later version, after a way
 * back from it, are left to that.
 */
async function firstOf(db: Knex, after: TenantJob | undefined, chosen: Chosen): Promise<TenantJob[]> {
  const jobs = chosen(db('jobs').select('tenant_id', ...columns))
    .whereIn('kind', jobKinds)
    .orderBy(['accepted_at', 'id'])
    .limit(perLook)
  if (after) {
    whereBeyond(jobs, ['accepted_at', '>', after.accepted_at], ['id', '>', after.id])
  }
  return db
    .from(jobs.as('j'))
    .join('tenants as t', 't.id', 'j.tenant_id')
    .orderBy(['j.accepted_at', 'j.id'])
    .select('j.*', 't.tenant_key')
}

/** How many jobs have not ended, by kind and status. */
export async function countOpenJobs(db: Knex): Promise<{ kind: string; status: string; jobs: number }[]> {
  const rows = await db('jobs')
    .whereIn('status', openStatuses)
    .groupBy('kind', 'status')
    .select('kind', 'status', db.raw('COUNT(*) AS jobs'))
  return rows.map(({ kind, status, jobs }) => ({ kind, status, jobs: Number(jobs) }))
}

/** Since when the oldest job that has not begun waits, by task queue. */
export const waitingSince = (db: Knex): Promise<{ queue: string; since: Date }[]> =>
  db('jobs').where('status', 'Accepted').groupBy('queue').select('queue').min({ since: 'accepted_at' })

/** Jobs of one transaction that forgets them: no lock is held for long. */
const perForgetting = 500
const dayMs = 86_400_000

/**
 * Forgets jobs at the end of their retention, with their input; some hundred in a transaction. A failed delivery
 * stays, for its form is nowhere else: it goes when it has arrived, or a while after somebody has cancelled it.
 * @param retentionMs how long a job is kept after its end, where the limits of its tenant do not say it.
 * @returns how many.
 */
export async function forgetJobs(db: Knex, retentionMs: number): Promise<number> {
  const own = await ownRetentions(db)
  const idsOf = (tenants: readonly OwnRetention[]) => tenants.map(({ id }) => id)
  let forgotten = await forgetAll(db, retentionMs, jobs => jobs.whereNotIn('tenant_id', idsOf(own)))
  for (const [days, tenants] of groupedBy(own, tenant => tenant.days))
    forgotten += await forgetAll(db, days * dayMs, jobs => jobs.whereIn('tenant_id', idsOf(tenants)))
  return forgotten
}

/** How long a tenant's limits say that its jobs are kept. */
interface OwnRetention {
  id: TenantId
  days: number
}

async function ownRetentions(db: Knex): Promise<OwnRetention[]> {
  const tenants: { id: TenantId; limits: string }[] = await db('tenants').select('id', 'limits')
  return tenants.flatMap(({ id, limits }) => {
    const { jobRetentionDays: days }: TenantLimits = JSON.parse(limits)
    return days === undefined ? [] : [{ id, days }]
  })
}

async function forgetAll(db: Knex, retentionMs: number, chosen: Chosen): Promise<number> {
  let forgotten = 0
  for (let more = 1; more > 0; forgotten += more) more = await forgetSome(db, retentionMs, chosen)
  return forgotten
}

/** @returns how many; 0 when none is left. */
async function forgetSome(db: Knex, retentionMs: number, chosen: Chosen): Promise<number> {
  const old: Pick<TenantJob, 'tenant_id' | 'id' | 'kind'>[] = await chosen(db('jobs'))
    .whereIn('status', ['Completed', 'Failed', 'Cancelled'])
    .where('accepted_at', '<', before(retentionMs))
    .where('finished_at', '<', before(retentionMs))
    .whereIn('kind', jobKinds)
    .whereNot(job => job.whereIn('kind', kindsWith('keepsFailed')).where({ status: 'Failed' }))
    .limit(perForgetting)
    .select('tenant_id', 'id', 'kind')
  for (const [tenant, jobs] of groupedBy(old, job => job.tenant_id)) {
    await transaction(db, tenant, trx => deleteJobs(trx, tenant, jobs))
  }
  return old.length
}
