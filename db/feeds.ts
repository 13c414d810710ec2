// Feeds of changes. Readers miss no change, in whatever order transactions commit (decision record 0040): a change gets its position in
// the feed only after it is committed.
import type { Knex } from 'knex'
import { tellIds } from './audit/action.js'
import { ago, presentTime } from './clock.js'
import type { Db, TenantId } from './connect.js'
import { transaction } from './errors.js'
import { insertRows, rowsOf, upsertRows } from './rows.js'
import { activeTenants } from './tenant-states.js'

/** The feeds of a tenant, with the kinds of change in each. */
export const feeds = {
  subject: ['created', 'updated', 'moved', 'deactivated', 'reactivated', 'merged', 'unmerged', 'erased'],
  entity: ['created', 'updated', 'moved', 'deleted'],
  group: ['created', 'updated', 'deleted'],
  type: ['created', 'updated', 'deleted'],
  job: ['completed', 'failed', 'cancelled'],
  form: ['created', 'completed', 'amended', 'withdrawn', 'reinstated', 'discarded', 'erased'],
} as const

export type Feed = keyof typeof feeds
export const feedNames = Object.keys(feeds) as Feed[]
export type ChangeKind<Of extends Feed = Feed> = (typeof feeds)[Of][number]

/** A change of a subject, job or form instance, named by its id, or of an entity, group or structure type, named by its key. */
export interface Change<Of extends Feed = Feed> {
  id: string
  kind: ChangeKind<Of>
  /** The other subject of a merge. */
  intoId?: string
}

/** The tables of committed changes that have no position yet, of changes with a position, and of the last position in each feed. */
const [unnumbered, numbered, ends] = ['events_unnumbered', 'events', 'event_feeds']

/** The table into which the transaction that makes a change writes it. */
export const unnumberedChanges = {
  table: unnumbered,
  columns: ['tenant_id', 'feed', 'source', 'kind', 'changed_at', 'into_id'],
}

/**
 * Writes changes to a feed, in the transaction that makes them. That transaction must have locked what it changes, so that the changes
 * of each thing come in the order in which they happened.
 */
export function writeChanges<Of extends Feed>(
  trx: Knex.Transaction,
  tenant: TenantId,
  feed: Of,
  changes: readonly Change<Of>[],
): Promise<void> {
  tellIds(changes.flatMap(({ id, intoId }) => (intoId === undefined ? [id] : [id, intoId])))
  const rows = changes.map(({ id, kind, intoId = null }) => [tenant, feed, id, kind, presentTime, intoId])
  return insertRows(trx, unnumberedChanges.table, unnumberedChanges.columns, rows)
}

export interface FeedRow {
  position: number
  id: string
  kind: ChangeKind
  changed_at: Date
  /** The other subject of a merge. Null for all other kinds. */
  into_id: string | null
}

export interface FeedPage {
  rows: FeedRow[]
  /** The position of the oldest change that the feed still has. */
  first: number
  /** The position of the latest change. */
  last: number
}

/** How many changes one transaction gives positions to. Must be more than the largest page. */
const perBatch = 2_000

/**
 * Reads the changes after a position, in the order of the feed.
 * @param limit the most changes to return; less than {@link perBatch}. With 0, only finds out where the feed ends.
 */
export async function feedPage(
  db: Knex,
  tenant: TenantId,
  feed: Feed,
  after: number,
  limit: number,
): Promise<FeedPage> {
  const mine = () => db(numbered).where({ tenant_id: tenant, feed })
  const read = (): Promise<FeedRow[]> =>
    mine()
      .where('position', '>', after)
      .orderBy('position')
      .limit(limit + 1)
      .select('position', { id: 'source' }, 'kind', 'changed_at', 'into_id')
  let rows = limit === 0 ? [] : await read()
  if (limit === 0) while ((await numberChanges(db, tenant, feed)) === perBatch);
  else if (rows.length <= limit) await numberChanges(db, tenant, feed)
  const last = await feedEnd(db, tenant, feed)
  // New changes may have got their positions by the call above, or by another reader at the same moment.
  if (limit > 0 && rows.length <= limit && last > (rows.at(-1)?.position ?? after)) rows = await read()
  // Read after the end: a change that comes in between is the oldest, not one that is missing.
  const first = (await oldestPosition(db, tenant, feed)) ?? last + 1
  return { rows: rows.slice(0, limit), first, last }
}

/** Returns the position of the oldest change that a feed still has; undefined if it has none. */
export async function oldestPosition(db: Db, tenant: TenantId, feed: Feed): Promise<number | undefined> {
  const oldest = await db(numbered).where({ tenant_id: tenant, feed }).min({ first: 'position' }).first()
  return oldest?.first == null ? undefined : Number(oldest.first)
}

/** Returns the position of the latest change, or 0 if there is none. Does not see changes without a position. */
export async function feedEnd(db: Db, tenant: TenantId, feed: Feed): Promise<number> {
  const end = await db(ends).where({ tenant_id: tenant, feed }).first('position')
  return Number(end?.position ?? 0)
}

/** How far changes without a position are counted. That takes some 0.5 ms. */
const maxCounted = 5_000

/**
 * Counts all changes that a tenant has ever committed to a feed. Two equal answers mean that nothing was committed in between, because
 * one statement reads both numbers, and a change moves from one to the other in a single transaction.
 * @returns undefined while more than {@link maxCounted} changes have no position yet.
 */
export async function countChanges(db: Db, tenant: TenantId, feed: Feed): Promise<number | undefined> {
  const [row] = await rowsOf<{ numbered: number | null; waiting: number }>(
    db,
    `SELECT (SELECT position FROM ${ends} WHERE tenant_id = ? AND feed = ?) AS numbered,
       (SELECT COUNT(*) FROM (SELECT 1 FROM ${unnumbered} WHERE tenant_id = ? AND feed = ? LIMIT ${maxCounted + 1}) few) AS waiting`,
    [tenant, feed, tenant, feed],
  )
  const waiting = Number(row?.waiting)
  return waiting > maxCounted ? undefined : Number(row?.numbered ?? 0) + waiting
}

/** Returns the position before the first change that got its position at this moment or later. */
export async function positionBefore(db: Db, tenant: TenantId, feed: Feed, moment: Date): Promise<number> {
  const first = await db(numbered)
    .where({ tenant_id: tenant, feed })
    .where('numbered_at', '>=', moment)
    .orderBy('position')
    .first('position')
  return first ? Number(first.position) - 1 : feedEnd(db, tenant, feed)
}

/**
 * Returns a SQL condition that is true if a feed has changes after a position.
 * @param of the alias of a row with `tenant_id`, `feed` and `position`.
 */
export function hasChangesAfter(db: Knex, of: string): Knex.Raw {
  const some = (table: string) =>
    db({ s: table }).whereRaw('s.tenant_id = ??.tenant_id AND s.feed = ??.feed', [of, of]).select(db.raw('1'))
  const later = some(ends).whereRaw('s.position > ??.position', [of])
  return db.raw('(EXISTS (?) OR EXISTS (?))', [later, some(unnumbered)])
}

/**
 * Returns a SQL expression that counts all changes that were ever committed to a feed.
 * @param of the alias of a row with `tenant_id` and `feed`.
 */
export const changesOf = (db: Knex, of: string): Knex.Raw =>
  db.raw(
    `(COALESCE((SELECT s.position FROM ${ends} s WHERE s.tenant_id = ??.tenant_id AND s.feed = ??.feed), 0) +
      (SELECT COUNT(*) FROM ${unnumbered} s WHERE s.tenant_id = ??.tenant_id AND s.feed = ??.feed))`,
    [of, of, of, of],
  )

/**
 * Gives the next committed changes their positions in the feed. A lock lets only one process at a time do that for a feed. It takes
 * every change that has no position, whatever its id, so that one which is committed late is not missed.
 * @returns how many changes got a position. Less than {@link perBatch} means that there are no more.
 */
async function numberChanges(db: Knex, tenant: TenantId, feed: Feed): Promise<number> {
  const mine = { tenant_id: tenant, feed }
  const waiting = (in_: Db) => in_(unnumbered).where(mine)
  if (!(await waiting(db).first('id'))) return 0
  return transaction(db, 'unqueued', async trx => {
    const end = () => trx(ends).where(mine)
    await upsertRows(trx, ends, ['tenant_id', 'feed', 'position'], [[tenant, feed, 0]], [])
    const from = Number((await end().forUpdate().first('position'))?.position ?? 0)
    // As the first plain read of the transaction, it sees all that was committed before, and waits for nobody.
    const rows: (Omit<FeedRow, 'position'> & { number: number })[] = await waiting(trx)
      .orderBy(`${unnumbered}.id`)
      .limit(perBatch)
      .select({ number: 'id', id: 'source' }, 'kind', 'changed_at', 'into_id')
    if (rows.length === 0) return 0
    const columns = ['tenant_id', 'feed', 'position', 'source', 'kind', 'changed_at', 'numbered_at', 'into_id']
    const places = rows.map((row, n) => [
      tenant,
      feed,
      from + n + 1,
      row.id,
      row.kind,
      row.changed_at,
      presentTime,
      row.into_id,
    ])
    await insertRows(trx, numbered, columns, places)
    await waiting(trx)
      .whereIn(
        'id',
        rows.map(({ number }) => number),
      )
      .delete()
    await end().update({ position: from + rows.length })
    return rows.length
  })
}

/** How long changes stay in a feed, in ms: 30 days. */
export const changesKeptMs = 30 * 86_400_000

/** How many changes one statement deletes. */
const perStatement = 5_000

/**
 * Deletes changes that are older than `keptMs`. First gives positions to changes that nobody has read yet, for two reasons: so that
 * {@link countChanges} has few to count, and so that a reader that comes back too late notices that it has missed some. The changes of
 * suspended tenants stay, also because their readers are kept out.
 */
export async function forgetChanges(db: Knex, keptMs = changesKeptMs): Promise<void> {
  const feedsIn = async (table: string): Promise<{ tenant_id: TenantId; feed: Feed }[]> =>
    db(table).distinct('tenant_id', 'feed')
  for (const { tenant_id, feed } of await feedsIn(unnumbered))
    while ((await numberChanges(db, tenant_id, feed)) === perBatch);
  const active = new Set<TenantId>(await activeTenants(db).pluck('id'))
  const due = (await feedsIn(ends)).filter(({ tenant_id }) => active.has(tenant_id))
  for (const { tenant_id, feed } of due) while (await forgetOldest(db, tenant_id, feed, keptMs));
}

/** Deletes some of the oldest changes of a feed. Positions are in the order of time. @returns true if there may be more to delete. */
async function forgetOldest(db: Knex, tenant: TenantId, feed: Feed, keptMs: number): Promise<boolean> {
  const mine = () => db(numbered).where({ tenant_id: tenant, feed })
  const oldest: { position: number; isDue: number }[] = await mine()
    .orderBy('position')
    .limit(perStatement)
    .select('position', db.raw('numbered_at < ? AS isDue', [ago(db, keptMs)]))
  const due = oldest.filter(({ isDue }) => isDue === 1)
  const last = due.at(-1)
  if (last) await mine().where('position', '<=', last.position).delete()
  return due.length === perStatement
}
