// The `Commit-Token` header. A caller that sends back the token of an answer reads what had been written by then
// (decision record 0067).
import type { Context, Middleware } from 'koa'
import { LRUCache } from 'lru-cache'
import Type from 'typebox'
import type { Moment, Reads } from '../db/replicas.js'
import type { Caller } from './caller.js'

export const commitToken = 'Commit-Token'

/** Describes the header of requests that a replica may answer. */
export const readHeaders = Type.Object({
  [commitToken]: Type.Optional(
    Type.String({
      description:
        'The token of an earlier answer. The list then shows everything that was committed before that answer. If absent, it shows what this client has written through the same API process.',
    }),
  ),
})

/** Describes the header of answers that carry a token. */
export const commitHeaders = Type.Object({
  [commitToken]: Type.Optional(
    Type.String({
      description:
        'Present only with read replicas. Send it with a later list, which then shows everything committed by now.',
    }),
  ),
})

/**
 * How long a write is remembered. A replica that lags further is not read, so it need not be asked about older writes.
 * The extra second allows for differences between clocks.
 */
const keptMs = (maxLagMs: number) => maxLagMs + 1_000

/** How many clients' last writes are remembered at once. */
const maxClients = 100_000

export type CommitTokens = ReturnType<typeof createCommitTokens>

/**
 * Creates the commit tokens of a process. For clients that send no token, it remembers their last write through this
 * process.
 */
export function createCommitTokens({ now, replicas }: Reads, maxLagMs: number) {
  const written = new LRUCache<string, Moment>({ max: maxClients, ttl: keptMs(maxLagMs) })
  const clientOf = ({ tenantId, clientId }: Caller) => `${tenantId}/${clientId}`

  const tell: Middleware = async (ctx, next) => {
    try {
      await next()
    } finally {
      // If the primary has never answered, nothing was committed.
      const moment = await now().catch(err => void ctx.state.log.warn({ err }, 'an answer has no commit token'))
      if (moment !== undefined) {
        written.set(clientOf(ctx.state.caller), moment)
        ctx.set(commitToken, String(moment))
      }
    }
  }

  return {
    /**
     * Adds the token to an answer, even to a refusal, since some of the work may be committed. Does nothing without
     * replicas.
     */
    tell: replicas().length === 0 ? [] : [tell],

    /** Returns up to which moment a read must see all commits; undefined if any replica will do. */
    since(ctx: Context): Moment | undefined {
      const token = ctx.get(commitToken)
      if (token === '') return written.get(clientOf(ctx.state.caller))
      // Any other token leads to the primary, so that a read is never older than its caller wants.
      return /^\d{1,15}$/.test(token) ? Number(token) : Number.POSITIVE_INFINITY
    },
  }
}
