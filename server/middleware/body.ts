import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import type { Context, Middleware } from 'koa'
import rawBody from 'raw-body'
import { halfPair, parseExactJson } from '../../runtime/exact-json.js'
import { badRequest, Problem } from '../../runtime/problem.js'

const megabyte = 1024 * 1024
const limits = { '1mb': megabyte, '32mb': 32 * megabyte }
type Limit = keyof typeof limits

/**
 * Reads a JSON body into `ctx.state.body`, and its SHA-256 into `ctx.state.bodyHash` where an `Idempotency-Key` needs it.
 * Answers 415 for another content type, charset or encoding, 413 above the limit (which counts what was inflated), 400 for
 * what is no JSON in UTF-8.
 * @param optional no bytes at all are no fault, and leave the body undefined.
 * @param exact numbers keep their digits: the endpoint's schema has places for them.
 */
export function readBody(limit: Limit, { optional = false, exact = false } = {}): Middleware {
  return async (ctx, next) => {
    requireJson(ctx)
    ctx.state.body = await read(ctx, limit, { optional, exact })
    await next()
  }
}

/** A fraction, an exponent, 16 digits or a negative zero at the begin of a number: all others a double holds as they are written. */
const mayRound = /(?:^|[:,[\s])(?:-?\d+[.eE]|-?\d{16}|-0)/

/** Its own function, so that neither bytes nor text are held while the endpoint works. */
async function read(
  ctx: Context,
  limit: Limit,
  { optional, exact }: { optional: boolean; exact: boolean },
): Promise<unknown> {
  const bytes = await readBytes(ctx, limit)
  if (ctx.get('idempotency-key')) ctx.state.bodyHash = hash('sha256', bytes, 'hex')
  if (optional && bytes.length === 0) return undefined
  const text = bytes.toString()
  return parseJson(text, exact && mayRound.test(text) ? parseExactJson : JSON.parse)
}

/** All bytes of a body, inflated. @throws Problem 413 above the limit, 400 where it breaks off or is not in UTF-8. */
export async function readBytes(ctx: Context, limit: Limit): Promise<Buffer> {
  const content = inflated(ctx.req)
  const length = (content === ctx.req && ctx.req.headers['content-length']) || null
  const bytes = await rawBody(content, { limit: limits[limit], length }).catch((error: unknown) => {
    if (content !== ctx.req) content.destroy()
    throw unreadable(error, limit)
  })
  if (!isUtf8(bytes)) throw badRequest('not-utf-8', 'The body is not in UTF-8.')
  return bytes
}

/** @throws Problem 415 for a body of another content type or charset. */
export function requireJson(ctx: Context): void {
  if (ctx.request.length === 0) return
  const utf8 = /^(utf-?8|us-ascii)?$/i.test(ctx.request.charset)
  if (utf8 && ctx.is('json', '+json') !== false) return
  const detail = `Send JSON in UTF-8 (content-type: application/json), not ${ctx.get('content-type') || 'a body without content type'}.`
  throw new Problem(415, 'content-type', 'The content type is not supported', detail)
}

/** The body as it was before the caller compressed it. A caller that goes away ends it with an error. */
export function inflated(request: IncomingMessage): Readable {
  const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity'
  if (encoding === 'identity') return request
  if (!['gzip', 'deflate', 'br'].includes(encoding)) {
    const detail = 'Use gzip, deflate, br or no content encoding.'
    throw new Problem(415, 'content-encoding', 'The content encoding is not supported', detail)
  }
  const content = encoding === 'br' ? createBrotliDecompress() : createUnzip()
  request.once('error', error => content.destroy(error))
  return request.pipe(content)
}

/** @throws Problem 400 for what is no JSON. */
export function parseJson(body: string, parser: (text: string) => unknown = JSON.parse): unknown {
  if (halfPair.test(body)) {
    throw badRequest(
      'not-unicode',
      'The body has an escape of half a character: \\ud800 to \\udfff come in pairs only.',
    )
  }
  if (body.trim() === '') throw badRequest('empty-body', 'The body is empty; send JSON.')
  try {
    return parser(body)
  } catch (error) {
    throw badRequest('malformed-json', `The body is no JSON: ${error instanceof Error ? error.message : error}`)
  }
}

function unreadable(error: unknown, limit: string): Problem {
  if (Object(error).type !== 'entity.too.large')
    return badRequest('unreadable-body', 'The body could not be read to its end.')
  return tooLarge(limit.replace('mb', ' MB'))
}

/** @param limit such as `1 MB`. */
export const tooLarge = (limit: string): Problem =>
  new Problem(413, 'body-too-large', 'The body is too large', `The body is larger than ${limit}.`)
