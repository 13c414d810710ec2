// Queue that spreads work over passes of the event loop.
import type { InFlightCalls } from './in-flight-calls.js'

/** Resolves when the next piece of work may begin. */
export type Turn = () => Promise<void>

export interface EventLoopQueue {
  turn: Turn
  /** Number of pieces that wait. */
  waiting(): number
}

/**
 * Grants turns in the order of the calls, one in each pass of the event loop. Other work waits for at most one piece
 * at each step. No turn lasts over I/O, so a slow caller delays nobody. An idle queue grants at once.
 * @param givesWay to these calls: a turn waits until none of them is under way, `ms` at most.
 */
export function createEventLoopQueue(givesWay?: { to: InFlightCalls; ms: number }): EventLoopQueue {
  const waiting: (() => void)[] = []
  let isTaken = false
  const next = () => {
    if (givesWay && waiting.length > 0) givesWay.to.whenNone(pass, givesWay.ms)
    else pass()
  }
  const pass = () => {
    const begin = waiting.shift()
    isTaken = begin !== undefined
    if (!begin) return
    setImmediate(next)
    begin()
  }
  return {
    turn() {
      const begun = new Promise<void>(resolve => waiting.push(resolve))
      if (!isTaken) {
        isTaken = true
        next()
      }
      return begun
    },
    waiting: () => waiting.length,
  }
}
