// Serves files that pages load. They are read once at the start, so no other file can be requested.
import type { Context } from 'koa'

export interface Asset {
  /** An extension or media type, as for Koa's `ctx.type`. */
  type: string
  content: string | Buffer
}

/**
 * Answers GET and HEAD with an asset, or with 304 if the browser already has it.
 * @param version changes with the content.
 * @returns false for any other method, which is left unanswered.
 */
export function answerAsset(
  ctx: Context,
  { type, content }: Asset,
  { version, cacheControl }: { version: string; cacheControl: string },
): boolean {
  if (!['GET', 'HEAD'].includes(ctx.method)) return false
  ctx.set('Cache-Control', cacheControl)
  ctx.type = type
  ctx.etag = version
  ctx.status = 200
  if (ctx.fresh) ctx.status = 304
  else ctx.body = content
  return true
}
