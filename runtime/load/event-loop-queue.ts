// Queue that spreads work over passes of the event loop.
import { setImmediate as nextPass } from 'node:timers/promises'

/** Resolves when the next piece of work may begin. */
export type Turn = () => Promise<void>

export interface EventLoopQueue {
  turn: Turn
  /** Number of pieces that wait. */
  waiting(): number
}

/**
 * Grants turns in the order of the calls, one in each pass of the event loop. Other work waits for at most one piece
 * at each step. No turn lasts over I/O, so a slow caller delays nobody.
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
