import type { Middleware } from 'koa'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { Problem } from '../../runtime/problem.js'
import type { Caller } from './authenticate.js'

const limiters = new Map<number, RateLimiterMemory>()

/** Limits a client to what its tenant's manifest says, in each API process; off where it says nothing. */
export const rateLimit = (): Middleware => async (ctx, next) => {
  const { limits, tenantId, clientId }: Caller = ctx.state.caller
  const points = limits.requestsPerMinute
  await limitRequests(`${tenantId}/${clientId}`, typeof points === 'number' ? points : undefined)
  await next()
}

/** Counts a request of `who`. @throws Problem 429 when it is one too many for this minute. */
export async function limitRequests(who: string, points: number | undefined): Promise<void> {
  if (points === undefined) return
  const limiter = limiters.get(points) ?? new RateLimiterMemory({ points, duration: 60 })
  limiters.set(points, limiter)
  await limiter.consume(who).catch(error => tooMany(error, points))
}

function tooMany(error: unknown, points: number): never {
  if (!(error instanceof RateLimiterRes)) throw error
  const seconds = Math.ceil(error.msBeforeNext / 1000)
  throw new Problem(
    429,
    'rate-limited',
    'Too many requests',
    `The client may send ${points} requests a minute. Try again in ${seconds} s.`,
    [],
    { 'Retry-After': String(seconds) },
  )
}
