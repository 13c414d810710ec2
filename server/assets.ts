// Answers that are the same for everybody: files that pages load, and descriptions. Each is made once, at the start.
import { hash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { Context } from 'koa'

export interface Asset {
  /** An extension or media type, as for Koa's `ctx.type`. */
  type: string
  content: Buffer
  /** Made when it is first asked for, and kept. */
  gzipped(): Buffer
  /** Changes with the content. */
  version: string
}

export function assetOf(type: string, text: string | Buffer): Asset {
  const content = Buffer.from(text)
  let gzipped: Buffer | undefined
  return {
    type,
    content,
    gzipped() {
      gzipped ??= gzipSync(content)
      return gzipped
    },
    version: hash('sha256', content).slice(0, 12),
  }
}

/** For documents that are the same for everybody and change only with a release. */
export const publicDocument = 'public, max-age=60'

/**
 * Answers GET and HEAD with an asset, compressed if the caller accepts gzip, or with 304 if it already has the asset.
 * @returns false for any other method, which is left unanswered.
 */
export function answerAsset(ctx: Context, asset: Asset, cacheControl = publicDocument): boolean {
  if (!['GET', 'HEAD'].includes(ctx.method)) return false
  ctx.set('Cache-Control', cacheControl)
  ctx.type = asset.type
  // Weak, because the same content is sent with and without compression.
  ctx.etag = `W/"${asset.version}"`
  ctx.vary('Accept-Encoding')
  ctx.status = 200
  if (ctx.fresh) {
    ctx.status = 304
    return true
  }
  const isGzip = !isPicture.test(asset.type) && ctx.acceptsEncodings('gzip', 'identity') === 'gzip'
  if (isGzip) ctx.set('Content-Encoding', 'gzip')
  ctx.body = isGzip ? asset.gzipped() : asset.content
  return true
}

/** Pictures are compressed already. */
const isPicture = /png/
