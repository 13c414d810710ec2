// Sends heartbeats to Temporal beside the work of an activity.
import { Context } from '@temporalio/activity'

/** Temporal waits 10 s for a sign of life; what an activity calls may take longer, in ms. */
const aliveMs = 2_000

/** Shows Temporal a sign of life for as long as the work takes. */
export async function withHeartbeat<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current()
  const timer = setInterval(() => context.heartbeat(), aliveMs)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}
