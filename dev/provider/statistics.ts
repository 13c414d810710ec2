// Counts calls to the demo provider.
import type { Middleware } from 'koa'

/** Calls since the last reset. */
export interface Statistics {
  /** Numbers by route, such as `GET /vaccinations`, and by status, or `cut off` if the response was not sent completely. */
  calls: Record<string, Record<string, number>>
  inFlight: number
  maxInFlight: number
}

/** Creates middleware that counts calls when their connection or response ends, in whatever way. */
export function createStatistics() {
  const now: Statistics = { calls: {}, inFlight: 0, maxInFlight: 0 }
  const middleware: Middleware = (ctx, next) => {
    const route = `${ctx.method} /${ctx.path.split('/')[1] ?? ''}`
    now.inFlight++
    now.maxInFlight = Math.max(now.maxInFlight, now.inFlight)
    ctx.res.once('close', () => {
      now.inFlight--
      const outcome = ctx.res.writableFinished ? String(ctx.res.statusCode) : 'cut off'
      const counts = now.calls[route] ?? {}
      now.calls[route] = { ...counts, [outcome]: (counts[outcome] ?? 0) + 1 }
    })
    return next()
  }
  return {
    now,
    middleware,
    reset() {
      now.calls = {}
      now.maxInFlight = now.inFlight
    },
  }
}
