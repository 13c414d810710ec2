// Repeats a work of the platform inside one activity.
import { setTimeout as sleep } from 'node:timers/promises'
import { Context } from '@temporalio/activity'
import type { Log } from '../../runtime/log.js'
import { stopping } from '../../runtime/shutdown.js'
import { asFailure } from '../failure.js'
import { withHeartbeat } from '../heartbeat.js'

/** One activity of a run that never ends. Its history grows by some events for each, so that they are few. */
const activityMs = 300_000

/**
 * Does a work again and again, with a pause in between, for five minutes: in one process of the installation at a time.
 * @throws the failure of the work, which Temporal retries and shows.
 */
export const repeatedly = (log: Log, pauseMs: number, work: () => Promise<void>): Promise<void> =>
  withHeartbeat(async () => {
    const context = Context.current()
    const until = Date.now() + activityMs
    // The next worker goes on, where this one stops.
    while (Date.now() < until && !stopping.aborted) {
      await once(log, work)
      const signal = AbortSignal.any([stopping, context.cancellationSignal])
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
      if (context.cancellationSignal.aborted) await context.cancelled
    }
  })

/** Does a work of the platform's own. @throws its failure without what a database error quotes, which is in the log. */
export async function once<T>(log: Log, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (err) {
    const { activityType } = Context.current().info
    log.warn({ err, activity: activityType }, 'work of the platform failed')
    throw asFailure(err).failure
  }
}
