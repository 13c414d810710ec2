// Work of a process that takes long, in pieces of some ms that give way to calls of others.
import { createEventLoopQueue } from './event-loop-queue.js'
import { createInFlightCalls } from './in-flight-calls.js'

/** Calls of the process that others wait for and that take some ms. One of more than 100 ms waits for something else. */
export const quickCalls = createInFlightCalls(100)

/**
 * Longest time for which a piece gives way, in ms. Beside calls that never cease, large work has a third of the time: its
 * pieces take 3 to 5 ms.
 */
const giveWayMs = 10

/** Large bodies and batches: of all of them, one piece has its turn at a time. */
export const largeWork = createEventLoopQueue({ to: quickCalls, ms: giveWayMs })

/** Items between two turns: some ms. */
const stride = 2_000

/** Works on the items of a list, map or set, some at a time, so that other requests go on meanwhile. */
export async function forEachCooperatively<T>(items: Iterable<T>, work: (item: T, n: number) => void): Promise<void> {
  let n = 0
  for (const item of items) {
    if (n % stride === stride - 1) await largeWork.turn()
    work(item, n++)
  }
}
