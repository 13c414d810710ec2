// Changes the state of jobs that exist: whoever ends or reopens them does it here, with their rows locked.
import type { Knex } from 'knex'
import { tellIds } from '../audit/action.js'
import type { TenantId } from '../connect.js'
import { noteEvents } from '../events.js'
import type { ChangeKind } from '../feeds.js'
import { groupedBy } from '../rows.js'
import type { JobRow } from './job-row.js'

export const lockedColumns = ['id', 'kind', 'status', 'started_at', 'undone_by', 'run_id'] as const
/** A job whose row is locked, with the columns that decide whether it may change. */
export type LockedJob = Pick<JobRow, (typeof lockedColumns)[number]>

export interface StateChange {
  /** Tells whether a job may be changed so. */
  isRight(job: LockedJob): boolean
  /** The new values of its columns, which depend on its kind and status alone. */
  to: object | ((job: LockedJob) => object)
  /** If the change ends a job, what webhooks are told. */
  event?: ChangeKind<'job'>
}

/**
 * Locks jobs, in the order of their ids, by the primary key alone, as steps do. Whoever locks the index of the status first deadlocks with
 * them, and for a tenant with few jobs the server may take any index that begins with the tenant.
 */
export const lockJobs = (trx: Knex.Transaction, tenant: TenantId, ids: readonly string[]): Promise<LockedJob[]> =>
  trx
    .from(trx.raw('jobs FORCE INDEX (PRIMARY)'))
    .where({ tenant_id: tenant, deleted_at: null })
    .whereIn('id', ids)
    .orderBy('id')
    .forUpdate()
    .select(...lockedColumns)

/**
 * Locks jobs and changes those that are not undone and may be changed so. It does not wait for a turn among the tenant's writers, whose
 * job it may be that has to be stopped.
 * @returns the jobs that exist, as they were, and which of them were changed.
 */
export async function changeJobs(
  trx: Knex.Transaction,
  tenant: TenantId,
  ids: readonly string[],
  { isRight, to, event }: StateChange,
): Promise<{ jobs: LockedJob[]; changed: Set<string> }> {
  const jobs = await lockJobs(trx, tenant, ids)
  const right = jobs.filter(job => job.undone_by === null && isRight(job))
  for (const alike of groupedBy(right, ({ kind, status }) => `${kind} ${status}`).values()) {
    const [first] = alike
    if (!first) continue
    await trx('jobs')
      .where({ tenant_id: tenant })
      .whereIn('id', idsOf(alike))
      .update(typeof to === 'function' ? to(first) : to)
  }
  const changed = idsOf(right)
  tellIds(changed)
  if (event && changed.length > 0)
    await noteEvents(
      trx,
      tenant,
      'job',
      changed.map(id => ({ id, kind: event })),
    )
  return { jobs, changed: new Set(changed) }
}

const idsOf = (jobs: readonly LockedJob[]): string[] => jobs.map(({ id }) => id)
