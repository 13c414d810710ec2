// Reads and parses JSON request bodies within limits.
import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { pipeline, type Readable, Transform } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import { isBulkheadRejectedError } from 'cockatiel'
import type { Context, Middleware } from 'koa'
import { halfPair, parseExactJson } from '../../runtime/json/exact-json.js'
import { parseInBlocks } from '../../runtime/json/json-blocks.js'
import { type Excess, jsonBounds } from '../../runtime/json/json-bounds.js'
import { createBulkheads } from '../../runtime/load/bulkheads.js'
import { largeWork } from '../../runtime/load/cooperative-work.js'
import { badRequest, invalid, Problem } from '../../runtime/problems/problem.js'
import type { Caller } from '../caller.js'

const megabyte = 1024 * 1024
const limits = { '1mb': megabyte, '32mb': 32 * megabyte }
type Limit = keyof typeof limits

/** Size in bytes that can be parsed and checked within about 3 ms, whatever the content. */
const quickBytes = 16 * 1024

/** How a JSON body is read. */
interface BodyRules {
  /** Whether the body may be empty. It is then undefined. */
  optional?: boolean
  /** Whether numbers keep all their digits, because the endpoint's schema has places for them. */
  exact?: boolean
  /** Returns how many items a body that is a list may have. */
  maxItems?(caller: Caller): number | undefined
}

/**
 * Creates middleware that reads a JSON body into `ctx.state.body`, and its SHA-256 into `ctx.state.bodyHash` if there
 * is an `Idempotency-Key`. Only a few bodies over 1 MB are processed at once. Bodies over 16 KB are parsed one at a
 * time, and long lists in blocks of items, so that the event loop can serve other requests in between.
 * @throws Problem 415 for another content type, charset or encoding; 413 above the limit after decompression; 400 for
 * invalid JSON or UTF-8, for too many levels, and for a list that is too long.
 */
export function readBody(limit: Limit, rules: BodyRules = {}): Middleware {
  return async (ctx, next) => {
    requireJson(ctx)
    const caller: Caller | undefined = ctx.state.caller
    const reading = bodyReading(ctx, limit, caller && rules.maxItems?.(caller))
    const finish = async () => {
      ctx.state.body = await parseBody(ctx, reading, rules)
      await next()
    }
    if (await reading.readTo(megabyte)) return finish()
    await whenThereIsRoom(caller?.tenantId, async () => {
      await inTime(reading.readTo(Number.POSITIVE_INFINITY))
      await finish()
    })
  }
}

/**
 * How many bodies over 1 MB of one tenant may be in memory at once, from their second megabyte until they are answered,
 * and how many more may wait.
 */
const maxLarge = 2
const maxWaiting = 100

/** Large bodies by tenant. The key is undefined for operators who decrypt payloads of Temporal. */
const ofTenant = createBulkheads<number | undefined>(maxLarge, maxWaiting)

/**
 * Large bodies of all tenants. A parsed body takes up to six times its bytes, so that all together use at most three
 * fifths of the heap. Few may wait, because each already holds its first megabyte in memory.
 */
const ofAll = createBulkheads<'all'>(
  Math.max(1, Math.floor(getHeapStatistics().heap_size_limit / 10 / limits['32mb'])),
  20,
)

/**
 * Does work once the tenant and the process can take another large body.
 * @throws Problem 503 if too many are waiting already.
 */
async function whenThereIsRoom(tenantId: number | undefined, work: () => Promise<void>): Promise<void> {
  try {
    await ofTenant.run(tenantId, () => ofAll.run('all', work))
  } catch (error) {
    throw isBulkheadRejectedError(error) ? busy('Too many bodies over 1 MB wait already.') : error
  }
}

/** How long it may take to receive the bytes after the first megabyte, in ms. */
const slowestMs = 60_000

/** @throws Problem 408 if a body takes longer than {@link slowestMs}. */
async function inTime(reading: Promise<unknown>): Promise<void> {
  const late = new AbortController()
  const timer = sleep(slowestMs, undefined, { signal: late.signal }).then(() => {
    throw tooSlow
  })
  try {
    await Promise.race([reading, timer])
  } finally {
    timer.catch(() => undefined)
    late.abort()
  }
}

export const busy = (why: string): Problem =>
  new Problem('busy', `${why} Nothing was done. Please try again.`, [], {
    'Retry-After': '5',
  })

/**
 * Parses a body. This is a function of its own so that neither bytes nor text stay referenced while the endpoint works.
 */
async function parseBody(ctx: Context, reading: Reading, { optional, exact }: BodyRules): Promise<unknown> {
  const bytes = await reading.taken()
  if (ctx.get('idempotency-key')) ctx.state.bodyHash = hash('sha256', bytes)
  if (optional && bytes.length === 0) return undefined
  const counted = { numbers: 0 }
  const parser = (text: string) => (exact ? parseExactJson(text, counted) : JSON.parse(text))
  if (reading.longLists.length === 0) return parseJson(bytes.toString(), parser)
  return parseInBlocks(bytes, reading.longLists, (text, from) => parseJson(text, parser, from))
}

/**
 * Reads a JSON body as text, decompressed.
 * @throws Problem 413 above the limit; 400 if it breaks off, is nested too deeply or is not in UTF-8.
 */
export async function readJsonText(ctx: Context, limit: Limit): Promise<string> {
  const reading = bodyReading(ctx, limit)
  await reading.readTo(Number.POSITIVE_INFINITY)
  return (await reading.taken()).toString()
}

type Reading = ReturnType<typeof bodyReading>

/** Prepares to read a body. Each piece is decompressed and checked as it arrives. */
function bodyReading(ctx: Context, limit: Limit, maxItems?: number) {
  if (Number(ctx.get('content-length')) > limits[limit]) throw tooLarge(limit.replace('mb', ' MB'))
  const content = inflated(ctx.req)
  // It is never left early: that would destroy the request, whose answer is still to go out.
  const arriving: AsyncIterator<Buffer> = content[Symbol.asyncIterator]()
  const look = jsonBounds(maxItems)
  let pieces: Buffer[] = []
  let size = 0

  function take(piece: Buffer): void {
    pieces.push(piece)
    size += piece.length
    const excess = look.at(piece)
    if (size > limits[limit]) throw tooLarge(limit.replace('mb', ' MB'))
    if (excess) throw problemOf(excess)
  }

  return {
    /**
     * Reads until more than `max` bytes have arrived, or the body ends.
     * @returns whether the body has ended. @throws Problem 400 or 413.
     */
    async readTo(max: number): Promise<boolean> {
      try {
        while (size <= max) {
          const { done, value } = await arriving.next()
          if (done) return true
          take(value)
          if (size > megabyte) await largeWork.turn()
        }
        return false
      } catch (error) {
        if (content !== ctx.req) content.destroy()
        throw error instanceof Problem ? error : unreadable
      }
    },
    get longLists() {
      return look.longLists
    },
    /**
     * Returns all bytes that were read, and releases them. Call it once. Bodies over 16 KB wait for their turn.
     * @throws Problem 400 for bytes that are not UTF-8.
     */
    async taken(): Promise<Buffer> {
      if (size > quickBytes) await largeWork.turn()
      const bytes = Buffer.concat(pieces)
      pieces = []
      if (!isUtf8(bytes)) throw badRequest('not-utf-8', 'The body is not in UTF-8.')
      return bytes
    },
  }
}

function problemOf(excess: Excess): Problem {
  switch (excess.what) {
    case 'levels':
      return badRequest('too-deep', `The body has over ${excess.max} levels of lists and objects.`)
    case 'items':
      return invalid([{ pointer: '', code: 'too-many', detail: `It must have at most ${excess.max} items.` }])
    case 'all values':
      return new Problem('body-too-large', `The body has over ${excess.max} values.`)
    case 'containers':
      return new Problem('body-too-large', 'The body has too many lists and objects.')
    case 'values':
      return new Problem(
        'body-too-large',
        `An item of the body, or the part around its lists, has more than ${excess.max} values.`,
      )
  }
}

/**
 * Refuses bodies that are not JSON in UTF-8.
 * @throws Problem 415
 */
export function requireJson(ctx: Context): void {
  if (ctx.request.length === 0) return
  const utf8 = /^(utf-?8|us-ascii)?$/i.test(ctx.request.charset)
  if (utf8 && ctx.is('json', '+json') !== false) return
  const detail = `Send JSON in UTF-8 (content-type: application/json), not ${ctx.get('content-type') || 'a body without content type'}.`
  throw new Problem('content-type', detail)
}

/** How many times its compressed size a body may have after the first megabyte. Repetitive JSON reaches 20 to 40. */
const maxRatio = 100

/** Decompresses a body while it is read. The stream fails if the caller disconnects, or if the body expands too far. */
export function inflated(request: IncomingMessage): Readable {
  const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity'
  if (encoding === 'identity') return request
  if (!['gzip', 'deflate', 'br'].includes(encoding)) {
    const detail = 'Use gzip, deflate, br or no content encoding.'
    throw new Problem('content-encoding', detail)
  }
  const content = encoding === 'br' ? createBrotliDecompress() : createUnzip()
  let size = 0
  const bounded = new Transform({
    transform(piece: Buffer, _, done) {
      size += piece.length
      done(size > megabyte && size > maxRatio * content.bytesWritten ? tooMuchInflated : null, piece)
    },
  })
  // The request itself must not be destroyed, because the answer uses its connection.
  request.once('error', error => content.destroy(error))
  pipeline(request.pipe(content), bounded, () => undefined)
  return bounded
}

const tooMuchInflated = new Problem(
  'body-too-large',
  `The body inflates to over ${maxRatio} times its compressed size.`,
)

/**
 * Parses JSON.
 * @param from position of this part within the body, in bytes.
 * @throws Problem 400 for invalid JSON.
 */
export function parseJson(body: string, parser: (text: string) => unknown = JSON.parse, from = 0): unknown {
  if (halfPair.test(body)) {
    throw badRequest(
      'not-unicode',
      'The body has an escape of half a surrogate pair: \\ud800 to \\udfff may occur in pairs only.',
    )
  }
  if (from === 0 && body.trim() === '') throw badRequest('empty-body', 'The body is empty; send JSON.')
  try {
    return parser(body)
  } catch (error) {
    if (error instanceof Problem) throw error
    const why = error instanceof Error ? error.message : String(error)
    // The parser reports positions relative to its part.
    const where = from === 0 ? '' : ` after its first ${from} bytes`
    throw badRequest('malformed-json', `The body is no JSON${where}: ${why}`)
  }
}

const unreadable = badRequest('unreadable-body', 'The body could not be read to its end.')

const tooSlow = new Problem('body-too-slow', `The body did not come to its end within ${slowestMs / 1000} s.`)

/**
 * Creates the problem 413.
 * @param limit such as `1 MB`.
 */
export const tooLarge = (limit: string): Problem => new Problem('body-too-large', `The body is larger than ${limit}.`)
