import { finished } from 'node:stream/promises'
import type { Middleware } from 'koa'
import { onSilence } from '../../runtime/socket-silence.js'

/** A caller that sends nothing for so long, in ms, is not about to send the rest. */
const quietMs = 1_000

/**
 * Many callers look for an answer only when they have sent their whole body. So that none of them loses a 401 or 413, what
 * is left of the body is read and thrown away; an answer that closes the connection waits for that. Node's own limit for a
 * whole request (five minutes) ends those that never end.
 */
export const unreadBody: Middleware = async (ctx, next) => {
  await next()
  if (ctx.req.complete) return
  ctx.req.unpipe()
  ctx.req.resume()
  if (ctx.res.shouldKeepAlive) return
  const quiet = new AbortController()
  const timer = setTimeout(() => onSilence(ctx.req.socket, () => quiet.abort()), quietMs)
  ctx.req.on('data', () => timer.refresh())
  await finished(ctx.req, { signal: quiet.signal }).catch(() => undefined)
  clearTimeout(timer)
}
