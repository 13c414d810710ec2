// Files that pages load. They are read once, so that nothing beside them can be asked for.
import type { Context } from 'koa'

export interface Asset {
  /** As Koa takes it: an extension or a media type. */
  type: string
  content: string | Buffer
}

/**
 * Answers GET and HEAD with an asset, or 304 where the browser has it.
 * @param version changes with the content.
 * @returns false for another method.
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
