// Stores how far each webhook has been sent the feeds of changes.
import type { Knex } from 'knex'
import type { Db, TenantId } from '../connect.js'
import { syncWatched } from '../events.js'
import { type Feed, feedEnd, feedNames, hasChangesAfter, positionBefore } from '../feeds.js'
import { insertRows } from '../rows.js'
import { feedsOf, type Webhook } from './endpoints/settings.js'

/** `failing`: the delivery is retried at `next_attempt_at`. `stopped`: nothing is sent until an operator replays it. */
export const webhookStates = ['active', 'failing', 'stopped'] as const
export type WebhookState = (typeof webhookStates)[number]

/** A webhook's subscription to one feed. A webhook has one for each feed that its events come from. */
export interface WebhookRow {
  webhook_key: string
  feed: Feed
  /** Position in the feed up to which everything has been delivered. */
  position: number
  /**
   * Changes written before this time are not sent. Changes get their position late, after up to 30 days if nobody reads
   * the feed, so the position alone does not exclude old ones.
   */
  since: Date
  state: WebhookState
  /** Failed attempts since the last success. */
  failures: number
  reason: string | null
  next_attempt_at: Date | null
  delivered_at: Date | null
}

/** A subscription that has changes to deliver. */
export interface DueWebhook extends WebhookRow {
  tenant_id: TenantId
  tenant_key: string
}

const columns = [
  'webhook_key',
  'feed',
  'position',
  'since',
  'state',
  'failures',
  'reason',
  'next_attempt_at',
  'delivered_at',
]

/** Lists the subscriptions, of all tenants, that have changes to deliver and whose next attempt is due. */
export const dueWebhooks = (db: Knex): Promise<DueWebhook[]> =>
  db({ w: 'webhooks' })
    .join('tenants as t', 't.id', 'w.tenant_id')
    .whereNot('w.state', 'stopped')
    .where(due => due.whereNull('w.next_attempt_at').orWhere('w.next_attempt_at', '<=', new Date()))
    .where(hasChangesAfter(db, 'w'))
    .select('w.tenant_id', 't.tenant_key', ...columns.map(column => `w.${column}`))

/** Tells whether any tenant has a webhook. */
export const hasWebhooks = async (db: Db): Promise<boolean> => (await db('webhooks').first('webhook_key')) !== undefined

/** Allows for the time between a change's timestamp and its commit, since transactions take minutes at most. */
const writtenBefore = (moment: Date): Date => new Date(moment.getTime() - 300_000)

/** Manages the subscriptions of one tenant's webhooks. */
export const webhookStore = (db: Db, tenant: TenantId) => {
  const subscriptionsTo = (feed: Feed) => db('webhooks').where({ tenant_id: tenant, feed })

  return {
    all: (): Promise<WebhookRow[]> =>
      db('webhooks')
        .where({ tenant_id: tenant })
        .orderBy(['webhook_key', 'feed'])
        .select(...columns),

    /** Replaces the tenant's webhooks by these. A new subscription begins at the end of its feed. */
    async keep(webhooks: readonly Webhook[]): Promise<void> {
      await syncWatched(db, tenant, webhooks.flatMap(feedsOf))
      for (const feed of feedNames) {
        const wanted = webhooks.filter(webhook => feedsOf(webhook).includes(feed)).map(({ key }) => key)
        const present: string[] = await subscriptionsTo(feed).pluck('webhook_key')
        const gone = present.filter(key => !wanted.includes(key))
        if (gone.length > 0) await subscriptionsTo(feed).whereIn('webhook_key', gone).delete()
        const added = wanted.filter(key => !present.includes(key))
        if (added.length === 0) continue
        const end = await feedEnd(db, tenant, feed)
        const since = writtenBefore(new Date())
        const names = ['tenant_id', 'feed', 'webhook_key', 'position', 'since', 'state', 'failures']
        const rows = added.map(key => [tenant, feed, key, end, since, 'active', 0])
        await insertRows(db, 'webhooks', names, rows)
      }
    },

    /**
     * Updates a subscription after a delivery attempt. Returns false if it was changed in the meantime, for example by
     * a replay.
     */
    async moveOn(
      { webhook_key, feed, position, next_attempt_at }: WebhookRow,
      to: Partial<WebhookRow>,
    ): Promise<boolean> {
      return (await subscriptionsTo(feed).where({ webhook_key, position, next_attempt_at }).update(to)) > 0
    },

    /**
     * Makes a webhook active again, so that waiting changes are sent. With `from`, the changes since that time are sent
     * again first.
     * @returns false if there is no such webhook.
     */
    async replay(key: string, from?: Date): Promise<boolean> {
      let found = 0
      for (const feed of feedNames) {
        const again = from && { position: await positionBefore(db, tenant, feed, from), since: writtenBefore(from) }
        // A new `next_attempt_at` makes `moveOn` of a running attempt fail, even if the position stays the same.
        const next = { state: 'active', failures: 0, reason: null, next_attempt_at: new Date(), ...again }
        found += await subscriptionsTo(feed).where({ webhook_key: key }).update(next)
      }
      return found > 0
    },
  }
}
