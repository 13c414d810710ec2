// Notes changes of entities, jobs and forms, for tenants with a webhook for them (decision record 0051).
import type { Knex } from 'knex'
import type { Db, TenantId } from './connect.js'
import { type Change, type Feed, writeChanges } from './feeds.js'
import { upsertRows } from './rows.js'

/** Feeds that are written only where a webhook takes them. */
export type WatchedFeed = Exclude<Feed, 'subject'>

const table = 'webhook_feeds'

/**
 * Whether the tenant has a webhook for a feed. It stays so until the transaction ends, because a new webhook waits for
 * those that have looked before it. A list that is read after it is applied has their changes.
 */
export async function isWatched(trx: Knex.Transaction, tenant: TenantId, feed: WatchedFeed): Promise<boolean> {
  const row: { feeds: string } | undefined = await trx(table).where({ tenant_id: tenant }).forShare().first('feeds')
  return row?.feeds.split(',').includes(feed) ?? false
}

/** Notes changes in the transaction that makes them, where the tenant has a webhook for them. */
export async function noteEvents<Of extends WatchedFeed>(
  trx: Knex.Transaction,
  tenant: TenantId,
  feed: Of,
  changes: readonly Change<Of>[],
): Promise<void> {
  if (changes.length > 0 && (await isWatched(trx, tenant, feed))) await writeChanges(trx, tenant, feed, changes)
}

/** Makes these the feeds that a tenant's webhooks take. Waits for writers under way only where the feeds are others. */
export async function keepWatched(db: Db, tenant: TenantId, feeds: readonly Feed[]): Promise<void> {
  const watched = [...new Set(feeds)].sort().join()
  const present = await db(table).where({ tenant_id: tenant }).first('feeds')
  if (present?.feeds === watched) return
  await upsertRows(db, table, ['tenant_id', 'feeds'], [[tenant, watched]], ['feeds'])
}
