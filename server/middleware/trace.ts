// Assigns request ids and trace context, opens the request's span and writes its log line.
import { randomUUID } from 'node:crypto'
import { type Span, SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { parseTraceParent } from '@opentelemetry/core'
import type { Context, DefaultState, Middleware, Next } from 'koa'
import type { Log } from '../../runtime/observe/log.js'
import { below, inSpan, isTracing } from '../../runtime/observe/tracing.js'
import { countRequest } from '../metrics.js'

/**
 * Creates middleware that gives every request its ids and its log line. The trace id is that of the span, or else the
 * caller's (W3C `traceparent`), or else the request id, which is the caller's `X-Request-Id` or a new one. Problems
 * show the trace id.
 */
export const trace =
  (log: Log): Middleware =>
  (ctx, next) => {
    // Health checks are requested every few seconds and would only clutter the traces.
    if (!isTracing() || isCheck(ctx.path)) return logRequest(log, ctx, next)
    const options = { kind: SpanKind.SERVER, parent: below(ctx.get('traceparent')) }
    return inSpan(ctx.method, options, async span => {
      await logRequest(log, ctx, next, span)
      if (span) describe(span, ctx)
    })
  }

const isCheck = (path: string): boolean => /^\/health\b/.test(path)

async function logRequest(log: Log, ctx: Context, next: Next, span?: Span): Promise<void> {
  const started = performance.now()
  const requestId = /^[\w.:-]{1,64}$/.exec(ctx.get('x-request-id'))?.[0] ?? randomUUID()
  const traceId = span?.spanContext().traceId ?? parseTraceParent(ctx.get('traceparent'))?.traceId ?? requestId
  ctx.state.traceId = traceId
  ctx.state.loggedWith = { traceId, requestId }
  lazyLog(ctx.state, log)
  ctx.set('X-Request-Id', requestId)
  await next()
  const seconds = (performance.now() - started) / 1000
  countRequest(ctx.method, routeOf(ctx), ctx.status, seconds)
  const line = { method: ctx.method, path: ctx.path, status: ctx.status, ms: Math.round(seconds * 1000) }
  const level = ctx.path.startsWith('/health') ? 'debug' : 'info'
  log[level]({ ...ctx.state.loggedWith, ...line }, 'request')
}

const routeOf = (ctx: Context): string => String(ctx._matchedRoute ?? 'none')

/** Describes a request in its span without keys, values or secrets: with the route instead of the path and query. */
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

/** Creates a request's log on first use, because most requests log only their final line. */
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

/** Adds fields to all further log lines of the request. */
export function logWith({ state }: Context, known: Record<string, string>): void {
  state.loggedWith = { ...state.loggedWith, ...known }
}
