// The token of a commit: a caller that sends it back reads what it has written (decision record 0067).

import type { Context, Middleware } from 'koa'
import { LRUCache } from 'lru-cache'
import Type from 'typebox'
import type { Moment, Reads } from '../db/replicas.js'
import type { Caller } from './caller.js'

export const commitToken = 'Commit-Token'

/** Header of requests that a replica may answer, for the description. */
export const readHeaders = Type.Object({
  [commitToken]: Type.Optional(
    Type.String({
      description:
        'The token of an answer: this one shows all that was committed before that. Without it, what this client wrote through the same API process.',
    }),
  ),
})

/** Header of answers that tell of commits, for the description. */
export const commitHeaders = Type.Object({
  [commitToken]: Type.Optional(
    Type.String({
      description: 'Only with read replicas: send it with a later list, which then shows what is committed now.',
    }),
  ),
})

/** A write that is older is in each replica that is read. The second is for the uncertainty of clocks. */
const keptMs = (maxLagMs: number) => maxLagMs + 1_000

/** Clients that write within that time. */
const mostClients = 100_000

export type CommitTokens = ReturnType<typeof createCommitTokens>

/** Tokens of commits, and what clients that send none have last written through this process. */
export function createCommitTokens({ now, replicas }: Reads, maxLagMs: number) {
  const written = new LRUCache<string, Moment>({ max: mostClients, ttl: keptMs(maxLagMs) })
  const clientOf = ({ tenantId, clientId }: Caller) => `${tenantId}/${clientId}`

  const tell: Middleware = async (ctx, next) => {
    try {
      await next()
    } finally {
      // Where the primary has never been heard of, nothing was committed.
      const moment = await now().catch(err => void ctx.state.log.warn({ err }, 'no token of the commit'))
      if (moment !== undefined) {
        written.set(clientOf(ctx.state.caller), moment)
        ctx.set(commitToken, String(moment))
      }
    }
  }

  return {
    /** Gives an answer its token, that of a refusal too: some of the work may be committed. None without replicas. */
    tell: replicas().length === 0 ? [] : [tell],

    /** The commits that a read must see. */
    since(ctx: Context): Moment | undefined {
      const token = ctx.get(commitToken)
      if (token === '') return written.get(clientOf(ctx.state.caller))
      // A token that is none of ours asks for the primary: no read is older than its caller wants.
      return /^\d{1,15}$/.test(token) ? Number(token) : Number.POSITIVE_INFINITY
    },
  }
}
