// Writes changes of jobs and forms to their feeds, for tenants with a webhook that receives them (decision record 0040).
import type { Knex } from 'knex'
import { tellIds } from './audit/action.js'
import type { Db, TenantId } from './connect.js'
import { type Change, type Feed, writeChanges } from './feeds.js'
import { upsertRows } from './rows.js'

/** The feeds that are only written if a webhook of the tenant receives them. */
export type WatchedFeed = Extract<Feed, 'job' | 'form'>

const table = 'webhook_feeds'

/**
 * Returns true if the tenant has a webhook that receives a feed. The answer stays valid until the transaction ends: adding a webhook
 * waits for all transactions that have asked. So a list that is read after the webhook was added contains what they wrote, and nothing
 * falls between the list and the feed.
 */
export async function isWatched(trx: Knex.Transaction, tenant: TenantId, feed: WatchedFeed): Promise<boolean> {
  const row: { feeds: string } | undefined = await trx(table).where({ tenant_id: tenant }).forShare().first('feeds')
  return row?.feeds.split(',').includes(feed) ?? false
}

/** Writes changes to a feed, in the transaction that makes them, if a webhook of the tenant receives it. */
export async function noteEvents<Of extends WatchedFeed>(
  trx: Knex.Transaction,
  tenant: TenantId,
  feed: Of,
  changes: readonly Change<Of>[],
): Promise<void> {
  tellIds(changes.map(({ id }) => id))
  if (changes.length > 0 && (await isWatched(trx, tenant, feed))) await writeChanges(trx, tenant, feed, changes)
}

/** Sets the feeds that a tenant's webhooks receive. If they change, waits for transactions that rely on the old ones. */
export async function syncWatched(db: Db, tenant: TenantId, feeds: readonly Feed[]): Promise<void> {
  const watched = [...new Set(feeds)].sort().join()
  const present = await db(table).where({ tenant_id: tenant }).first('feeds')
  if (present?.feeds === watched) return
  await upsertRows(db, table, ['tenant_id', 'feeds'], [[tenant, watched]], ['feeds'])
}
