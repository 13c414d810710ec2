// Queue that spreads parsing work over passes of the event loop.
import { Transform } from 'node:stream'
import type { Context, Middleware } from 'koa'
import { Problem } from '../../runtime/problem.js'

/** Resolves when the next piece of work may begin. */
export type Turn = () => Promise<void>

/** Requests of strangers that wait; at about 1 ms each, a second. */
const mostWaiting = 1_000

/**
 * Grants turns in the order of the calls, one in each pass of the event loop. Other work waits for at most one piece
 * at each step. No turn lasts over I/O, so a slow caller delays nobody. An idle queue grants at once.
 */
export function createPasses(most = mostWaiting) {
  const waiting: (() => void)[] = []
  let isTaken = false
  const pass = () => {
    const begin = waiting.shift()
    isTaken = begin !== undefined
    if (!begin) return
    setImmediate(pass)
    begin()
  }
  const turn: Turn = () => {
    if (isTaken) return new Promise(resolve => waiting.push(resolve))
    isTaken = true
    setImmediate(pass)
    return Promise.resolve()
  }
  return { turn, isFull: () => waiting.length >= most }
}

/** Of bodies over 16 KB: each is parsed and checked in its turn, those with long lists in a turn for each block of them. */
export const largeBodies = createPasses()

/**
 * Begins a stranger's request in its turn, and leaves further turns in `ctx.state.turn` for what takes long.
 * Answers 503 where too many wait.
 */
export function strangersInTurns(isStranger: (ctx: Context) => boolean, { turn, isFull } = createPasses()): Middleware {
  return async (ctx, next) => {
    if (isStranger(ctx)) {
      if (isFull()) throw tooMany
      ctx.state.turn = turn
      await turn()
    }
    await next()
  }
}

const tooMany = new Problem(
  'busy',
  `${mostWaiting} requests without a token that is known wait already. Please try again.`,
  [],
  { 'Retry-After': '2' },
)

/** Time after which a turn ends, in ms. */
const turnMs = 1
/** Bytes at the begin of a turn that any parser of ours takes within that time. Their number doubles while there is time. */
const leastBytes = 1024

/** Hands bytes on in turns: of a file, which costs little, all that has come; of thousands of fields some at a time. */
export const inSlices = (turn: Turn): Transform =>
  new Transform({
    async transform(piece: Buffer, _, done) {
      for (let at = 0; at < piece.length && !this.destroyed; ) {
        await turn()
        const until = performance.now() + turnMs
        for (let size = leastBytes; at < piece.length && performance.now() < until; size *= 2) {
          this.push(piece.subarray(at, at + size))
          at += size
        }
      }
      done()
    },
  })
