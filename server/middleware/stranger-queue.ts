// Lets requests without a known token take turns, one in each pass of the event loop, so that other callers do not wait for them.
import { Transform } from 'node:stream'
import type { Context, Middleware } from 'koa'
import { createEventLoopQueue, type Turn } from '../../runtime/load/event-loop-queue.js'
import { Problem } from '../../runtime/problems/problem.js'
import { addressOf } from './rate-limit.js'

/** How many requests of strangers may wait. At about 1 ms each, that is one second. */
const maxWaiting = 1_000
/** How many of them may be from one address, so that it leaves room for strangers elsewhere. */
const maxOfAddress = 200

/**
 * Creates middleware that queues the requests of strangers, with or without a body. `ctx.state.turn` gives long work of
 * such a request further turns. Answers 503 if too many are waiting, of all addresses or of one.
 */
export function queueStrangers(
  isStranger: (ctx: Context) => boolean,
  { turn, waiting } = createEventLoopQueue(),
  { ofAll, ofAddress } = { ofAll: maxWaiting, ofAddress: maxOfAddress },
): Middleware {
  /** How many requests of each address wait for their first turn. */
  const addresses = new Map<string, number>()
  return async (ctx, next) => {
    if (isStranger(ctx)) {
      const address = addressOf(ctx)
      const before = addresses.get(address) ?? 0
      if (waiting() >= ofAll || before >= ofAddress) throw tooMany
      addresses.set(address, before + 1)
      ctx.state.turn = turn
      await turn()
      const left = (addresses.get(address) ?? 1) - 1
      if (left > 0) addresses.set(address, left)
      else addresses.delete(address)
    }
    await next()
  }
}

const tooMany = new Problem(
  'busy',
  'Too many requests without a known token are waiting already. Please try again.',
  [],
  { 'Retry-After': '2' },
)

/** How long a turn may take, in ms. */
const turnMs = 1
/**
 * How many bytes a turn begins with. Any of our parsers can process them within that time; the number doubles while
 * time is left.
 */
const minBytes = 1024

/**
 * Creates a stream that passes bytes on in turns. A file, which costs little, passes in large portions; thousands of
 * fields pass a few at a time.
 */
export const inSlices = (turn: Turn): Transform =>
  new Transform({
    async transform(piece: Buffer, _, done) {
      for (let at = 0; at < piece.length && !this.destroyed; ) {
        await turn()
        const until = performance.now() + turnMs
        for (let size = minBytes; at < piece.length && performance.now() < until; size *= 2) {
          this.push(piece.subarray(at, at + size))
          at += size
        }
      }
      done()
    },
  })
