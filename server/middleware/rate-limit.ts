// Rate limits for clients and for unauthenticated callers.
import type { Context, Middleware } from 'koa'
import { Problem } from '../../runtime/problems/problem.js'
import { callerAddress, type IsProxy } from '../../runtime/settings/caller-address.js'
import type { Caller } from '../caller.js'
import type { RateLimits } from '../rate-limits.js'

/** Creates middleware that limits a client's requests per minute, if its tenant's manifest says so. */
export const rateLimit = (): Middleware => (ctx, next) => {
  const { limits, tenantId, clientId }: Caller = ctx.state.caller
  const points = limits.requestsPerMinute
  return typeof points === 'number' ? limitRequests(ctx, `${tenantId}/${clientId}`, points).then(next) : next()
}

/**
 * Counts a request of `who` across all API processes.
 * @throws Problem 429 if the limit for this minute is exceeded.
 */
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
  /** How many wrong tokens and keys an address may send per minute. */
  wrongCredentialsPerMinute: number
}

/** Creates middleware that makes the limits for unauthenticated callers available to each request. */
export const strangers =
  (limits: StrangerLimits): Middleware =>
  (ctx, next) => {
    ctx.state.strangers = limits
    return next()
  }

/**
 * Returns the address that a request came from, see runtime/settings/caller-address.ts. It is computed on demand, since most
 * requests do not need it.
 */
export function addressOf({ req, state }: Context): string {
  const { isProxy }: Partial<StrangerLimits> = state.strangers ?? {}
  return callerAddress(req.socket.remoteAddress, String(req.headers['x-forwarded-for'] ?? ''), isProxy ?? (() => false))
}

/**
 * Counts a step of a sign-in or sign-out from an address, because each is stored until it ends.
 * @throws Problem 429 if the limit for this minute is exceeded.
 */
export async function limitSignIns(ctx: Context): Promise<void> {
  const { wrongCredentialsPerMinute: points }: StrangerLimits = ctx.state.strangers
  await limitRequests(
    ctx,
    `sign-ins/${addressOf(ctx)}`,
    points,
    `An address may take ${points} steps of sign-ins a minute.`,
  )
}

/**
 * Counts a wrong token or key of an address. Valid credentials are neither counted nor refused, so nobody can lock out
 * other callers at the same address; to check one costs no more than any request.
 * @throws Problem 429 if the limit for this minute is exceeded.
 */
export async function countWrongCredential(ctx: Context): Promise<void> {
  const { wrongCredentialsPerMinute: points }: StrangerLimits = ctx.state.strangers
  const rule = `An address may send ${points} wrong tokens and keys a minute.`
  await limitRequests(ctx, `wrong-credentials/${addressOf(ctx)}`, points, rule)
}
