// Rate limits for clients and for unauthenticated callers.
import type { Context, Middleware } from 'koa'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { callerAddress, type IsProxy } from '../../runtime/caller-address.js'
import { Problem } from '../../runtime/problem.js'
import type { Caller } from '../caller.js'

const limiters = new Map<number, RateLimiterMemory>()

function limiterOf(points: number): RateLimiterMemory {
  const limiter = limiters.get(points) ?? new RateLimiterMemory({ points, duration: 60 })
  limiters.set(points, limiter)
  return limiter
}

/** Limits a client to what its tenant's manifest says, in each API process; off where it says nothing. */
export const rateLimit = (): Middleware => (ctx, next) => {
  const { limits, tenantId, clientId }: Caller = ctx.state.caller
  const points = limits.requestsPerMinute
  return typeof points === 'number' ? limitRequests(`${tenantId}/${clientId}`, points).then(next) : next()
}

/** Counts a request of `who`. @throws Problem 429 when it is one too many for this minute. */
export async function limitRequests(
  who: string,
  points: number | undefined,
  rule = `The client may send ${points} requests a minute.`,
): Promise<void> {
  if (points === undefined) return
  await limiterOf(points)
    .consume(who)
    .catch(error => tooMany(error, rule))
}

function tooMany(error: unknown, rule: string): never {
  if (!(error instanceof RateLimiterRes)) throw error
  const seconds = secondsOf(error)
  throw new Problem(429, 'rate-limited', 'Too many requests', `${rule} Try again in ${seconds} s.`, [], {
    'Retry-After': String(seconds),
  })
}

const secondsOf = ({ msBeforeNext }: RateLimiterRes) => Math.ceil(msBeforeNext / 1000)

export interface StrangerLimits {
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
  const { wrongCredentialsPerMinute: points }: Partial<StrangerLimits> = ctx.state.strangers ?? {}
  const rule = `An address may send ${points} wrong tokens and keys a minute.`
  await limitRequests(`wrong-credentials/${addressOf(ctx)}`, points, rule)
}

/** A count of failures by name, for attempts that are refused before they are made. */
export interface FailureCount {
  /** Seconds until none of the names has more failures than the limit; 0: now. */
  secondsLeft(names: readonly string[]): Promise<number>
  add(names: readonly string[]): Promise<void>
}

/** @param perMinute failures of one name after which it has to wait. */
export function failureCount(perMinute: number): FailureCount {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: 60 })
  return {
    async secondsLeft(names) {
      const counts = await Promise.all(names.map(name => limiter.get(name)))
      return Math.max(0, ...counts.map(count => (count && count.consumedPoints >= perMinute ? secondsOf(count) : 0)))
    },
    async add(names) {
      await Promise.all(names.map(name => limiter.penalty(name)))
    },
  }
}
