// Temporal workers for the queue `calls` and for the queues of providers with limits.
import type { Worker } from '@temporalio/worker'
import type { Knex } from 'knex'
import type { ProviderLimits } from '../../db/glue/endpoints/settings.js'
import { createLimitsReader } from '../../db/glue/providers/provider-limits.js'
import { providerQueues } from '../../db/glue/providers/provider-queues.js'
import type { Config } from '../../runtime/config.js'
import type { Log } from '../../runtime/log.js'
import { processName } from '../../runtime/process-name.js'
import { repeat } from '../../runtime/repeat.js'
import { createActivityWorker, type Temporal } from '../../runtime/temporal.js'
import { providerQueue } from '../../workflows/glue/contracts.js'
import { queues } from '../../workflows/jobs/contracts.js'
import type { Activities } from '../create-activities.js'

/** How often is looked for queues in use, and how often for changed limits. */
const intervalMs = 500
const limitsMs = 2_000

const isBusy = (worker: Worker): boolean => worker.getStatus().numInFlightActivities > 0

/** Calls without limits wait for others, not for our processor: a slow provider leaves slots for the others. */
const callSlots: ProviderLimits = { concurrency: 200 }

interface ProviderWorker {
  /** As JSON: other limits mean another worker. */
  limits: string
  worker: Worker
  ended: Promise<void>
}

interface ProviderWorkersDependencies {
  config: Config
  db: Knex
  log: Log
  activities: Activities
  /** The connection of the process's main worker. @throws while there is none. */
  temporal(): Temporal
}

/**
 * Keeps a worker for the queue of calls, and one for each queue in use of a provider with limits (decision 0043). One
 * process holds such a queue at a time. Its slots are the provider's concurrency; Temporal applies the rate.
 */
export function keepProviderWorkers({ config, db, log, activities, temporal }: ProviderWorkersDependencies) {
  const read = createLimitsReader(db)
  const used = providerQueues(db, processName)
  const running = new Map<string, ProviderWorker>()
  let limitsOf = new Map<string, ProviderLimits>()
  let readAt = Number.NEGATIVE_INFINITY

  async function adjust(stopping: AbortSignal): Promise<void> {
    if (!running.has(queues.calls)) await start(queues.calls, callSlots)
    if (Date.now() - readAt > limitsMs) {
      const providers = await read()
      limitsOf = new Map(providers.map(each => [providerQueue(each.tenantKey, each.providerKey), each.limits]))
      readAt = Date.now()
      await used.renew([...running].filter(([, { worker }]) => isBusy(worker)).map(([queue]) => queue))
    }
    const wanted = new Map<string, ProviderLimits>([[queues.calls, callSlots]])
    for (const { queue, isOurs, isIdle } of await used.inUse()) {
      const limits = limitsOf.get(queue)
      if (isIdle) await used.forget(queue)
      else if (limits && isOurs) wanted.set(queue, limits)
    }
    // One after the other, so that the old and the new one together do not exceed the limits.
    const changed = [...running].filter(([queue, { limits }]) => limits !== JSON.stringify(wanted.get(queue)))
    await Promise.all(changed.map(([queue]) => end(queue)))
    for (const [queue, limits] of wanted) {
      if (running.has(queue) || stopping.aborted) continue
      if (queue === queues.calls || (await used.hold(queue))) await start(queue, limits)
    }
  }

  async function start(queue: string, limits: ProviderLimits): Promise<void> {
    const { requestsPerSecond, concurrency } = limits
    const worker = await createActivityWorker(temporal(), config, {
      taskQueue: queue,
      activities,
      // Most providers are idle most of the time: each poller is a request that stays open.
      activityTaskPollerBehavior: { type: 'autoscaling', minimum: 1, initial: 1, maximum: 10 },
      ...(requestsPerSecond === undefined ? {} : { maxTaskQueueActivitiesPerSecond: requestsPerSecond }),
      ...(concurrency === undefined ? {} : { maxConcurrentActivityTaskExecutions: concurrency }),
    })
    const ended = worker
      .run()
      .catch(err => log.error({ err, queue }, 'worker of a provider'))
      // A worker that gave up is started again at the next look.
      .finally(() => running.delete(queue))
    running.set(queue, { limits: JSON.stringify(limits), worker, ended })
    log.info({ queue, limits }, 'worker of a provider started')
  }

  async function end(queue: string): Promise<void> {
    const one = running.get(queue)
    if (one?.worker.getState() === 'RUNNING') one.worker.shutdown()
    await one?.ended
  }

  const stopAdjusting = repeat(async stopping => {
    await adjust(stopping).catch(err => log.warn({ err }, 'workers of providers'))
    return intervalMs
  })
  return {
    isRunning: (queue: string): boolean => running.get(queue)?.worker.getState() === 'RUNNING',
    /** Lets tasks end (4 s); resolves when the connection is not used any more. */
    async stop(): Promise<void> {
      await stopAdjusting()
      await Promise.all([...running.keys()].map(end))
      await used.release().catch(err => log.warn({ err }, 'queues of providers are free after some seconds only'))
    },
  }
}
