import type { Middleware } from 'koa'
import { newId } from '../../runtime/ids.js'
import type { Log } from '../../runtime/log.js'
import { requestSeconds } from '../metrics.js'

/**
 * Gives every request its ids and its line in the log. The trace id is the caller's (W3C `traceparent`) or the request id,
 * which is the caller's `X-Request-Id` or a new one; both come back in every answer.
 */
export const trace =
  (log: Log): Middleware =>
  async (ctx, next) => {
    const started = performance.now()
    const requestId = /^[\w.:-]{1,64}$/.exec(ctx.get('x-request-id'))?.[0] ?? newId()
    const traceId = /^[\da-f]{2}-([\da-f]{32})-/.exec(ctx.get('traceparent'))?.[1] ?? requestId
    ctx.state.traceId = traceId
    ctx.state.log = log.child({ traceId, requestId })
    ctx.set('X-Request-Id', requestId)
    await next()
    const seconds = (performance.now() - started) / 1000
    const route = ctx._matchedRoute ?? 'none'
    requestSeconds.observe({ method: ctx.method, route: String(route), status: ctx.status }, seconds)
    const line = {
      method: ctx.method,
      path: ctx.path,
      status: ctx.status,
      ms: Math.round(seconds * 1000),
      jobId: ctx.state.jobId,
    }
    ctx.state.log[ctx.path.startsWith('/health') ? 'debug' : 'info'](line, 'request')
  }
