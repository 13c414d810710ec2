// Does work that takes long in pieces of some ms, so that other requests go on meanwhile.
import { createEventLoopQueue } from './event-loop-queue.js'

/** Bodies over 16 KB and large batches: of all of them, one piece has its turn in a pass of the event loop. */
export const largeWork = createEventLoopQueue()

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
