// Drains request bodies that no handler has read.
import { finished } from 'node:stream/promises'
import type { Middleware } from 'koa'
import { onSilence } from '../../runtime/outbound/socket-silence.js'

/** How long a caller may send nothing, in ms, before we stop waiting for the rest. */
const quietMs = 1_000

/**
 * Reads and discards the rest of an unread body. Many callers look for a response only after they have sent their whole
 * body, and would miss a 401 or 413. If the connection is to be closed, it is kept until then; Node's limit of five
 * minutes per request ends it at the latest.
 */
export const unreadBody: Middleware = async (ctx, next) => {
  await next()
  if (ctx.req.complete) return
  ctx.req.unpipe()
  // A reader that has stopped early leaves this listener behind, and the stream would not flow with it.
  ctx.req.removeAllListeners('readable')
  ctx.req.resume()
  if (ctx.res.shouldKeepAlive) return
  const quiet = new AbortController()
  const timer = setTimeout(() => onSilence(ctx.req.socket, () => quiet.abort()), quietMs)
  ctx.req.on('data', () => timer.refresh())
  await finished(ctx.req, { signal: quiet.signal }).catch(() => undefined)
  clearTimeout(timer)
}
