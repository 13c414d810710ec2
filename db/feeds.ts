// Feeds of changes: none is missed, whatever order transactions commit in (decision record 0040).
import type { Knex } from 'knex'
import type { Db, TenantId } from './connect.js'
import { transaction } from './errors.js'
import { insertRows, rowsOf, upsertRows } from './rows.js'

/** The feeds of a tenant, with the kinds of changes in each. */
export const feeds = {
  subject: ['created', 'updated', 'moved', 'deactivated', 'reactivated', 'merged', 'unmerged', 'erased'],
  entity: ['created', 'updated', 'moved', 'deleted'],
  job: ['completed', 'failed', 'cancelled'],
  form: ['created', 'completed', 'amended', 'withdrawn', 'reinstated', 'discarded', 'erased'],
} as const

export type Feed = keyof typeof feeds
export const feedNames = Object.keys(feeds) as Feed[]
export type ChangeKind<Of extends Feed = Feed> = (typeof feeds)[Of][number]

/** A change of a subject by its id, of an entity by its key, of a job or a form instance by its id. */
export interface Change<Of extends Feed = Feed> {
  id: string
  kind: ChangeKind<Of>
  /** The other subject of a merge. */
  intoId?: string
}

/** Changes without a position yet; changes with one; the last position that was given in each feed. */
const [unnumbered, numbered, ends] = ['events_unnumbered', 'events', 'event_feeds']

/** Where changes are written in the transaction that makes them. */
export const unnumberedChanges = {
  table: unnumbered,
  columns: ['tenant_id', 'feed', 'source', 'kind', 'changed_at', 'into_id'],
}

/** Notes changes in the transaction that makes them. The thing that changes is locked by then, so its changes follow one another. */
export function writeChanges<Of extends Feed>(
  trx: Knex.Transaction,
  tenant: TenantId,
  feed: Of,
  changes: readonly Change<Of>[],
): Promise<void> {
  const now = new Date()
  const rows = changes.map(({ id, kind, intoId = null }) => [tenant, feed, id, kind, now, intoId])
  return insertRows(trx, unnumberedChanges.table, unnumberedChanges.columns, rows)
}

export interface FeedRow {
  position: number
  id: string
  kind: ChangeKind
  changed_at: Date
  /** The other subject of a merge; else null. */
  into_id: string | null
}

export interface FeedPage {
  rows: FeedRow[]
  /** Changes that are kept have positions from here. */
  first: number
  /** The last position that was given. */
  last: number
}

/** Changes that one transaction gives positions to: more than a page. */
const perBatch = 2_000

/** Changes after a position, in the order of the feed. @param limit less than {@link perBatch}; 0 for the end of the feed. */
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
  else if (rows.length <= limit && (await numberChanges(db, tenant, feed)) > 0) rows = await read()
  const [oldest, last] = await Promise.all([mine().min({ first: 'position' }).first(), feedEnd(db, tenant, feed)])
  return { rows: rows.slice(0, limit), first: Number(oldest?.first ?? last + 1), last }
}

/** The last position that was given. */
export async function feedEnd(db: Db, tenant: TenantId, feed: Feed): Promise<number> {
  const end = await db(ends).where({ tenant_id: tenant, feed }).first('position')
  return Number(end?.position ?? 0)
}

/** Changes without a position that are counted, in some 0.5 ms. */
const mostCounted = 5_000

/**
 * How many changes a tenant has committed to a feed, ever. One statement reads both numbers, and a change gets its position in one
 * transaction, so of two equal answers both saw the same changes.
 * @returns undefined while more than {@link mostCounted} changes have no position yet.
 */
export async function countChanges(db: Db, tenant: TenantId, feed: Feed): Promise<number | undefined> {
  const [row] = await rowsOf<{ numbered: number | null; waiting: number }>(
    db,
    `SELECT (SELECT position FROM ${ends} WHERE tenant_id = ? AND feed = ?) AS numbered,
       (SELECT COUNT(*) FROM (SELECT 1 FROM ${unnumbered} WHERE tenant_id = ? AND feed = ? LIMIT ${mostCounted + 1}) few) AS waiting`,
    [tenant, feed, tenant, feed],
  )
  const waiting = Number(row?.waiting)
  return waiting > mostCounted ? undefined : Number(row?.numbered ?? 0) + waiting
}

/** The position before all changes that got theirs at this moment or later. */
export async function positionBefore(db: Db, tenant: TenantId, feed: Feed, moment: Date): Promise<number> {
  const first = await db(numbered)
    .where({ tenant_id: tenant, feed })
    .where('numbered_at', '>=', moment)
    .orderBy('position')
    .first('position')
  return first ? Number(first.position) - 1 : feedEnd(db, tenant, feed)
}

/** Condition of SQL that a feed has changes after a position. @param of the alias of a row with `tenant_id`, `feed` and `position`. */
export function hasChangesAfter(db: Knex, of: string): Knex.Raw {
  const some = (table: string) =>
    db({ s: table }).whereRaw('s.tenant_id = ??.tenant_id AND s.feed = ??.feed', [of, of]).select(db.raw('1'))
  const later = some(ends).whereRaw('s.position > ??.position', [of])
  return db.raw('(EXISTS (?) OR EXISTS (?))', [later, some(unnumbered)])
}

/**
 * Gives the next committed changes their positions in the feed, one process at a time for a tenant. A change is found because it is
 * there, whatever its id, so a change that commits late is next.
 * @returns how many; less than a batch when there are no more.
 */
async function numberChanges(db: Knex, tenant: TenantId, feed: Feed): Promise<number> {
  const mine = { tenant_id: tenant, feed }
  const waiting = (in_: Db) => in_(unnumbered).where(mine)
  if (!(await waiting(db).first('id'))) return 0
  return transaction(db, 'platform', async trx => {
    const end = () => trx(ends).where(mine)
    await upsertRows(trx, ends, ['tenant_id', 'feed', 'position'], [[tenant, feed, 0]], [])
    const from = Number((await end().forUpdate().first('position'))?.position ?? 0)
    // The first plain read of the transaction: it sees all that was committed before, and waits for nobody.
    const rows: (Omit<FeedRow, 'position'> & { number: number })[] = await waiting(trx)
      .orderBy(`${unnumbered}.id`)
      .limit(perBatch)
      .select({ number: 'id', id: 'source' }, 'kind', 'changed_at', 'into_id')
    if (rows.length === 0) return 0
    const now = new Date()
    const columns = ['tenant_id', 'feed', 'position', 'source', 'kind', 'changed_at', 'numbered_at', 'into_id']
    const places = rows.map((row, n) => [
      tenant,
      feed,
      from + n + 1,
      row.id,
      row.kind,
      row.changed_at,
      now,
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

/** How long changes stay in a feed, in ms. */
export const changesKeptMs = 30 * 86_400_000

/** Rows of one statement. */
const perStatement = 5_000

/**
 * Deletes the changes at the end of their time. Before that it gives positions to those that nobody has read. Then {@link countChanges}
 * has few to count, and a reader that comes back too late is told.
 */
export async function forgetChanges(db: Knex, keptMs = changesKeptMs): Promise<void> {
  const before = new Date(Date.now() - keptMs)
  const feedsIn = async (table: string): Promise<{ tenant_id: TenantId; feed: Feed }[]> =>
    db(table).distinct('tenant_id', 'feed')
  for (const { tenant_id, feed } of await feedsIn(unnumbered))
    while ((await numberChanges(db, tenant_id, feed)) === perBatch);
  for (const { tenant_id, feed } of await feedsIn(ends)) while (await forgetOldest(db, tenant_id, feed, before));
}

/** Positions are given in the order of time. @returns whether there may be more. */
async function forgetOldest(db: Knex, tenant: TenantId, feed: Feed, before: Date): Promise<boolean> {
  const mine = () => db(numbered).where({ tenant_id: tenant, feed })
  const oldest: { position: number; numbered_at: Date }[] = await mine()
    .orderBy('position')
    .limit(perStatement)
    .select('position', 'numbered_at')
  const due = oldest.filter(({ numbered_at }) => numbered_at < before)
  const last = due.at(-1)
  if (last) await mine().where('position', '<=', last.position).delete()
  return due.length === perStatement
}
