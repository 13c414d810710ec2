// Where the subscriptions of webhooks stand in the feeds of changes.
import type { Knex } from 'knex'
import type { Db, TenantId } from '../connect.js'
import { keepWatched } from '../events.js'
import { type Feed, feedEnd, feedNames, hasChangesAfter, positionBefore } from '../feeds.js'
import { insertRows } from '../rows.js'
import { feedsOf, type Webhook } from './endpoints/settings.js'

/** `failing`: it is tried again at `next_attempt_at`. `stopped`: it waits for a replay. */
export const webhookStates = ['active', 'failing', 'stopped'] as const
export type WebhookState = (typeof webhookStates)[number]

/** A subscription: one of a webhook for each feed that it takes. */
export interface WebhookRow {
  webhook_key: string
  feed: Feed
  /** Position in the feed up to which all was delivered. */
  position: number
  /** Changes that were written before are not sent: those that nobody read may wait for 30 days for a position. */
  since: Date
  state: WebhookState
  /** In a row. */
  failures: number
  reason: string | null
  next_attempt_at: Date | null
  delivered_at: Date | null
}

/** A subscription with changes to deliver. */
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

/** Subscriptions of all tenants that have changes to deliver and may be tried now. */
export const dueWebhooks = (db: Knex): Promise<DueWebhook[]> =>
  db({ w: 'webhooks' })
    .join('tenants as t', 't.id', 'w.tenant_id')
    .whereNot('w.state', 'stopped')
    .where(due => due.whereNull('w.next_attempt_at').orWhere('w.next_attempt_at', '<=', new Date()))
    .where(hasChangesAfter(db, 'w'))
    .select('w.tenant_id', 't.tenant_key', ...columns.map(column => `w.${column}`))

/** Whether any tenant has a subscription. */
export const hasWebhooks = async (db: Db): Promise<boolean> => (await db('webhooks').first('webhook_key')) !== undefined

/** A change is written before its commit: a transaction takes minutes at most. */
const writtenBefore = (moment: Date): Date => new Date(moment.getTime() - 300_000)

/** The subscriptions of a tenant. */
export const webhookStore = (db: Db, tenant: TenantId) => {
  const of = (feed: Feed) => db('webhooks').where({ tenant_id: tenant, feed })

  return {
    all: (): Promise<WebhookRow[]> =>
      db('webhooks')
        .where({ tenant_id: tenant })
        .orderBy(['webhook_key', 'feed'])
        .select(...columns),

    /** Makes these the tenant's webhooks. A new subscription begins at the end of its feed. */
    async keep(webhooks: readonly Webhook[]): Promise<void> {
      await keepWatched(db, tenant, webhooks.flatMap(feedsOf))
      for (const feed of feedNames) {
        const wanted = webhooks.filter(webhook => feedsOf(webhook).includes(feed)).map(({ key }) => key)
        const present: string[] = await of(feed).pluck('webhook_key')
        const gone = present.filter(key => !wanted.includes(key))
        if (gone.length > 0) await of(feed).whereIn('webhook_key', gone).delete()
        const added = wanted.filter(key => !present.includes(key))
        if (added.length === 0) continue
        const end = await feedEnd(db, tenant, feed)
        const since = writtenBefore(new Date())
        const names = ['tenant_id', 'feed', 'webhook_key', 'position', 'since', 'state', 'failures']
        const rows = added.map(key => [tenant, feed, key, end, since, 'active', 0])
        await insertRows(db, 'webhooks', names, rows)
      }
    },

    /** Moves a subscription on. @returns false where it has moved meanwhile, as by a replay. */
    async moveOn(
      { webhook_key, feed, position, next_attempt_at }: WebhookRow,
      to: Partial<WebhookRow>,
    ): Promise<boolean> {
      return (await of(feed).where({ webhook_key, position, next_attempt_at }).update(to)) > 0
    },

    /**
     * Sends on what waits, and before it, with `from`, all changes since that moment again.
     * @returns false where there is no such webhook.
     */
    async replay(key: string, from?: Date): Promise<boolean> {
      let found = 0
      for (const feed of feedNames) {
        const again = from && { position: await positionBefore(db, tenant, feed, from), since: writtenBefore(from) }
        // Its moment tells an attempt under way of the replay, which may be to the position that the attempt began at.
        const next = { state: 'active', failures: 0, reason: null, next_attempt_at: new Date(), ...again }
        found += await of(feed).where({ webhook_key: key }).update(next)
      }
      return found > 0
    },
  }
}
