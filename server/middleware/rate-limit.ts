// Rate limits for clients and for unauthenticated callers.
import type { Context, Middleware } from 'koa'
import { callerAddress, type IsProxy } from '../../runtime/caller-address.js'
import { Problem } from '../../runtime/problem.js'
import type { Caller } from '../caller.js'
import type { RateLimits } from '../rate-limits.js'

/** Limits a client to what its tenant's manifest says; off where it says nothing. */
export const rateLimit = (): Middleware => (ctx, next) => {
  const { limits, tenantId, clientId }: Caller = ctx.state.caller
  const points = limits.requestsPerMinute
  return typeof points === 'number' ? limitRequests(ctx, `${tenantId}/${clientId}`, points).then(next) : next()
}

/** Counts a request of `who`, in all API processes together. @throws Problem 429 when it is one too many for this minute. */
export async function limitRequests(
  ctx: Context,
  who: string,
  points: number | undefined,
  rule = `The client may send ${points} requests a minute.`,
): Promise<void> {
  if (points === undefined) return
  const { rateLimits }: StrangerLimits = ctx.state.strangers
  const seconds = await rateLimits.take(who, points)
  if (seconds === 0) return
  throw new Problem('rate-limited', `${rule} Try again in ${seconds} s.`, [], {
    'Retry-After': String(seconds),
  })
}

export interface StrangerLimits {
  rateLimits: RateLimits
  isProxy: IsProxy
  /** Wrong tokens and keys that an address may send before it is told to wait. */
  wrongCredentialsPerMinute: number
}

/** Says of every request how its caller is told apart and limited while nothing is known of it. */
export const strangers =
  (limits: StrangerLimits): Middleware =>
  (ctx, next) => {
    ctx.state.strangers = limits
    return next()
  }

/** The address that a request came from, see runtime/caller-address.ts. To find it takes some microseconds: most requests need none. */
export function addressOf({ req, state }: Context): string {
  const { isProxy }: Partial<StrangerLimits> = state.strangers ?? {}
  return callerAddress(req.socket.remoteAddress, String(req.headers['x-forwarded-for'] ?? ''), isProxy ?? (() => false))
}

/**
 * Counts a wrong token or key of an address. A right one is never counted or refused, so nobody can lock out other
 * callers at the same address. Checking it costs no more than any request.
 * @throws Problem 429 when it is one too many for this minute.
 */
export async function countWrongCredential(ctx: Context): Promise<void> {
  const { wrongCredentialsPerMinute: points }: StrangerLimits = ctx.state.strangers
  const rule = `An address may send ${points} wrong tokens and keys a minute.`
  await limitRequests(ctx, `wrong-credentials/${addressOf(ctx)}`, points, rule)
}
