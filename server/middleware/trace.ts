// Request ids, trace context, the span of a request and its line in the log.
import { randomUUID } from 'node:crypto'
import { type Span, SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { parseTraceParent } from '@opentelemetry/core'
import type { Context, DefaultState, Middleware, Next } from 'koa'
import type { Log } from '../../runtime/log.js'
import { below, inSpan, isTracing } from '../../runtime/tracing.js'
import { requestSeconds } from '../metrics.js'

/**
 * Gives every request its ids and its line in the log. The trace id is its span's, the caller's (W3C `traceparent`) or the
 * request id, which is the caller's `X-Request-Id` or a new one. It stands in problems.
 */
export const trace =
  (log: Log): Middleware =>
  (ctx, next) => {
    // Checks of health and metrics come every few seconds, and tell nothing.
    if (!isTracing() || isCheck(ctx.path)) return logged(log, ctx, next)
    const options = { kind: SpanKind.SERVER, parent: below(ctx.get('traceparent')) }
    return inSpan(ctx.method, options, async span => {
      await logged(log, ctx, next, span)
      if (span) describe(span, ctx)
    })
  }

const isCheck = (path: string): boolean => /^\/(?:health|metrics)\b/.test(path)

async function logged(log: Log, ctx: Context, next: Next, span?: Span): Promise<void> {
  const started = performance.now()
  const requestId = /^[\w.:-]{1,64}$/.exec(ctx.get('x-request-id'))?.[0] ?? randomUUID()
  const traceId = span?.spanContext().traceId ?? parseTraceParent(ctx.get('traceparent'))?.traceId ?? requestId
  ctx.state.traceId = traceId
  ctx.state.loggedWith = { traceId, requestId }
  lazyLog(ctx.state, log)
  ctx.set('X-Request-Id', requestId)
  await next()
  const seconds = (performance.now() - started) / 1000
  requestSeconds.observe({ method: ctx.method, route: routeOf(ctx), status: ctx.status }, seconds)
  const line = { method: ctx.method, path: ctx.path, status: ctx.status, ms: Math.round(seconds * 1000) }
  const level = ctx.path.startsWith('/health') ? 'debug' : 'info'
  log[level]({ ...ctx.state.loggedWith, ...line }, 'request')
}

const routeOf = (ctx: Context): string => String(ctx._matchedRoute ?? 'none')

/** Says of a request's span all that is neither a key, a value nor a secret: the route, not the path and the query. */
function describe(span: Span, ctx: Context): void {
  const route = routeOf(ctx)
  const { tenantKey } = ctx.state.loggedWith
  span.updateName(route === 'none' ? ctx.method : `${ctx.method} ${route}`)
  span.setAttributes({
    'http.request.method': ctx.method,
    'http.response.status_code': ctx.status,
    'url.scheme': ctx.protocol,
    ...(route === 'none' ? {} : { 'http.route': route }),
    ...(tenantKey ? { 'armature.tenant': tenantKey } : {}),
  })
  if (ctx.status < 500) return
  span.setAttribute('error.type', String(ctx.status))
  span.setStatus({ code: SpanStatusCode.ERROR })
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
