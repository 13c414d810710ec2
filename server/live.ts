// Sends an answer again whenever it changes, as server-sent events (decision record 0085).
import { finished, Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context, Middleware } from 'koa'
import { workBelow } from '../runtime/observe/tracing.js'
import { Problem } from '../runtime/problems/problem.js'
import { stopping } from '../runtime/process/shutdown.js'
import { JsonText } from './json-text.js'
import { problemDocument, problemOf } from './middleware/problem.js'

/** How many streams of one tenant may be open in this process. */
const mostOfTenant = 50
/** Pause between two rounds of a stream, in ms. */
const pauseMs = 1_000
/**
 * A round that takes long is followed by a pause that many times as long. All streams of a tenant together therefore keep
 * no more than one database connection busy.
 */
const pausePerWork = mostOfTenant
/** After a silence of so many ms a comment is sent, so that no proxy takes the connection for dead. */
const silenceMs = 15_000
/** How soon a client reconnects after the end of a stream, in ms. */
const retryMs = 2_000

/** The open streams by tenant. */
const open = new Map<number, number>()

/** Says in the API description how a live answer is watched. */
export const liveNote =
  'With `Accept: text/event-stream` the answer comes as an event, and again whenever it changes, until the token ends.'

/**
 * Creates middleware that answers callers who accept nothing but server-sent events.
 * @param read reads the answer's body, after checking anew that the caller may have it. It is called about each second.
 * @throws Problem 429 if the tenant has too many streams.
 */
export const live =
  (read: (ctx: Context) => Promise<unknown>): Middleware =>
  async (ctx, next) => {
    if (ctx.method !== 'GET' || ctx.accepts('json') || !ctx.accepts('text/event-stream')) return next()
    const { tenantId }: { tenantId: number } = ctx.state.caller
    const others = open.get(tenantId) ?? 0
    if (others >= mostOfTenant) {
      const detail = `The tenant watches ${mostOfTenant} answers already. Close one of them, or ask without \`Accept: text/event-stream\`.`
      throw new Problem('too-many-streams', detail, [], { 'Retry-After': '5' })
    }
    const closed = new AbortController()
    open.set(tenantId, others + 1)
    // Also tells of a caller who has left already.
    finished(ctx.res, () => {
      closed.abort()
      open.set(tenantId, (open.get(tenantId) ?? 1) - 1)
      if (open.get(tenantId) === 0) open.delete(tenantId)
    })
    const textOf = async () => textOfBody(await read(ctx))
    const first = await textOf()
    ctx.status = 200
    ctx.type = 'text/event-stream'
    // Tells nginx to pass events on at once.
    ctx.set('X-Accel-Buffering', 'no')
    ctx.body = Readable.from(events(ctx, first, textOf, AbortSignal.any([stopping, closed.signal])), {
      objectMode: false,
      highWaterMark: 1,
    })
  }

/** The body as JSON. Lists are JSON already. */
const textOfBody = (body: unknown): string => (body instanceof JsonText ? String(body) : JSON.stringify(body))

/** Yields the events of a stream until `end`, or until the answer is refused, which the last event says. */
async function* events(ctx: Context, first: string, read: () => Promise<string>, end: AbortSignal) {
  yield `retry: ${retryMs}\n\ndata: ${first}\n\n`
  let sent = first
  let sentAt = performance.now()
  let nextAt = 0
  for (;;) {
    await sleep(pauseMs, undefined, { signal: end }).catch(() => undefined)
    if (end.aborted) return
    const now = performance.now()
    let text: string | Problem = sent
    if (now >= nextAt) {
      // Rounds are not part of the request's trace, which would otherwise grow for an hour.
      text = await workBelow(null, read).catch((error: unknown) => problemOf(ctx, error))
      nextAt = now + (1 + pausePerWork) * (performance.now() - now)
    }
    if (text instanceof Problem) {
      yield `event: problem\ndata: ${JSON.stringify(problemDocument(ctx, text))}\n\n`
      return
    }
    if (text === sent && now - sentAt < silenceMs) continue
    yield text === sent ? ':\n\n' : `data: ${text}\n\n`
    sent = text
    sentAt = now
  }
}
