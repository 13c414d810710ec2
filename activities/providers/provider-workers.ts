// Runs Temporal workers for the queue `calls` and for the queues of providers with limits.
import type { Worker } from '@temporalio/worker'
import type { Knex } from 'knex'
import type { ProviderLimits } from '../../db/glue/endpoints/settings.js'
import { createLimitsReader } from '../../db/glue/providers/provider-limits.js'
import { providerQueues } from '../../db/glue/providers/provider-queues.js'
import type { Log } from '../../runtime/observe/log.js'
import { processName } from '../../runtime/process/process-name.js'
import { repeat } from '../../runtime/process/repeat.js'
import type { Config } from '../../runtime/settings/config.js'
import type { Temporal } from '../../runtime/temporal/calls.js'
import { createFailureClock } from '../../runtime/temporal/polling.js'
import { createActivityWorker, isPolling } from '../../runtime/temporal/temporal.js'
import { providerQueue } from '../../workflows/glue/contracts.js'
import { queues } from '../../workflows/jobs/contracts.js'
import type { Activities } from '../create-activities.js'

/** Pause between two looks at the queues in use, in ms, while any provider has limits. */
const intervalMs = 500
/** How old the limits may be before they are read again, in ms. Also the pause between two looks while no provider has limits. */
const limitsMs = 2_000

const isBusy = (worker: Worker): boolean => worker.getStatus().numInFlightActivities > 0

/**
 * Calls to providers without limits mostly wait, so many can run at once, and a slow provider leaves slots for the
 * others.
 */
const callSlots: ProviderLimits = { concurrency: 200 }
/** Each webhook whose receiver hangs occupies a slot, and must leave room for all others. */
const webhookSlots: ProviderLimits = { concurrency: 2_000 }
/** The queues that every worker of calls polls. */
const always = new Map<string, ProviderLimits>([
  [queues.calls, callSlots],
  [queues.webhooks, webhookSlots],
])

interface ProviderWorker {
  /** The limits as JSON. When they change, the worker is replaced. */
  limits: string
  worker: Worker
  ended: Promise<void>
}

interface ProviderWorkersDependencies {
  config: Config
  db: Knex
  log: Log
  activities: Activities
  /**
   * The connection of the process's main worker.
   * @throws while there is none.
   */
  temporal(): Temporal
}

/**
 * Runs a worker for each of the queues `calls` and `webhooks`, and one for each queue in use of a provider with limits (decision 0043). A
 * limited queue is worked by one process at a time. The worker's slots are the provider's concurrency; Temporal applies
 * the rate.
 */
export function startProviderWorkers({ config, db, log, activities, temporal }: ProviderWorkersDependencies) {
  const read = createLimitsReader(db)
  const used = providerQueues(db, processName)
  const running = new Map<string, ProviderWorker>()
  const failures = createFailureClock()
  let limitsOf = new Map<string, ProviderLimits>()
  let readAt = Number.NEGATIVE_INFINITY

  async function adjust(stopping: AbortSignal): Promise<void> {
    for (const [queue, limits] of always) if (!running.has(queue)) await start(queue, limits)
    if (Date.now() - readAt > limitsMs) {
      const providers = await read()
      limitsOf = new Map(
        providers.map(provider => [providerQueue(provider.tenantKey, provider.providerKey), provider.limits]),
      )
      readAt = Date.now()
      const busy = [...running].filter(([, { worker }]) => isBusy(worker)).map(([queue]) => queue)
      if (limitsOf.size > 0) await used.renew(busy)
    }
    const wanted = new Map(always)
    for (const { queue, isOurs, isIdle } of await used.inUse()) {
      const limits = limitsOf.get(queue)
      if (isIdle) await used.forget(queue)
      else if (limits && isOurs) wanted.set(queue, limits)
    }
    // The old worker ends before the new one starts, so that the two together do not exceed the limits.
    const changed = [...running].filter(([queue, { limits }]) => limits !== JSON.stringify(wanted.get(queue)))
    await Promise.all(changed.map(([queue]) => end(queue)))
    for (const [queue, limits] of wanted) {
      if (running.has(queue) || stopping.aborted) continue
      if (always.has(queue) || (await used.hold(queue))) await start(queue, limits)
    }
  }

  async function start(queue: string, limits: ProviderLimits): Promise<void> {
    const { requestsPerSecond, concurrency } = limits
    const worker = await createActivityWorker(temporal(), config, {
      taskQueue: queue,
      activities,
      // Most providers are idle most of the time, and each poller keeps a request open.
      activityTaskPollerBehavior: { type: 'autoscaling', minimum: 1, initial: 1, maximum: 10 },
      ...(requestsPerSecond === undefined ? {} : { maxTaskQueueActivitiesPerSecond: requestsPerSecond }),
      ...(concurrency === undefined ? {} : { maxConcurrentActivityTaskExecutions: concurrency }),
    })
    if (queue === queues.calls) failures.started()
    const ended = worker
      .run()
      .catch(err => log.error({ err, queue }, 'the worker of a provider failed'))
      // `adjust` starts a failed worker again in its next round.
      .finally(() => {
        running.delete(queue)
        if (queue === queues.calls) failures.ended()
      })
    running.set(queue, { limits: JSON.stringify(limits), worker, ended })
    log.info({ queue, limits }, 'worker of a provider started')
  }

  async function end(queue: string): Promise<void> {
    const stopped = running.get(queue)
    if (stopped?.worker.getState() === 'RUNNING') stopped.worker.shutdown()
    await stopped?.ended
  }

  const stopAdjusting = repeat(async stopping => {
    try {
      await adjust(stopping)
      return limitsOf.size > 0 ? intervalMs : limitsMs
    } catch (err) {
      log.warn({ err }, 'the workers of providers could not be adjusted')
      return intervalMs
    }
  })
  return {
    /** The worker of the queue `calls`. */
    calls: {
      isRunning(): boolean {
        const worker = running.get(queues.calls)?.worker
        return worker !== undefined && isPolling(worker)
      },
      failingMs: failures.failingMs,
    },
    /** Lets running tasks end (4 s). Resolves when the connection is no longer in use. */
    async stop(): Promise<void> {
      await stopAdjusting()
      await Promise.all([...running.keys()].map(end))
      await used
        .release()
        .catch(err => log.warn({ err }, 'the queues of providers could not be released and expire in some seconds'))
    },
  }
}
