// Request ids, trace context and the request log.
import { randomUUID } from 'node:crypto'
import { parseTraceParent } from '@opentelemetry/core'
import type { Context, DefaultState, Middleware } from 'koa'
import type { Log } from '../../runtime/log.js'
import { requestSeconds } from '../metrics.js'

/**
 * Gives every request its ids and its line in the log. The trace id is the caller's (W3C `traceparent`) or the request id,
 * which is the caller's `X-Request-Id` or a new one. The request id comes back in every answer, the trace id in problems.
 */
export const trace =
  (log: Log): Middleware =>
  async (ctx, next) => {
    const started = performance.now()
    const requestId = /^[\w.:-]{1,64}$/.exec(ctx.get('x-request-id'))?.[0] ?? randomUUID()
    const traceId = parseTraceParent(ctx.get('traceparent'))?.traceId ?? requestId
    ctx.state.traceId = traceId
    ctx.state.loggedWith = { traceId, requestId }
    lazyLog(ctx.state, log)
    ctx.set('X-Request-Id', requestId)
    await next()
    const seconds = (performance.now() - started) / 1000
    const route = ctx._matchedRoute ?? 'none'
    requestSeconds.observe({ method: ctx.method, route: String(route), status: ctx.status }, seconds)
    const line = { method: ctx.method, path: ctx.path, status: ctx.status, ms: Math.round(seconds * 1000) }
    const level = ctx.path.startsWith('/health') ? 'debug' : 'info'
    log[level]({ ...ctx.state.loggedWith, ...line }, 'request')
  }

/** Gives a request its log when it is asked for: most have nothing to say but the line at their end. */
function lazyLog(state: DefaultState, log: Log): void {
  let own: { log: Log; loggedWith: object } | undefined
  Object.defineProperty(state, 'log', {
    get() {
      const { loggedWith } = state
      if (own?.loggedWith !== loggedWith) own = { log: log.child(loggedWith), loggedWith }
      return own?.log
    },
  })
}

/** Says in every line of a request from now on what has become known of it. */
export function logWith({ state }: Context, known: Record<string, string>): void {
  state.loggedWith = { ...state.loggedWith, ...known }
}
