// Stores how far each webhook has been sent the feeds of changes, and the events that are tried again.
import type { Knex } from 'knex'
import { notFound } from '../../runtime/problems/problem.js'
import { now } from '../clock.js'
import type { Db, TenantId } from '../connect.js'
import { transaction } from '../errors.js'
import { syncWatched } from '../events.js'
import {
  changesOf,
  type Feed,
  type FeedRow,
  feedEnd,
  feedNames,
  hasChangesAfter,
  oldestPosition,
  positionBefore,
} from '../feeds.js'
import { insertRows, Sql, upsertRows } from '../rows.js'
import { feedsOf, type Webhook } from './endpoints/settings.js'

/**
 * `failing`: an event has not arrived and is tried again. `stopped`: nothing is sent until an operator replays the
 * webhook.
 */
export const webhookStates = ['active', 'failing', 'stopped'] as const
export type WebhookState = (typeof webhookStates)[number]

/** A webhook's subscription to one feed. A webhook has one for each feed that its events come from. */
export interface WebhookRow {
  webhook_key: string
  feed: Feed
  /** Position in the feed up to which every event was delivered, or is tried again. */
  position: number
  /**
   * Changes written before this time are not sent. Changes get their position late, after up to 30 days if nobody reads
   * the feed, so the position alone does not exclude old ones.
   */
  since: Date
  state: WebhookState
  /** Rounds in a row in which events were tried and none arrived. */
  failures: number
  reason: string | null
  /** Until then nothing is sent, because nothing has arrived lately. */
  next_attempt_at: Date | null
  delivered_at: Date | null
}

/** A subscription as its run reads it. */
export interface Subscription extends WebhookRow {
  /** Time until something may be sent, in ms; 0 or less if it may be sent now. */
  waitMs: number
}

/** A webhook that has something to send. */
export interface DueWebhook {
  tenant_key: string
  webhook_key: string
  feed: Feed
  /** Changes whenever there is something new to send: an event, a replay, or an event whose wait is over. */
  sign: string
}

/** An event that has not arrived, and those of the same subject behind it. */
export interface Retry {
  position: number
  /** Undefined if the feed does not have the event any more. */
  row: FeedRow | undefined
  /** How often it was tried in vain. 0 if it only waits for an earlier one, or was not tried. */
  failures: number
  /** Time until it may be sent, in ms; 0 or less if it may be sent now. */
  waitMs: number
}

/** An event to be tried again. */
export interface NewRetry {
  position: number
  failures: number
  /** In how many ms it may be sent. */
  waitMs: number
}

/** What became of a round of deliveries. */
export interface Round {
  to: Partial<Pick<WebhookRow, 'position' | 'state' | 'failures' | 'reason'>>
  /** In how many ms anything may be sent again. Undefined if it may be at once. */
  waitMs: number | undefined
  hasDelivered: boolean
  /** Positions of retries that have arrived. */
  delivered: readonly number[]
  retries: readonly NewRetry[]
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

/** How long until a time by the database's clock, in ms. */
const msUntil = (db: Db, column: string, name: string): Knex.Raw =>
  db.raw('TIMESTAMPDIFF(MICROSECOND, ?, ??) / 1000 AS ??', [now(db), column, name])

/** Lists the subscriptions, of all tenants, that have something to send. */
export async function dueWebhooks(db: Knex): Promise<DueWebhook[]> {
  const retries = db({ r: 'webhook_retries' })
    .whereRaw('r.tenant_id = w.tenant_id AND r.feed = w.feed AND r.webhook_key = w.webhook_key')
    .where('r.next_attempt_at', '<=', now(db))
  return db({ w: 'webhooks' })
    .join('tenants as t', 't.id', 'w.tenant_id')
    .whereNot('w.state', 'stopped')
    .where(due => due.whereNull('w.next_attempt_at').orWhere('w.next_attempt_at', '<=', now(db)))
    .where(due => due.where(hasChangesAfter(db, 'w')).orWhereExists(retries.clone().select(db.raw('1'))))
    .select('t.tenant_key', 'w.webhook_key', 'w.feed')
    .select(
      db.raw("CONCAT_WS('/', w.next_attempt_at, ?, (?)) AS sign", [
        changesOf(db, 'w'),
        retries.clone().max('r.next_attempt_at'),
      ]),
    )
}

/** Tells whether any tenant has a webhook. */
export const hasWebhooks = async (db: Db): Promise<boolean> => (await db('webhooks').first('webhook_key')) !== undefined

/** Allows for the time between a change's timestamp and its commit, since transactions take minutes at most. */
const allowanceMs = 300_000

/** Manages the subscriptions of one tenant's webhooks. */
export const webhookStore = (db: Db, tenant: TenantId) => {
  const subscriptionsTo = (feed: Feed, of: Db = db) => of('webhooks').where({ tenant_id: tenant, feed })
  const retriesOf = (in_: Db, feed: Feed) => in_('webhook_retries').where({ tenant_id: tenant, feed })

  const nextRetry = () =>
    db({ r: 'webhook_retries' })
      .whereRaw('r.tenant_id = webhooks.tenant_id AND r.feed = webhooks.feed AND r.webhook_key = webhooks.webhook_key')
      .min('r.next_attempt_at')

  return {
    /** Lists the subscriptions, each with the time of its next attempt. */
    all: (): Promise<WebhookRow[]> =>
      db('webhooks')
        .where({ tenant_id: tenant })
        .orderBy(['webhook_key', 'feed'])
        .select(...columns.filter(column => column !== 'next_attempt_at'))
        .select({ next_attempt_at: db.raw('COALESCE(next_attempt_at, ?)', [nextRetry()]) }),

    /** Reads the subscriptions of one webhook. */
    async of(key: string): Promise<Subscription[]> {
      const rows: Subscription[] = await db('webhooks')
        .where({ tenant_id: tenant, webhook_key: key })
        .select(...columns, msUntil(db, 'next_attempt_at', 'waitMs'))
      return rows.map(row => ({ ...row, waitMs: Number(row.waitMs ?? 0) }))
    },

    /** Lists the events of a subscription that have not arrived, in the order of the feed. */
    async retries({ webhook_key, feed }: Pick<WebhookRow, 'webhook_key' | 'feed'>): Promise<Retry[]> {
      type Joined = { [Column in keyof FeedRow]: FeedRow[Column] | null } & Pick<Retry, 'failures' | 'waitMs'>
      const rows: (Joined & { at: number })[] = await db({ r: 'webhook_retries' })
        .leftJoin('events as e', on =>
          on.on('e.tenant_id', 'r.tenant_id').on('e.feed', 'r.feed').on('e.position', 'r.position'),
        )
        .where({ 'r.tenant_id': tenant, 'r.feed': feed, 'r.webhook_key': webhook_key })
        .orderBy('r.position')
        .select({ at: 'r.position', id: 'e.source' }, 'r.failures', 'e.position', 'e.kind', 'e.changed_at', 'e.into_id')
        .select(msUntil(db, 'r.next_attempt_at', 'waitMs'))
      return rows.map(({ at, failures, waitMs, position, id, kind, changed_at, into_id }) => ({
        position: at,
        row: position && id && kind && changed_at ? { position, id, kind, changed_at, into_id } : undefined,
        failures,
        waitMs: Number(waitMs),
      }))
    },

    /** Replaces the tenant's webhooks by these. A new subscription begins at the end of its feed. */
    async keep(webhooks: readonly Webhook[]): Promise<void> {
      await syncWatched(db, tenant, webhooks.flatMap(feedsOf))
      for (const feed of feedNames) {
        const wanted = webhooks.filter(webhook => feedsOf(webhook).includes(feed)).map(({ key }) => key)
        const present: string[] = await subscriptionsTo(feed).pluck('webhook_key')
        const gone = present.filter(key => !wanted.includes(key))
        if (gone.length > 0) {
          await subscriptionsTo(feed).whereIn('webhook_key', gone).delete()
          await retriesOf(db, feed).whereIn('webhook_key', gone).delete()
        }
        const added = wanted.filter(key => !present.includes(key))
        if (added.length === 0) continue
        const end = await feedEnd(db, tenant, feed)
        const names = ['tenant_id', 'feed', 'webhook_key', 'position', 'since', 'state', 'failures']
        const rows = added.map(key => [tenant, feed, key, end, inMs(-allowanceMs), 'active', 0])
        await insertRows(db, 'webhooks', names, rows)
      }
    },

    /**
     * Records what became of a round of deliveries. Returns false, and records nothing, if the subscription was changed
     * in the meantime, for example by a replay.
     */
    record: (
      { webhook_key, feed, position, next_attempt_at }: WebhookRow,
      { to, waitMs, hasDelivered, delivered, retries }: Round,
    ): Promise<boolean> =>
      transaction(db, 'unqueued', async trx => {
        const row = () => trx('webhooks').where({ tenant_id: tenant, feed, webhook_key })
        const seen = await row().where({ position, next_attempt_at }).forUpdate().first('feed')
        if (!seen) return false
        await row().update({
          ...to,
          next_attempt_at: waitMs === undefined ? null : trx.raw(inMs(waitMs).text),
          ...(hasDelivered ? { delivered_at: now(trx) } : {}),
        })
        const mine = () => retriesOf(trx, feed).where({ webhook_key })
        if (delivered.length > 0) await mine().whereIn('position', delivered).delete()
        const names = ['tenant_id', 'feed', 'webhook_key', 'position', 'failures', 'next_attempt_at']
        const rows = retries.map(each => [tenant, feed, webhook_key, each.position, each.failures, inMs(each.waitMs)])
        if (rows.length > 0) await upsertRows(trx, 'webhook_retries', names, rows, ['failures', 'next_attempt_at'])
        return true
      }),

    /**
     * Makes a webhook active again, so that waiting changes are sent. With `from`, the changes since that time are sent
     * again first, and those that were deleted before they were delivered are given up.
     * @throws Problem 404 if there is no such webhook.
     */
    replay: (key: string, from?: Date): Promise<void> =>
      transaction(db, tenant, async trx => {
        let found = 0
        for (const feed of feedNames) {
          const again = from && {
            position: await positionBefore(trx, tenant, feed, from),
            since: new Date(Math.min(from.getTime(), Date.now()) - allowanceMs),
          }
          // A new `next_attempt_at` makes `record` of a round under way fail, even if the position stays the same.
          const next = { state: 'active', failures: 0, reason: null, next_attempt_at: now(trx), ...again }
          found += await subscriptionsTo(feed, trx).where({ webhook_key: key }).update(next)
          const mine = () => retriesOf(trx, feed).where({ webhook_key: key })
          if (again) {
            await mine().where('position', '>', again.position).delete()
            // Changes that the retention has deleted cannot be sent. If they were kept, they would stop the webhook again.
            const oldest = await oldestPosition(trx, tenant, feed)
            await mine()
              .where('position', '<', oldest ?? again.position + 1)
              .delete()
          }
          await mine().update({ next_attempt_at: now(trx) })
        }
        if (found === 0) throw notFound(`There is no webhook '${key}'.`)
      }),
  }
}

/** The time in `ms` by the database's clock, as a value in a row. */
const inMs = (ms: number): Sql => new Sql(`TIMESTAMPADD(MICROSECOND, ${Math.round(ms * 1_000)}, CURRENT_TIMESTAMP(3))`)
