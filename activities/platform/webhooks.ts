// The activity of `platform/webhooks`, which tells the runs of webhooks that there is something to send.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import { type DueWebhook, dueWebhooks, hasWebhooks } from '../../db/glue/webhooks.js'
import type { Log } from '../../runtime/observe/log.js'
import { stopping } from '../../runtime/process/shutdown.js'
import type { Temporal } from '../../runtime/temporal/calls.js'
import { searchAttributes } from '../../runtime/temporal/search-attributes.js'
import { eventsSignal, webhookRunId } from '../../workflows/glue/contracts.js'
import { priorities, queues } from '../../workflows/jobs/contracts.js'
import { pollActivity } from './poll-activity.js'

/** Pause between two queries for due webhooks. On average, an event waits for half of it. */
const pauseMs = 25
/** Pause after a webhook could not be told. */
const failedPauseMs = 1_000
/** Pause while no tenant has a webhook. The events of the very first one may wait that long. */
const idlePauseMs = 2_000

export interface WebhookDependencies {
  db: Knex
  log: Log
  temporal: () => Pick<Temporal, 'call'>
}

/** Creates the activity that watches the feeds for webhooks. */
export const webhookActivities = ({ db, log, temporal }: WebhookDependencies) => ({
  /** Signals the run of each webhook that has something new to send, and starts it if there is none. */
  async watchFeeds(): Promise<void> {
    /** What each subscription was last told of. */
    const told = new Map<string, string>()
    let isNeeded = false
    await pollActivity(log, pauseMs, async () => {
      isNeeded ||= await hasWebhooks(db)
      if (!isNeeded) return await paused(idlePauseMs)
      const due = await dueWebhooks(db)
      const news = due.filter(each => told.get(nameOf(each)) !== each.sign)
      // One that cannot be told does not keep the others from it. It is told in a later round.
      const outcomes = await Promise.allSettled(
        news.map(async each => {
          await tell(temporal(), each)
          told.set(nameOf(each), each.sign)
        }),
      )
      const errors: unknown[] = outcomes.flatMap(each => (each.status === 'rejected' ? [each.reason] : []))
      if (errors.length === 0) return
      log.warn(
        { err: errors[0], webhooks: errors.length },
        'runs of webhooks could not be told that there is something to send',
      )
      await paused(failedPauseMs)
    })
  },
})

const paused = (ms: number): Promise<void> => sleep(ms, undefined, { signal: stopping }).catch(() => undefined)

const nameOf = ({ tenant_key, feed, webhook_key }: DueWebhook): string => `${tenant_key}/${feed}/${webhook_key}`

/** Tells the run of a webhook that it has something to send. */
async function tell(
  { call }: Pick<Temporal, 'call'>,
  { tenant_key: tenantKey, webhook_key: webhookKey }: DueWebhook,
): Promise<void> {
  const webhook = { tenantKey, webhookKey }
  await call(({ workflow }) =>
    workflow.signalWithStart('webhook', {
      workflowId: webhookRunId(webhook),
      taskQueue: queues.background,
      args: [webhook],
      signal: eventsSignal,
      staticSummary: `webhook ${webhookKey}`,
      typedSearchAttributes: [
        { key: searchAttributes.tenantKey, value: tenantKey },
        { key: searchAttributes.jobKind, value: 'webhook' },
      ],
      priority: { fairnessKey: tenantKey, priorityKey: priorities.change },
    }),
  )
}
