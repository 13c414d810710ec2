// Spreads work over passes of the event loop.
import { setImmediate as nextPass } from 'node:timers/promises'

/** Resolves when the next piece of work may begin. */
export type Turn = () => Promise<void>

export interface EventLoopQueue {
  turn: Turn
  /** Number of pieces of work that are waiting for a turn. */
  waiting(): number
}

/**
 * Creates a queue that grants one turn in each pass of the event loop, in the order of the calls, so other work waits
 * for one piece at most. A turn never spans I/O, so a slow caller delays nobody.
 */
export function createEventLoopQueue(): EventLoopQueue {
  let last: Promise<void> = Promise.resolve()
  let waiting = 0
  return {
    turn() {
      waiting++
      last = last.then(() => nextPass()).finally(() => waiting--)
      return last
    },
    waiting: () => waiting,
  }
}
