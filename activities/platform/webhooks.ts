// The activity of `platform/webhooks`, which sends changes of the tenants' feeds to their webhooks.
import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import type { Static } from 'typebox'
import type { TenantId } from '../../db/connect.js'
import { type FeedRow, feedPage } from '../../db/feeds.js'
import { feedsOf, type GlueReader, type Webhook } from '../../db/glue/endpoints/settings.js'
import { presentEvent, type WebhookHeaders, webhookEventType } from '../../db/glue/webhook-events.js'
import { type DueWebhook, dueWebhooks, hasWebhooks, type WebhookRow, webhookStore } from '../../db/glue/webhooks.js'
import { groupedBy } from '../../db/rows.js'
import type { Log } from '../../runtime/observe/log.js'
import { type Outbound, OutboundFailed } from '../../runtime/outbound/outbound.js'
import { stopping } from '../../runtime/process/shutdown.js'
import { webhookSecretBytes, webhookSecretForm } from '../../runtime/secrets/webhook-secret.js'
import { withHeartbeat } from '../heartbeat.js'
import { pollActivity } from './poll-activity.js'

/** Pause between two queries for due webhooks. On average, an event waits for half of it. */
const pauseMs = 25
/** Pause while no tenant has a webhook. */
const idlePauseMs = 500
const perPage = 200
/** Concurrent calls for one subscription, each for another subject, entity, job or instance. */
const parallel = 16
/**
 * How many subscriptions are delivered at the same time, of all tenants and of one. Receivers of one tenant that hang
 * thus leave room for the other tenants.
 */
const maxBusy = 200
const maxBusyOfTenant = 10
const timeoutMs = 10_000
const maxBackoffMs = 300_000
/** Pause after an error of our own. */
const faultPauseMs = 1_000

export interface WebhookDependencies {
  db: Knex
  log: Log
  glue: GlueReader
  outbound: Outbound
}

/** Why a subscription gets no more events for now. The message contains no path and nothing of the answer. */
class NotDelivered extends Error {
  constructor(
    message: string,
    /** Whether delivery stops until somebody replays the webhook. */
    readonly isFinal = false,
  ) {
    super(message)
  }
}

/** Creates the activity that delivers webhooks. */
export const webhookActivities = (dependencies: WebhookDependencies) => ({
  /** Sends what is due, for some minutes. A receiver that hangs delays only its own subscription. */
  async deliverWebhooks(): Promise<void> {
    const { db, log } = dependencies
    const busy = new Map<string, { tenantId: TenantId; delivery: Promise<void> }>()
    const isFull = (tenantId: TenantId) =>
      busy.size >= maxBusy || [...busy.values()].filter(other => other.tenantId === tenantId).length >= maxBusyOfTenant
    let isOver = false
    const work = async () => {
      const all = await dueWebhooks(db)
      if (all.length === 0 && !(await hasWebhooks(db)))
        await sleep(idlePauseMs, undefined, { signal: stopping }).catch(() => undefined)
      for (const due of all) {
        const id = `${due.tenant_id}/${due.feed}/${due.webhook_key}`
        if (busy.has(id) || isFull(due.tenant_id)) continue
        const delivery = deliver(dependencies, due, () => isOver || stopping.aborted)
          .catch(async err => {
            log.warn(
              { err, tenant: due.tenant_key, webhook: due.webhook_key, feed: due.feed },
              'events of a webhook could not be delivered',
            )
            await sleep(faultPauseMs)
          })
          .finally(() => busy.delete(id))
        busy.set(id, { tenantId: due.tenant_id, delivery })
      }
    }
    // Calls under way may take another 10 s. The heartbeat goes on meanwhile, so that no other worker begins beside
    // them.
    await withHeartbeat(async () => {
      try {
        await pollActivity(log, pauseMs, work)
      } finally {
        isOver = true
        await Promise.all([...busy.values()].map(({ delivery }) => delivery))
      }
    })
  },
})

/** Sends page after page until nothing is left, a delivery fails, or the activity ends. */
async function deliver(dependencies: WebhookDependencies, due: DueWebhook, isOver: () => boolean): Promise<void> {
  const { db, glue } = dependencies
  const store = webhookStore(db, due.tenant_id)
  for (let at: WebhookRow = due; !isOver(); ) {
    const { settings, variables } = await glue(due.tenant_id)
    const webhook = settings.webhooks.find(({ key }) => key === due.webhook_key)
    // The cached settings may be some seconds older than the subscription.
    if (!webhook || !feedsOf(webhook).includes(due.feed)) return
    const { rows, first } = await feedPage(db, due.tenant_id, due.feed, at.position, perPage)
    const last = rows.at(-1)
    if (!last) return
    const { position, failure } =
      at.position < first - 1 ? { position: at.position, failure: forgotten } : await sendAll(rows, webhook, variables)
    const next = { ...(failure ? afterFailure(at, failure) : afterSuccess()), position }
    if (!(await store.moveOn(at, next)) || failure) return
    at = { ...at, ...next }
  }

  /**
   * Sends a page. Events of the same subject, entity, job or instance are sent one after the other.
   * @returns the position up to which all events arrived.
   */
  async function sendAll(
    rows: FeedRow[],
    webhook: Webhook,
    variables: Record<string, string>,
  ): Promise<{ position: number; failure?: NotDelivered | undefined }> {
    const events = new Set<string>(webhook.events)
    const wanted = rows.filter(({ kind, changed_at }) => changed_at >= due.since && events.has(`${due.feed}.${kind}`))
    const open = new Set(wanted.map(({ position }) => position))
    const chains = groupedBy(wanted, ({ id }) => id).values()
    let failure: NotDelivered | undefined
    const sender = async () => {
      for (const chain of chains) {
        for (const row of chain) {
          if (failure || isOver()) return
          failure = await send(dependencies, due, webhook, variables, row)
          if (failure) return
          open.delete(row.position)
        }
      }
    }
    await Promise.all(Array.from({ length: parallel }, sender))
    const end = rows.at(-1)?.position ?? 0
    return { position: Math.min(end, ...[...open].map(position => position - 1)), failure }
  }
}

const forgotten = new NotDelivered(
  'Changes that were not delivered within 30 days have been deleted. Read the lists again, then replay from now.',
  true,
)

const afterSuccess = (): Partial<WebhookRow> => ({
  state: 'active',
  failures: 0,
  reason: null,
  next_attempt_at: null,
  delivered_at: new Date(),
})

function afterFailure({ failures }: WebhookRow, { message, isFinal }: NotDelivered): Partial<WebhookRow> {
  const backoffMs = Math.min(1000 * 2 ** Math.min(failures, 20), maxBackoffMs)
  return {
    state: isFinal ? 'stopped' : 'failing',
    failures: failures + 1,
    reason: message.slice(0, 1000),
    next_attempt_at: new Date(Date.now() + backoffMs),
  }
}

/**
 * Sends one event.
 * @returns why it did not arrive, or undefined if it did.
 */
async function send(
  { outbound }: WebhookDependencies,
  { tenant_key, feed }: DueWebhook,
  { url, secrets }: Webhook,
  variables: Record<string, string>,
  row: FeedRow,
): Promise<NotDelivered | undefined> {
  const event = presentEvent(tenant_key, feed, row)
  const timestamp = Math.floor(Date.now() / 1000)
  const body = JSON.stringify(event)
  try {
    const signed = `${event.id}.${timestamp}.${body}`
    const signatures = secrets.map(
      name => `v1,${createHmac('sha256', keyOf(name, variables)).update(signed).digest('base64')}`,
    )
    const signature: Static<typeof WebhookHeaders> = {
      'webhook-id': event.id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatures.join(' '),
    }
    const headers = { 'content-type': webhookEventType, ...signature }
    const { status } = await outbound.send({
      method: 'POST',
      url,
      headers,
      body,
      timeoutMs,
      maxBytes: 64 * 1024,
      redirect: 'manual',
    })
    if (status === 410) return new NotDelivered('The receiver answered 410: it unsubscribed.', true)
    if (status >= 300 && status < 400)
      return new NotDelivered(`The receiver redirects (${status}), which is not followed.`)
    return status >= 200 && status < 300 ? undefined : new NotDelivered(`The receiver answered ${status}.`)
  } catch (error) {
    if (error instanceof OutboundFailed || error instanceof NotDelivered) return new NotDelivered(error.message)
    throw error
  }
}

/**
 * Returns the bytes of a secret.
 * @throws NotDelivered if it is not a valid secret.
 */
function keyOf(name: string, variables: Record<string, string>): Buffer {
  const bytes = webhookSecretBytes(variables[name] ?? '')
  if (!bytes) throw new NotDelivered(`The secret '${name}' is not ${webhookSecretForm}.`)
  return bytes
}
