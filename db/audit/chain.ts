// The chain of a tenant's audit: each event has a position, and a hash that covers it and the hash of the event before.
import type { Knex } from 'knex'
import { runAll } from '../../runtime/load/run-all.js'
import { ago } from '../clock.js'
import type { Db, TenantId } from '../connect.js'
import { transaction } from '../errors.js'
import { insertRows, upsertRows } from '../rows.js'
import type { TenantLimits } from '../tenant-limits.js'
import { type ActionOutcome, eventColumns } from './action.js'
import { firstHash, hashOf } from './hash.js'

const [unsealed, events, ids, chains] = ['audit_unsealed', 'audit_events', 'audit_ids', 'audit_chains']

/** What an event's row says. */
interface EventRow {
  at: Date
  client: string
  person: string | null
  address: string | null
  action: string
  kind: string
  ids: string
  outcome: ActionOutcome
  trace_id: string
  members: string
  details: string | null
}

/** A row of the chain. */
export interface SealedRow extends EventRow {
  position: number
  previous_hash: string
  hash: string
}

/** An event as the API shows it. Its hash is that of all its other members. */
export const eventOf = ({ position, previous_hash, ...row }: Omit<SealedRow, 'hash'>) => ({
  position,
  at: row.at.toISOString(),
  client: row.client,
  ...(row.person === null ? {} : { person: row.person }),
  ...(row.address === null ? {} : { address: row.address }),
  action: row.action,
  kind: row.kind,
  ids: JSON.parse(row.ids) as string[],
  outcome: row.outcome,
  traceId: row.trace_id,
  members: JSON.parse(row.members) as string[],
  ...JSON.parse(row.details ?? '{}'),
  previousHash: previous_hash,
})

/** The end of a chain. */
export interface ChainEnd {
  /** The position and the hash of the last event. */
  position: number
  hash: string
  /** The last position that retention has deleted; 0 if it has deleted nothing. */
  forgotten: number
}

/** Returns the end of a tenant's chain, and how many events wait for their place in it. */
export async function chainEnd(db: Db, tenant: TenantId): Promise<ChainEnd & { unsealed: number }> {
  const end = await db(chains).where({ tenant_id: tenant }).first('position', 'hash', 'forgotten')
  const waiting = await db(unsealed).where({ tenant_id: tenant }).count({ count: '*' }).first()
  const { position = 0, hash = firstHash, forgotten = 0 } = end ?? {}
  return { position: Number(position), hash, forgotten: Number(forgotten), unsealed: Number(waiting?.count) }
}

/** How many events one transaction appends to the chain. */
const perBatch = 1_000

/** How many batches a reader waits for. What is left then is sealed by the next one, or by the retention. */
const batchesOfReader = 10

/** Seals the events that were committed before, so that a reader sees them. */
export async function sealForReader(db: Knex, tenant: TenantId): Promise<void> {
  for (let n = 0; n < batchesOfReader && (await sealSome(db, tenant)) === perBatch; n++);
}

/** Seals the events of all tenants. @throws the first error, after all tenants had their turn. */
export async function sealAll(db: Knex): Promise<void> {
  const tenants: TenantId[] = await db(unsealed).distinct('tenant_id').pluck('tenant_id')
  await runAll(
    tenants.map(tenant => async () => {
      while ((await sealSome(db, tenant)) === perBatch);
    }),
  )
}

/**
 * Appends the next committed events to the chain. A lock lets only one process at a time do that for a tenant, and writers do not
 * wait for it.
 * @returns how many were appended. Less than {@link perBatch} means that there are no more.
 */
async function sealSome(db: Knex, tenant: TenantId): Promise<number> {
  const waiting = (of: Db) => of(unsealed).where({ tenant_id: tenant })
  if (!(await waiting(db).first('id'))) return 0
  return transaction(db, 'unqueued', async trx => {
    const end = () => trx(chains).where({ tenant_id: tenant })
    await upsertRows(trx, chains, ['tenant_id', 'position', 'hash', 'forgotten'], [[tenant, 0, firstHash, 0]], [])
    const last: ChainEnd | undefined = await end().forUpdate().first('position', 'hash')
    // As the first plain read of the transaction, it sees all that was committed before, and waits for nobody.
    const rows: (EventRow & { id: number })[] = await waiting(trx)
      .orderBy('id')
      .limit(perBatch)
      .select('id', ...eventColumns)
    if (!last || rows.length === 0) return 0
    const sealed = inChain(last, rows)
    const columns = ['tenant_id', 'position', ...eventColumns, 'previous_hash', 'hash']
    const cells = sealed.map(({ row, position, previous_hash, hash }) => [
      ...[tenant, position, row.at, row.client, row.person, row.address, row.action, row.kind, row.ids, row.outcome],
      ...[row.trace_id, row.members, row.details, previous_hash, hash],
    ])
    await insertRows(trx, events, columns, cells)
    const found = sealed.flatMap(({ row, position }) => {
      const named: string[] = JSON.parse(row.ids)
      return named.map(id => [tenant, id, position])
    })
    await insertRows(trx, ids, ['tenant_id', 'id', 'position'], found)
    const numbers = rows.map(({ id }) => id)
    await waiting(trx).whereIn('id', numbers).delete()
    const { position, hash } = sealed.at(-1) ?? last
    await end().update({ position, hash })
    return rows.length
  })
}

/** Gives events their positions and hashes behind the end of a chain. */
function inChain(end: Pick<ChainEnd, 'position' | 'hash'>, rows: readonly EventRow[]) {
  let { position, hash } = end
  position = Number(position)
  return rows.map(row => {
    const previous_hash = hash
    position += 1
    hash = hashOf(eventOf({ ...row, position, previous_hash }))
    return { row, position, previous_hash, hash }
  })
}

/** How long events are kept, in days, if the manifest does not say so. */
const keptDays = 730

/**
 * Deletes the events of the installation and of active tenants that are older than their manifests say. What is left is still proven: the
 * first event that is kept has the hash of the one before, and the chain its position.
 */
export async function forgetEvents(db: Knex): Promise<void> {
  const oldest: { tenant_id: TenantId; days: number; limits: string | null }[] = await db({ c: chains })
    .join({ e: events }, on => on.on('e.tenant_id', 'c.tenant_id').on('e.position', db.raw('c.forgotten + 1')))
    .leftJoin('tenants as t', 't.id', 'c.tenant_id')
    .whereNull('t.suspended_at')
    .select('c.tenant_id', 't.limits', db.raw('TIMESTAMPDIFF(DAY, e.at, CURRENT_TIMESTAMP(3)) AS days'))
  for (const { tenant_id, limits, days } of oldest) {
    const { auditRetentionDays = keptDays }: TenantLimits = JSON.parse(limits ?? '{}')
    if (days >= auditRetentionDays) while (await forgetOldest(db, tenant_id, auditRetentionDays));
  }
}

/** Deletes some of the oldest events of a tenant. Positions are in the order of time. @returns true if there may be more to delete. */
const forgetOldest = (db: Knex, tenant: TenantId, days: number): Promise<boolean> =>
  transaction(db, 'unqueued', async trx => {
    const mine = (table: string) => trx(table).where({ tenant_id: tenant })
    const oldest: { position: number; isDue: number }[] = await mine(events)
      .orderBy('position')
      .limit(perBatch)
      .select('position', trx.raw('at < ? AS isDue', [ago(trx, days * 86_400_000)]))
    const kept = oldest.findIndex(({ isDue }) => isDue !== 1)
    const due = kept === -1 ? oldest : oldest.slice(0, kept)
    const last = due.at(-1)?.position
    if (last === undefined) return false
    await mine(ids).where('position', '<=', last).delete()
    await mine(events).where('position', '<=', last).delete()
    await mine(chains).update({ forgotten: last })
    return due.length === perBatch
  })
