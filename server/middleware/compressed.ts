// Compresses answers above 2 kB if the caller accepts gzip.
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Middleware } from 'koa'

const compress = promisify<Buffer, { level: number }, Buffer>(gzip)

/** Smaller answers fit into one or two packets anyway. */
const minBytes = 2_048

const isText = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|javascript)\b|image\/svg)/

/**
 * Compresses an answer that is in memory as a whole; server/streamed.ts compresses streams. The lowest level takes less
 * time than it saves even on a fast network, and another thread does the work.
 */
export const compressed: Middleware = async (ctx, next) => {
  await next()
  const { body, method, type } = ctx
  if (method === 'HEAD' || !isText.test(type) || ctx.response.get('Content-Encoding')) return
  ctx.vary('Accept-Encoding')
  if (ctx.acceptsEncodings('gzip', 'identity') !== 'gzip') return
  const isJson = Array.isArray(body) || Object.getPrototypeOf(body ?? 0) === Object.prototype
  const text = isJson ? JSON.stringify(body) : body
  if (typeof text !== 'string' && !Buffer.isBuffer(text)) return
  const bytes = Buffer.from(text)
  if (bytes.length < minBytes) return
  ctx.body = await compress(bytes, { level: 1 })
  ctx.set('Content-Encoding', 'gzip')
}
