// Deletes a tenant from every table, some rows at a time.
import type { Knex } from 'knex'
import { conflict } from '../../runtime/problems/problem.js'
import { partsOfActor } from '../../runtime/secrets/actors.js'
import type { JobProgress } from '../../workflows/jobs/contracts.js'
import { asAction, platformChain, recordAction } from '../audit/action.js'
import { ago } from '../clock.js'
import type { Db, TenantId } from '../connect.js'
import { transaction } from '../errors.js'
import { advance, type JobRun } from '../jobs/advance.js'
import type { JobRow } from '../jobs/job-row.js'
import type { StorageName } from '../storage/storage.js'
import { type TenantTable, tablesWithFiles, tenantTables } from './tenant-tables.js'
import { importing, tenantsKnownTo } from './tenants.js'

/** A tenant by its key and its id: what jobs that delete or export it are given. */
export interface TenantRef {
  tenantKey: string
  tenantId: TenantId
}

/**
 * How long a tenant must have been suspended before it may be deleted, in ms. By then every request and every step of a job that had
 * begun before is over, so nothing writes rows after they were deleted.
 */
const suspendedMs = 600_000

/** How many rows one transaction deletes, of tables with small and with large rows. */
const [perTransaction, perTransactionOfLarge] = [5_000, 20]

/** The most rows of a table that are counted. */
const mostCounted = 1_000_000

/**
 * Tables that are deleted first, even before documents: what opens other systems and the tenant itself. Then come those that would begin
 * work: nothing starts runs of the tenant once they are empty.
 */
const opening = ['glue_secrets', 'clients', 'accounts', 'glue_api_keys']
const first = [...opening, 'glue_settings', 'form_settings', 'jobs', 'webhooks']

/** Returns the tables that have rows of tenants, in the order in which they are deleted. */
export async function tablesToDelete(db: Db): Promise<TenantTable[]> {
  const place = ({ name }: TenantTable) => (first.includes(name) ? first.indexOf(name) : first.length)
  return (await tenantTables(db)).toSorted((a, b) => place(a) - place(b))
}

/** Returns how many rows a tenant has, by table. Counting stops at a million rows of a table; tables without any are left out. */
export async function countRows(db: Db, tenant: TenantId): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { name } of await tenantTables(db)) {
    const some = db(name).where({ tenant_id: tenant }).limit(mostCounted).select(db.raw('1 AS one'))
    const found = await db.from(some.as('s')).count({ rows: '*' }).first()
    if (Number(found?.rows) > 0) counts[name] = Number(found?.rows)
  }
  return counts
}

/**
 * Returns since when a tenant is suspended.
 * @throws Problem 409 unless that is so long that nothing of it changes any more.
 */
export async function requireQuiet(db: Db, { tenantId, tenantKey }: TenantRef): Promise<Date> {
  const tenant = await db('tenants')
    .where({ id: tenantId })
    .where('suspended_at', '<=', ago(db, suspendedMs))
    .first('suspended_at')
  if (!tenant) throw notLongSuspended(tenantKey)
  return tenant.suspended_at
}

/** Creates the problem of a tenant that is not suspended, or not for long enough. */
export const notLongSuspended = (tenantKey: string) =>
  conflict(
    'tenant-not-suspended',
    `The tenant '${tenantKey}' must have been suspended for ${suspendedMs / 60_000} minutes, so that nothing of it changes any more. Suspend it, and ask again then.`,
  )

/** Parts of a deletion besides the tables. */
const [begin, documents, tenantRow, ...outside] = [
  'begin',
  'documents',
  'tenant',
  'schedules',
  'runs',
  'exports',
] as const
export type OutsidePart = (typeof outside)[number]

/** What a step of a deletion has done. */
export interface DeletedPart {
  /** How many rows, runs, schedules or files it has deleted. */
  deleted: number
  /** Whether the part has more to delete. */
  isMore: boolean
}

/** Deletes what is outside of the database. */
export interface Outside {
  /** Removes files of documents and imports from their storages. */
  removeFiles(files: readonly { id: string; kind: 'record' | 'import'; storage: StorageName }[]): Promise<void>
  /** Deletes some of what is outside. */
  remove(part: OutsidePart): Promise<DeletedPart>
}

/** Returns the tenant that a job deletes. */
export const deletionOf = ({ input }: Pick<JobRow, 'input'>): TenantRef => JSON.parse(input ?? '{}')

/**
 * Does the next step of a deletion. Deletes in transactions of the tenant that is deleted, and then moves the job on, which belongs to the
 * tenant of whoever asked for it. After a crash between the two, what was deleted last is missing in the job's counts.
 * @throws Problem 409 if the tenant is no longer suspended, or another job deletes it; and as {@link advance}.
 */
export async function deleteNext(
  db: Knex,
  owner: TenantId,
  run: JobRun,
  job: JobRow,
  tables: readonly TenantTable[],
  outsideOf: Outside,
): Promise<JobProgress> {
  const deletion = deletionOf(job)
  // Schedules, runs and exports are found by the tenant's key. While the row is there, no new tenant can have that key, so it is deleted
  // after them.
  const others = tables.map(({ name }) => name).filter(name => !opening.includes(name))
  const parts = [begin, ...opening, documents, ...others, ...outside, tenantRow]
  const part = job.position ?? begin
  const { deleted, isMore } = await deletePart()
  const next = isMore ? part : parts[parts.indexOf(part) + 1]
  return advance(db, owner, run, async (trx, now) => {
    if ((now.position ?? begin) !== part) return undefined
    const counts = JSON.parse(now.counts)
    if (deleted > 0) counts[part] = (counts[part] ?? 0) + deleted
    if (next === undefined) await tellDeleted(trx, job, counts)
    return {
      done: now.done + deleted,
      end: next === undefined ? 'all' : undefined,
      counts: () => counts,
      ...(next === undefined ? {} : { position: next }),
    }
  })

  async function deletePart(): Promise<DeletedPart> {
    const outer = outside.find(each => each === part)
    if (outer) return outsideOf.remove(outer)
    if (part === begin) return beginDeletion(db, deletion, job.id)
    if (part === documents) return deleteFiles(db, deletion.tenantId, outsideOf)
    if (part === tenantRow) return deleteTenant(db, deletion)
    const table = tables.find(({ name }) => name === part)
    return table ? deleteRows(db, deletion.tenantId, table) : nothing
  }
}

const nothing: DeletedPart = { deleted: 0, isMore: false }

/** Makes a job the one that deletes a tenant. From then on, nobody finds the tenant any more. */
async function beginDeletion(db: Knex, deletion: TenantRef, jobId: string): Promise<DeletedPart> {
  const { tenantId, tenantKey } = deletion
  await transaction(db, 'unqueued', async trx => {
    const row = () => trx('tenants').where({ id: tenantId })
    const tenant = await row().forUpdate().first('deletion_job_id')
    if (tenant?.deletion_job_id === jobId) return
    if (!tenant || ![null, importing].includes(tenant.deletion_job_id))
      throw conflict('tenant-not-suspended', `Another job deletes the tenant '${tenantKey}'.`)
    await requireQuiet(trx, deletion)
    await row().update({ deletion_job_id: jobId })
  })
  tenantsKnownTo(db).forget(tenantKey)
  return nothing
}

/** Removes some files that are not in the database, and then their rows. */
async function deleteFiles(db: Knex, tenant: TenantId, { removeFiles }: Outside): Promise<DeletedPart> {
  for (const [table, kind] of Object.entries(tablesWithFiles)) {
    const found: { id: string; storage: StorageName }[] = await db(table)
      .where({ tenant_id: tenant })
      .whereNot({ storage: 'mysql' })
      .limit(perTransactionOfLarge)
      .select('id', 'storage')
    if (found.length === 0) continue
    await removeFiles(found.map(file => ({ ...file, kind })))
    await db(table)
      .where({ tenant_id: tenant })
      .whereIn(
        'id',
        found.map(({ id }) => id),
      )
      .delete()
    return { deleted: found.length, isMore: true }
  }
  return nothing
}

async function deleteRows(db: Knex, tenant: TenantId, { name, isLarge }: TenantTable): Promise<DeletedPart> {
  const limit = isLarge ? perTransactionOfLarge : perTransaction
  const rows = (of: Db) => of(name).where({ tenant_id: tenant })
  const accounts: string[] | undefined =
    name === 'accounts' ? await rows(db).limit(limit).pluck('account_id') : undefined
  // The sessions of people have no tenant, only an account. On Vitess they are not on the tenant's shard.
  if (accounts) await db('oidc_records').whereIn('account_id', accounts).delete()
  const deleted = await transaction(db, tenant, trx =>
    accounts ? rows(trx).whereIn('account_id', accounts).delete() : rows(trx).limit(limit).delete(),
  )
  return { deleted, isMore: deleted === limit }
}

/** Deletes all rows of a tenant, such as those of an import that broke off. */
export async function deleteAllRows(db: Knex, tenant: TenantId): Promise<void> {
  for (const table of await tenantTables(db)) while ((await deleteRows(db, tenant, table)).isMore);
}

async function deleteTenant(db: Knex, { tenantId, tenantKey }: TenantRef): Promise<DeletedPart> {
  const row = () => db('tenants').where({ id: tenantId })
  // If an earlier attempt has deleted the row, the queues with this key may belong to a new tenant.
  if (!(await row().first('id'))) return nothing
  await db('provider_queues')
    .where('queue', 'like', `provider/${tenantKey.replaceAll('_', '\\_')}/%`)
    .delete()
  await row().delete()
  return { deleted: 1, isMore: false }
}

/** Tells the audit of the installation who has deleted a tenant, and how much. */
const tellDeleted = (trx: Knex.Transaction, job: JobRow, counts: Record<string, number>): Promise<void> =>
  asAction(
    {
      ...partsOfActor(job.retried_by ?? job.actor),
      action: 'deleteTenant',
      kind: 'tenant',
      ids: [job.id],
      members: [],
      traceId: job.trace_id,
    },
    () => recordAction(trx, platformChain, 'done', { tenant: deletionOf(job).tenantKey, deleted: counts }),
  )
