import type { Knex } from 'knex'
import type { TenantId } from '../connect.js'
import { transaction } from '../errors.js'
import { columns, deleteJob, type JobRow, openStatuses } from './jobs.js'

/** A job with its tenant, for those who look after the jobs of all. */
export type TenantJob = JobRow & { tenant_id: TenantId; tenant_key: string }

/** Jobs that were accepted a while ago and never handed over: what the sweeper starts. */
export const unstartedJobs = (db: Knex, olderThanMs: number): Promise<TenantJob[]> =>
  jobsOfAll(db)
    .where('j.status', 'Accepted')
    .where('j.accepted_at', '<', new Date(Date.now() - olderThanMs))
    .whereNull('j.started_at')

/** Jobs that were done when they were accepted, a while ago, and have no run yet: what the sweeper starts as well. */
export const jobsWithoutRun = (db: Knex, olderThanMs: number): Promise<TenantJob[]> =>
  jobsOfAll(db)
    .where('j.awaits_run', 1)
    .where('j.accepted_at', '<', new Date(Date.now() - olderThanMs))

/** Jobs that were handed over a while ago and have not ended: what the sweeper asks Temporal about. */
export const openJobs = (db: Knex, olderThanMs: number): Promise<TenantJob[]> =>
  jobsOfAll(db)
    .whereIn('j.status', openStatuses)
    .where('j.started_at', '<', new Date(Date.now() - olderThanMs))

const jobsOfAll = (db: Knex) =>
  db('jobs as j')
    .join('tenants as t', 't.id', 'j.tenant_id')
    .orderBy('j.accepted_at')
    .limit(100)
    .select('j.tenant_id', 't.tenant_key', ...columns.map(column => `j.${column}`))

/**
 * Forgets jobs that ended more than `olderThanMs` ago, with their input; a hundred at a time, so that no lock is long. A failed
 * delivery stays, for its form is nowhere else: it goes when it has arrived, or a while after somebody has cancelled it.
 * @returns how many.
 */
export async function forgetJobs(db: Knex, olderThanMs: number): Promise<number> {
  const old: { tenant_id: TenantId; id: string }[] = await db('jobs')
    .whereIn('tenant_id', db('tenants').select('id'))
    .whereIn('status', ['Completed', 'Failed', 'Cancelled'])
    .where('accepted_at', '<', new Date(Date.now() - olderThanMs))
    .where('finished_at', '<', new Date(Date.now() - olderThanMs))
    .whereNot(job => job.where({ kind: 'singlePassDelivery', status: 'Failed' }))
    .limit(100)
    .select('tenant_id', 'id')
  for (const { tenant_id, id } of old) {
    await transaction(db, tenant_id, trx => deleteJob(trx, tenant_id, id))
  }
  return old.length
}
