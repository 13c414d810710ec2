// Queries the jobs of all tenants, for the outbox, retention and metrics.
import type { Knex } from 'knex'
import { jobKinds, kindOf, kindsWith } from '../../workflows/jobs/contracts.js'
import { ago, now } from '../clock.js'
import type { TenantId } from '../connect.js'
import { transaction } from '../errors.js'
import { whereBeyond } from '../paging.js'
import { groupedBy } from '../rows.js'
import type { TenantLimits } from '../tenant-limits.js'
import { activeTenants, hiddenTenants } from '../tenant-states.js'
import { columnsOf, type JobRow, openStatuses } from './job-row.js'
import { deleteJobs } from './jobs.js'

/** A job with its tenant. */
export type TenantJob = JobRow & { tenant_id: TenantId; tenant_key: string }

/** The most jobs that one query returns. The oldest come first. */
const perLook = 100

/**
 * Returns jobs that were accepted more than `olderThanMs` ago and have no run yet.
 * @param after the last job of the previous page.
 */
export const unstartedJobs = (db: Knex, olderThanMs: number, after?: TenantJob): Promise<TenantJob[]> =>
  firstOf(db, after, jobs =>
    jobs.where('status', 'Accepted').where('accepted_at', '<', ago(db, olderThanMs)).whereNull('started_at'),
  )

/**
 * Returns open jobs that were started more than `olderThanMs` ago, each of which should have a run in Temporal.
 * @param after the last job of the previous page.
 */
export const openJobs = (db: Knex, olderThanMs: number, after?: TenantJob): Promise<TenantJob[]> =>
  firstOf(db, after, jobs => jobs.whereIn('status', openStatuses).where('started_at', '<', ago(db, olderThanMs)))

/**
 * Returns cancelled jobs whose run has yet to be cancelled in Temporal.
 * @param after the last job of the previous page.
 */
export const jobsToCancel = (db: Knex, after?: TenantJob): Promise<TenantJob[]> =>
  firstOf(db, after, jobs => jobs.where('status', 'Cancelled').whereNotNull('cancel_run_since'))

type Chosen = (jobs: Knex.QueryBuilder) => Knex.QueryBuilder

/**
 * Returns the next page of the chosen jobs, oldest first. Tenants are joined after the limit, since a join before it
 * would read all jobs. Jobs of unknown kinds are left out: they come from a later version that was rolled back. So are
 * those of hidden tenants, whose runs would find no tenant.
 */
async function firstOf(db: Knex, after: TenantJob | undefined, chosen: Chosen): Promise<TenantJob[]> {
  const jobs = chosen(db('jobs').select('tenant_id', ...columnsOf(db)))
    .whereIn('kind', jobKinds)
    .whereNotIn('tenant_id', hiddenTenants(db))
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

/** Counts the jobs that have not ended, by kind and status. */
export async function countOpenJobs(db: Knex): Promise<{ kind: string; status: string; jobs: number }[]> {
  const rows = await db('jobs')
    .whereIn('status', openStatuses)
    .groupBy('kind', 'status')
    .select('kind', 'status', db.raw('COUNT(*) AS jobs'))
  return rows.map(({ kind, status, jobs }) => ({ kind, status, jobs: Number(jobs) }))
}

/**
 * Returns for each task queue how long the oldest job whose work has not begun has waited, in seconds. Queues without
 * such jobs are left out.
 */
export async function waitingTimes(db: Knex): Promise<{ queue: string; seconds: number }[]> {
  const oldest = db.raw('TIMESTAMPDIFF(MICROSECOND, MIN(accepted_at), ?) / 1000000 AS seconds', [now(db)])
  const rows = await db('jobs').where('status', 'Accepted').groupBy('queue').select('queue', oldest)
  return rows.map(({ queue, seconds }) => ({ queue, seconds: Number(seconds) }))
}

/** How many jobs one transaction deletes, so that no lock is held for long. */
const perForgetting = 500
/** How many rows of these jobs one statement deletes, for the same reason. */
const rowsAtOnce = 5_000
const ended = ['Completed', 'Failed', 'Cancelled']
const dayMs = 86_400_000

/**
 * Deletes jobs of active tenants at the end of their retention, with their input. A failed job of a kind with `keepsFailed`, such as the
 * delivery of a form that is stored nowhere else, stays until a retry has completed it or somebody has cancelled it. The
 * job that deletes a tenant stays until it has done so, because nothing but its retry reaches what is left of the tenant.
 * @param retentionMs how long a job is kept after its end, unless its tenant has a limit of its own.
 * @returns how many were deleted.
 */
export async function forgetJobs(db: Knex, retentionMs: number): Promise<number> {
  const own = await ownRetentions(db)
  const idsOf = (tenants: readonly OwnRetention[]) => tenants.map(({ id }) => id)
  let forgotten = await forgetAll(db, retentionMs, jobs => jobs.whereNotIn('tenant_id', idsOf(own)))
  for (const [days, tenants] of groupedBy(own, tenant => tenant.days))
    forgotten += await forgetAll(db, days * dayMs, jobs => jobs.whereIn('tenant_id', idsOf(tenants)))
  return forgotten
}

/** A tenant whose limits say how long its jobs are kept. */
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

/** Deletes one batch of the chosen jobs whose retention is over. @returns how many; 0 if none was left. */
async function forgetSome(db: Knex, retentionMs: number, chosen: Chosen): Promise<number> {
  const deletions = db('tenants').whereNotNull('deletion_job_id').select('deletion_job_id')
  const old: OldJob[] = await chosen(db('jobs'))
    .whereIn('tenant_id', activeTenants(db))
    .whereNotIn('id', deletions)
    .whereIn('status', ended)
    .where('accepted_at', '<', ago(db, retentionMs))
    .where('finished_at', '<', ago(db, retentionMs))
    .whereIn('kind', jobKinds)
    .whereNot(job => job.whereIn('kind', kindsWith('keepsFailed')).where({ status: 'Failed' }))
    .limit(perForgetting)
    .select('tenant_id', 'id', 'kind')
  for (const [tenant, jobs] of groupedBy(old, job => job.tenant_id)) {
    const hidden = await hideJobs(db, tenant, jobs)
    await deleteRowsOf(db, tenant, hidden)
    // Without waiting for a turn among the tenant's writers, so that one busy tenant does not stop the retention of all.
    await transaction(db, 'unqueued', trx => deleteJobs(trx, tenant, hidden))
  }
  return old.length
}

type OldJob = Pick<TenantJob, 'tenant_id' | 'id' | 'kind'>

/**
 * Hides jobs from everybody before their rows are deleted in several statements, so that nobody reads a part of them.
 * @returns those that have not been retried meanwhile.
 */
const hideJobs = (db: Knex, tenant: TenantId, jobs: readonly OldJob[]): Promise<OldJob[]> =>
  transaction(db, 'unqueued', async trx => {
    const ids = jobs.map(({ id }) => id)
    const chosen = () => trx('jobs').where({ tenant_id: tenant }).whereIn('id', ids).whereIn('status', ended)
    const hidden: OldJob[] = await chosen().forUpdate().select('tenant_id', 'id', 'kind')
    await chosen().update({ deleted_at: now(trx), idempotency_key: null })
    return hidden
  })

/** Deletes the rows of jobs in the tables of their kinds: those of a large import are too many for one transaction. */
async function deleteRowsOf(db: Knex, tenant: TenantId, jobs: readonly OldJob[]): Promise<void> {
  for (const [kind, ofKind] of groupedBy(jobs, job => job.kind)) {
    const ids = ofKind.map(({ id }) => id)
    for (const table of kindOf(kind).tables) {
      const deleteSome = () => db(table).where({ tenant_id: tenant }).whereIn('job_id', ids).limit(rowsAtOnce).delete()
      while ((await deleteSome()) === rowsAtOnce) {
        // Each statement is a transaction of its own.
      }
    }
  }
}
