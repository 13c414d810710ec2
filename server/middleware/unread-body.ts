// Drains request bodies that no handler has read.
import { finished } from 'node:stream/promises'
import type { Middleware } from 'koa'
import { onSilence } from '../../runtime/socket-silence.js'

/** A caller that sends nothing for so long, in ms, is not about to send the rest. */
const quietMs = 1_000

/**
 * Reads and discards the rest of an unread body. Many callers look for a response only after their whole body, and
 * would miss a 401 or 413. A closing connection waits for that; Node's request limit of five minutes ends it at last.
 */
export const unreadBody: Middleware = async (ctx, next) => {
  await next()
  if (ctx.req.complete) return
  ctx.req.unpipe()
  // An iterator that was left in the middle still listens, and a stream with such a listener does not flow.
  ctx.req.removeAllListeners('readable')
  ctx.req.resume()
  if (ctx.res.shouldKeepAlive) return
  const quiet = new AbortController()
  const timer = setTimeout(() => onSilence(ctx.req.socket, () => quiet.abort()), quietMs)
  ctx.req.on('data', () => timer.refresh())
  await finished(ctx.req, { signal: quiet.signal }).catch(() => undefined)
  clearTimeout(timer)
}
