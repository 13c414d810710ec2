// The feed of changes of subjects: none is missed, whatever order transactions commit in (decision record 0040).
import type { Knex } from 'knex'
import type { Db, TenantId } from '../../connect.js'
import { transaction } from '../../errors.js'
import { insertFrom, insertRows, upsertRows } from '../../rows.js'

export const changeKinds = [
  'created',
  'updated',
  'moved',
  'deactivated',
  'reactivated',
  'merged',
  'unmerged',
  'erased',
] as const
export type ChangeKind = (typeof changeKinds)[number]

export interface SubjectChange {
  id: string
  kind: ChangeKind
  /** The other subject of a merge. */
  intoId?: string
}

const unnumbered = 'subject_changes_unnumbered'
const columns = ['tenant_id', 'subject_id', 'kind', 'changed_at']

/** Notes changes in the transaction that makes them. The lock of a subject is held by then, so its changes follow one another. */
export const noteChanges = (
  trx: Knex.Transaction,
  tenant: TenantId,
  changes: readonly SubjectChange[],
): Promise<void> => {
  const now = new Date()
  const rows = changes.map(({ id, kind, intoId = null }) => [tenant, id, kind, now, intoId])
  return insertRows(trx, unnumbered, [...columns, 'into_id'], rows)
}

/** Notes the move of each subject that a query of `subject_locations` selects. */
export async function noteMoves(trx: Knex.Transaction, tenant: TenantId, rows: Knex.QueryBuilder): Promise<void> {
  const values = trx.raw("?, subject_locations.subject_id, 'moved', NOW(3)", [tenant])
  await insertFrom(trx, unnumbered, columns, rows.select(values))
}

export interface FeedRow {
  position: number
  subject_id: string
  kind: ChangeKind
  changed_at: Date
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
export async function feedPage(db: Knex, tenant: TenantId, after: number, limit: number): Promise<FeedPage> {
  const mine = () => db('subject_changes').where({ tenant_id: tenant })
  const read = (): Promise<FeedRow[]> =>
    mine()
      .where('position', '>', after)
      .orderBy('position')
      .limit(limit + 1)
      .select('position', 'subject_id', 'kind', 'changed_at', 'into_id')
  let rows = limit === 0 ? [] : await read()
  if (limit === 0) while ((await numberChanges(db, tenant)) === perBatch);
  else if (rows.length <= limit && (await numberChanges(db, tenant)) > 0) rows = await read()
  const [oldest, feed] = await Promise.all([
    mine().min({ first: 'position' }).first(),
    db('subject_feeds').where({ tenant_id: tenant }).first('position'),
  ])
  const last = Number(feed?.position ?? 0)
  return { rows: rows.slice(0, limit), first: Number(oldest?.first ?? last + 1), last }
}

/**
 * Gives the next committed changes their positions in the feed, one process at a time for a tenant. A change is found because it is
 * there, whatever its id, so a change that commits late is next.
 * @returns how many; less than a batch when there are no more.
 */
export async function numberChanges(db: Knex, tenant: TenantId): Promise<number> {
  const waiting = (in_: Db) => in_(unnumbered).where({ tenant_id: tenant })
  if (!(await waiting(db).first('id'))) return 0
  return transaction(db, 'platform', async trx => {
    const feed = () => trx('subject_feeds').where({ tenant_id: tenant })
    await upsertRows(trx, 'subject_feeds', ['tenant_id', 'position'], [[tenant, 0]], [])
    const held = await feed().forUpdate().first('position')
    const from = Number(held?.position ?? 0)
    // The first plain read of the transaction: it sees all that was committed before, and waits for nobody.
    const rows: (Omit<FeedRow, 'position'> & { id: number })[] = await waiting(trx)
      .orderBy('id')
      .limit(perBatch)
      .select('id', 'subject_id', 'kind', 'changed_at', 'into_id')
    if (rows.length === 0) return 0
    const now = new Date()
    const numbered = rows.map(({ subject_id, kind, changed_at, into_id }, n) => [
      tenant,
      from + n + 1,
      subject_id,
      kind,
      changed_at,
      into_id,
      now,
    ])
    const numberedColumns = ['tenant_id', 'position', ...columns.slice(1), 'into_id', 'numbered_at']
    await insertRows(trx, 'subject_changes', numberedColumns, numbered)
    const ids = rows.map(({ id }) => id)
    await trx.raw('DELETE FROM ?? WHERE tenant_id = ? AND id IN (?)', [unnumbered, tenant, ids])
    await feed().update({ position: from + rows.length })
    return rows.length
  })
}

/** How long changes stay in the feed, in ms. */
export const changesKeptMs = 30 * 86_400_000

/** Rows of one statement. */
const perStatement = 5_000

/**
 * Deletes the changes at the end of their time. Those that nobody has read get their positions first, so a reader that comes back
 * too late is told.
 */
export async function forgetChanges(db: Knex, keptMs = changesKeptMs): Promise<void> {
  const before = new Date(Date.now() - keptMs)
  const unread: { tenant_id: TenantId }[] = await db(unnumbered).where('changed_at', '<', before).distinct('tenant_id')
  for (const { tenant_id } of unread) while ((await numberChanges(db, tenant_id)) === perBatch);
  const tenants: { tenant_id: TenantId }[] = await db('subject_feeds').select('tenant_id')
  for (const { tenant_id } of tenants) while (await forgetOldest(db, tenant_id, before));
}

/** Positions are given in the order of time. @returns whether there may be more. */
async function forgetOldest(db: Knex, tenant: TenantId, before: Date): Promise<boolean> {
  const mine = () => db('subject_changes').where({ tenant_id: tenant })
  const oldest: { position: number; numbered_at: Date }[] = await mine()
    .orderBy('position')
    .limit(perStatement)
    .select('position', 'numbered_at')
  const due = oldest.filter(({ numbered_at }) => numbered_at < before)
  const last = due.at(-1)
  if (last) await mine().where('position', '<=', last.position).delete()
  return due.length === perStatement
}
