// Sends the events of one webhook, for its run.
import { setTimeout as sleep } from 'node:timers/promises'
import { Context } from '@temporalio/activity'
import type { Knex } from 'knex'
import { tenantIdOf } from '../../../db/admin/tenants.js'
import type { TenantId } from '../../../db/connect.js'
import { type FeedRow, feedPage } from '../../../db/feeds.js'
import { feedsOf, type GlueReader } from '../../../db/glue/endpoints/settings.js'
import { type NewRetry, type Round, type Subscription, webhookStore } from '../../../db/glue/webhooks.js'
import { groupedBy } from '../../../db/rows.js'
import type { Log } from '../../../runtime/observe/log.js'
import type { Outbound } from '../../../runtime/outbound/outbound.js'
import { stopping } from '../../../runtime/process/shutdown.js'
import type { Delivered, WebhookRef } from '../../../workflows/glue/contracts.js'
import { withHeartbeat } from '../../heartbeat.js'
import { suspensionOf } from '../../jobs/suspension.js'
import { type Failure, type Receiver, send } from './send.js'

/** Maximum number of events read from the feed at once. While as many wait for another attempt, no more are read. */
const perPage = 200
/** Concurrent calls for one subscription, each for another subject, entity, job or instance. */
const parallel = 16
/** The first wait after a failure doubles with each further one, up to the last, in ms. */
const [firstWaitMs, lastWaitMs] = [1_000, 300_000]
/** After this time an activity returns, and the webhook's run starts the next one, in ms. */
const activityMs = 30_000

export interface DeliveryDependencies {
  db: Knex
  log: Log
  glue: GlueReader
  outbound: Outbound
}

/** An event to be sent. `failures` is how often it was tried in vain. */
interface Pending {
  row: FeedRow
  failures: number
  /** Time until it may be sent, in ms; 0 or less if it may be sent now. */
  waitMs: number
  isRetry: boolean
}

const forgotten: Failure = {
  isFinal: true,
  reason:
    'Changes that were not delivered within 30 days have been deleted. Read the lists again, then replay from now.',
}

const waitAfter = (failures: number): number => Math.min(firstWaitMs * 2 ** Math.min(failures - 1, 20), lastWaitMs)

/** Creates the activity that sends the events of a webhook. */
export const deliveryOfEvents = (dependencies: DeliveryDependencies) => ({
  /**
   * Sends what is there, until nothing is left that may be sent now, or some time is over. A failure holds back the
   * later events of the same subject only. While nothing arrives at all, nothing is sent for a growing time.
   */
  deliverEvents: (webhook: WebhookRef): Promise<Delivered> =>
    withHeartbeat(async () => {
      const { db } = dependencies
      const context = Context.current()
      const until = performance.now() + activityMs
      const isOver = () => performance.now() > until || stopping.aborted || context.cancellationSignal.aborted
      const tenant = await tenantIdOf(db, webhook.tenantKey)
      const subscriptions = await webhookStore(db, tenant).of(webhook.webhookKey)
      const feeds = await Promise.all(
        subscriptions.map(({ feed }) => deliverFeed(dependencies, { ...webhook, tenant, feed, isOver })),
      )
      const waits = feeds.flatMap(({ waitMs }) => waitMs ?? [])
      return {
        sent: feeds.reduce((sum, { sent }) => sum + sent, 0),
        // A feed that is stopped has no more to send until a replay, which starts the run again.
        isOver: feeds.every(({ isStopped }) => isStopped),
        ...(waits.length > 0 ? { waitMs: Math.max(0, Math.min(...waits)) } : {}),
        reason: feeds.find(({ reason }) => reason !== undefined)?.reason,
      }
    }),
})

interface FeedOfWebhook extends WebhookRef {
  tenant: TenantId
  feed: Subscription['feed']
  isOver(): boolean
}

interface FeedDelivered {
  sent: number
  /** Nothing is sent until a replay, or there is no such webhook any more. */
  isStopped: boolean
  /** In how many ms something may be sent. Undefined if nothing waits. */
  waitMs?: number
  reason?: string | undefined
}

/** Sends the events of one feed, round after round. */
async function deliverFeed(dependencies: DeliveryDependencies, of: FeedOfWebhook): Promise<FeedDelivered> {
  const { db, glue } = dependencies
  const store = webhookStore(db, of.tenant)
  for (let sent = 0; ; ) {
    const at = (await store.of(of.webhookKey)).find(({ feed }) => feed === of.feed)
    const { settings, secrets } = await glue(of.tenant)
    const webhook = settings.webhooks.find(({ key }) => key === of.webhookKey)
    if (!at || at.state === 'stopped') return { sent, isStopped: true, reason: at?.reason ?? undefined }
    // The cached settings may be some seconds older than the subscription.
    if (!webhook || !feedsOf(webhook).includes(of.feed)) return { sent, isStopped: false, waitMs: firstWaitMs }
    if (at.waitMs > 0) return { sent, isStopped: false, waitMs: at.waitMs, reason: at.reason ?? undefined }
    const suspension = await suspensionOf(db, of.tenantKey)
    if (suspension) return { sent, isStopped: false, waitMs: suspension.waitMs, reason: suspension.waiting.reason }
    if (of.isOver()) return { sent, isStopped: false, waitMs: 0 }

    const retries = await store.retries(at)
    const hasRoom = retries.length < perPage
    const page = hasRoom ? await feedPage(db, of.tenant, of.feed, at.position, perPage) : undefined
    const isForgotten = retries.some(({ row }) => !row) || (page && at.position < page.first - 1)
    if (isForgotten) {
      await store.record(at, { ...unchanged, to: { state: 'stopped', reason: forgotten.reason } })
      continue
    }
    const events = new Set<string>(webhook.events)
    const isWanted = ({ kind }: FeedRow) => events.has(`${of.feed}.${kind}`)
    const wanted = page?.rows.filter(row => row.changed_at >= at.since && isWanted(row))
    // Kinds that the manifest no longer names.
    const unwanted = retries.flatMap(({ row }) => (row && !isWanted(row) ? [row.position] : []))
    if (unwanted.length > 0) {
      const isLast = unwanted.length === retries.length
      const to = isLast ? ({ state: 'active', failures: 0, reason: null } as const) : {}
      await store.record(at, { ...unchanged, to, delivered: unwanted })
      continue
    }
    const pending: Pending[] = [
      ...retries.flatMap(({ row, ...retry }) => (row ? [{ ...retry, row, isRetry: true }] : [])),
      ...(wanted ?? []).map(row => ({ row, failures: 0, waitMs: 0, isRetry: false })),
    ]
    const position = page?.rows.at(-1)?.position ?? at.position
    // The first event of a subject holds back the others.
    const nextMs = Math.min(...[...chainsOf(pending)].map(([first]) => first?.waitMs ?? 0))
    if (position === at.position && !(nextMs <= 0))
      return {
        sent,
        isStopped: false,
        ...(pending.length > 0 ? { waitMs: nextMs } : {}),
        reason: at.reason ?? undefined,
      }

    const receiver: Receiver = { tenantKey: of.tenantKey, feed: of.feed, webhook, secrets }
    const tried = await tryAll(pending, row => send(dependencies.outbound, receiver, row), of.isOver)
    const round = roundOf(at, pending, tried)
    if (await store.record(at, { ...round, to: { ...round.to, position } })) sent += tried.delivered.size
    // A replay has changed the subscription meanwhile. Its new state decides.
    else await sleep(0)
  }
}

const unchanged = { waitMs: undefined, hasDelivered: false, delivered: [], retries: [] }

/** Groups events by what has changed; each group is in order. */
const chainsOf = (pending: readonly Pending[]) => groupedBy(pending, ({ row }) => row.id).values()

interface Tried {
  delivered: Set<Pending>
  failed: Map<Pending, Failure>
}

/**
 * Sends events, those of one subject one after the other, and of several subjects side by side. The first event of a
 * subject that does not arrive, or may not be sent yet, holds back the later ones. Ends early if nothing arrives.
 */
async function tryAll(
  pending: readonly Pending[],
  deliver: (row: FeedRow) => Promise<Failure | undefined>,
  isOver: () => boolean,
): Promise<Tried> {
  const delivered = new Set<Pending>()
  const failed = new Map<Pending, Failure>()
  const isPointless = () =>
    (delivered.size === 0 && failed.size >= parallel) || [...failed.values()].some(({ isFinal }) => isFinal)
  const chains = chainsOf(pending)
  const sender = async () => {
    for (const chain of chains) {
      for (const each of chain) {
        if (each.waitMs > 0 || isPointless() || isOver()) break
        const failure = await deliver(each.row)
        if (failure) failed.set(each, failure)
        if (failure) break
        delivered.add(each)
      }
    }
  }
  await Promise.all(Array.from({ length: parallel }, sender))
  return { delivered, failed }
}

/**
 * Judges a round. What did not arrive is tried again. If only one subject fails, it alone waits. If several do and
 * nothing has arrived, the receiver is away, and nothing is sent for a while.
 */
function roundOf(at: Subscription, pending: readonly Pending[], { delivered, failed }: Tried): Round {
  const [failure] = failed.values()
  const final = [...failed.values()].find(({ isFinal }) => isFinal)
  const failing = pending.filter(each => failed.has(each) || (each.failures > 0 && !delivered.has(each)))
  const failures = delivered.size > 0 ? 0 : at.failures + (failed.size > 0 ? 1 : 0)
  const isAway = delivered.size === 0 && failed.size > 0 && failing.length > 1
  const retries: NewRetry[] = []
  for (const chain of chainsOf(pending)) {
    let waitMs = 0
    for (const each of chain.filter(one => !delivered.has(one))) {
      const { position } = each.row
      const tries = each.failures + 1
      // While the receiver is away, its wait is the only one.
      if (failed.has(each)) waitMs = isAway ? 0 : waitAfter(tries)
      else waitMs = Math.max(waitMs, each.waitMs)
      if (failed.has(each)) retries.push({ position, failures: isAway ? 1 : tries, waitMs })
      else if (!each.isRetry) retries.push({ position, failures: 0, waitMs })
    }
  }
  const isWell = failing.length === 0
  return {
    to: {
      state: final ? 'stopped' : isWell ? 'active' : 'failing',
      failures,
      reason: isWell ? null : ((final ?? failure)?.reason ?? at.reason),
    },
    waitMs: isAway && !final ? waitAfter(failures) : undefined,
    hasDelivered: delivered.size > 0,
    delivered: [...delivered].filter(({ isRetry }) => isRetry).map(({ row }) => row.position),
    retries,
  }
}
