// Turns of requests whose bodies take time.
import type { IncomingMessage } from 'node:http'
import { Transform } from 'node:stream'
import type { Context, Middleware } from 'koa'
import { quickCalls } from '../../runtime/large-work.js'
import { createPasses, type Turn } from '../../runtime/passes.js'
import { Problem } from '../../runtime/problem.js'

/** Requests of strangers that wait; at about 1 ms each, a second. */
const mostWaiting = 1_000

/** Of bodies over 16 KB: each is parsed and checked in its turn, those with long lists in a turn for each block of them. */
export const mediumBodies = createPasses()

/** Bytes that are parsed and checked in about 3 ms, whatever they are. */
export const quickBytes = 16 * 1024

/** Counts the requests to which large work gives way: all whose body is small. None waits for itself. */
export const countQuick: Middleware = async (ctx, next) => {
  if (!isQuick(ctx.req)) return next()
  const end = quickCalls.begin()
  try {
    await next()
  } finally {
    end()
  }
}

const isQuick = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] === undefined &&
  headers['content-encoding'] === undefined &&
  Number(headers['content-length'] ?? 0) <= quickBytes

/**
 * Begins a stranger's request in its turn, and leaves further turns in `ctx.state.turn` for what takes long.
 * Answers 503 where too many wait.
 */
export function strangersInTurns(
  isStranger: (ctx: Context) => boolean,
  { turn, waiting } = createPasses(),
  most = mostWaiting,
): Middleware {
  return async (ctx, next) => {
    if (isStranger(ctx)) {
      if (waiting() >= most) throw tooMany
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
