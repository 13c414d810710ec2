// Sends heartbeats to Temporal while an activity works.
import { Context } from '@temporalio/activity'

/** The interval of heartbeats, in ms. Temporal gives an activity up after 10 s without one. */
const aliveMs = 2_000

/**
 * Sends heartbeats until `work` ends, so that a single call in it may take longer than Temporal's heartbeat timeout.
 */
export async function withHeartbeat<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current()
  const timer = setInterval(() => context.heartbeat(), aliveMs)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}
