// Repeats work of the platform within one activity.
import { setTimeout as sleep } from 'node:timers/promises'
import { Context } from '@temporalio/activity'
import type { Log } from '../../runtime/observe/log.js'
import { stopping } from '../../runtime/process/shutdown.js'
import { asFailure } from '../failure.js'
import { withHeartbeat } from '../heartbeat.js'

/** How long one activity goes on. The workflow runs forever, and long activities keep its history short. */
const activityMs = 300_000

/**
 * Repeats work with a pause in between, for five minutes. Since only one such activity runs at a time, only one process
 * of the installation does the work.
 * @throws the failure of the work, which Temporal retries and shows.
 */
export const pollActivity = (log: Log, pauseMs: number, work: () => Promise<void>): Promise<void> =>
  withHeartbeat(async () => {
    const context = Context.current()
    const until = Date.now() + activityMs
    // When this worker stops, the activity returns and another worker takes the next one.
    while (Date.now() < until && !stopping.aborted) {
      await once(log, work)
      const signal = AbortSignal.any([stopping, context.cancellationSignal])
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
      if (context.cancellationSignal.aborted) await context.cancelled
    }
  })

/**
 * Does work of the platform itself and logs its failure.
 * @throws the failure without the texts that database errors quote, which may contain data; those are in the log only.
 */
export async function once<T>(log: Log, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (err) {
    const { activityType } = Context.current().info
    log.warn({ err, activity: activityType }, 'work of the platform failed')
    throw asFailure(err).failure
  }
}
