// Splits long work into pieces of some ms, so that other requests are served in between.
import { createEventLoopQueue } from './event-loop-queue.js'

/**
 * The queue for bodies over 16 KB and for large batches. All of them share it, and one piece runs in each pass of the
 * event loop.
 */
export const largeWork = createEventLoopQueue()

/** Number of items between two turns; they take some ms. */
const stride = 2_000

/** Calls `work` for each item of a list, map or set, and yields to other requests every 2,000 items. */
export async function forEachCooperatively<T>(items: Iterable<T>, work: (item: T, n: number) => void): Promise<void> {
  let n = 0
  for (const item of items) {
    if (n % stride === stride - 1) await largeWork.turn()
    work(item, n++)
  }
}
