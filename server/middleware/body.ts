// Reads and parses JSON request bodies within limits.
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { finished, pipeline, type Readable, Transform } from 'node:stream'
import { getHeapStatistics } from 'node:v8'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import { isBulkheadRejectedError } from 'cockatiel'
import type { Context, Middleware } from 'koa'
import { halfPair, parseExactJson } from '../../runtime/json/exact-json.js'
import { parseInBlocks } from '../../runtime/json/json-blocks.js'
import { type Excess, type JsonBounds, jsonBounds } from '../../runtime/json/json-bounds.js'
import { createBulkheads } from '../../runtime/load/bulkheads.js'
import { BudgetExceeded, createByteBudget } from '../../runtime/load/byte-budget.js'
import { largeWork } from '../../runtime/load/cooperative-work.js'
import type { Turn } from '../../runtime/load/event-loop-queue.js'
import { badRequest, invalid, Problem } from '../../runtime/problems/problem.js'
import type { Caller } from '../caller.js'
import { mediumBodies, quickBytes } from './stranger-queue.js'

const megabyte = 1024 * 1024
const limits = { '1mb': megabyte, '32mb': 32 * megabyte }
type Limit = keyof typeof limits

/** How a JSON body is read. */
interface BodyRules {
  /** Whether the body may be empty. It is then undefined. */
  optional?: boolean
  /** Whether numbers keep all their digits, because the endpoint's schema has places for them. */
  exact?: boolean
  /** Limits the number of items in lists. */
  boundsFor?(caller: Caller): JsonBounds
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
    const reading = bodyReading(ctx, limit, (caller && rules.boundsFor?.(caller)) ?? {})
    const finish = async ({ turn }: { turn: Turn }) => {
      if (reading.size() > quickBytes) await turn()
      ctx.state.pieces = turn
      ctx.state.body = await parseBody(ctx, reading, rules, turn)
      await next()
    }
    if (await reading.reads(megabyte)) return finish(mediumBodies)
    await inTurn(caller?.tenantId, reading.max, async settle => {
      await reading.reads(Number.POSITIVE_INFINITY, slowestMs)
      settle(reading.size())
      await finish(largeWork)
    })
  }
}

/**
 * How many bodies over 1 MB of one tenant may be in memory at once, from their second megabyte until they are answered,
 * and how many more may wait.
 */
const maxLarge = 2
const maxWaiting = 100
/** How long it may take to receive the bytes after the first megabyte, in ms. */
const slowestMs = 60_000

/** Large bodies by tenant. The key is undefined for operators who decrypt payloads of Temporal. */
const large = createBulkheads<number | undefined>(maxLarge, maxWaiting)

/**
 * Limits the bytes of large bodies across all tenants. A parsed body takes up to six times its bytes, so that all
 * together use at most three fifths of the heap. Few may wait, and not for long, because each already holds its first
 * megabyte in memory.
 */
const budget = createByteBudget({
  max: getHeapStatistics().heap_size_limit / 10,
  maxWaiting: 20,
  waitTimeoutMs: 30_000,
})

/**
 * Does work once the tenant and the process can take another large body.
 * @param bytes how many the body may have at most.
 * @throws Problem 503 if too many are waiting already.
 */
async function inTurn(
  tenantId: number | undefined,
  bytes: number,
  work: (settle: (actual: number) => void) => Promise<void>,
): Promise<void> {
  try {
    await large.run(tenantId, () => budget.run(bytes, work))
  } catch (error) {
    if (isBulkheadRejectedError(error)) throw busy(`${maxWaiting} bodies over 1 MB of this tenant wait already.`)
    throw error instanceof BudgetExceeded ? busy('Other bodies over 1 MB are being read.') : error
  }
}

export const busy = (why: string): Problem =>
  new Problem('busy', `${why} Nothing was done. Please try again.`, [], {
    'Retry-After': '5',
  })

/**
 * Parses a body. This is a function of its own so that neither bytes nor text stay referenced while the endpoint works.
 */
async function parseBody(ctx: Context, reading: Reading, { optional, exact }: BodyRules, turn: Turn): Promise<unknown> {
  const { bytes, hash } = await reading.taken(turn)
  if (ctx.get('idempotency-key')) ctx.state.bodyHash = hash
  if (optional && bytes.length === 0) return undefined
  const counted = { numbers: 0 }
  const parser = (text: string) => (exact ? parseExactJson(text, counted) : JSON.parse(text))
  requireUtf8(bytes)
  if (reading.longLists.length === 0) return parseJson(bytes.toString(), parser)
  return parseInBlocks(bytes, reading.longLists, (text, from) => parseJson(text, parser, from), turn)
}

/**
 * Reads a JSON body as text, decompressed.
 * @throws Problem 413 above the limit; 400 if it breaks off, is nested too deeply or is not in UTF-8.
 */
export async function readJsonText(ctx: Context, limit: Limit): Promise<string> {
  const reading = bodyReading(ctx, limit, {})
  await reading.reads(Number.POSITIVE_INFINITY)
  if (reading.size() > quickBytes) await mediumBodies.turn()
  const { bytes } = await reading.taken(mediumBodies.turn)
  requireUtf8(bytes)
  return bytes.toString()
}

function requireUtf8(bytes: Buffer): void {
  if (!isUtf8(bytes)) throw badRequest('not-utf-8', 'The body is not in UTF-8.')
}

type Reading = ReturnType<typeof bodyReading>

/** Prepares to read a body. Each piece is decompressed and checked as it arrives. */
function bodyReading(ctx: Context, limit: Limit, bounds: JsonBounds) {
  if (Number(ctx.get('content-length')) > limits[limit]) throw tooLarge(limit.replace('mb', ' MB'))
  const content = inflated(ctx.req)
  const look = jsonBounds(bounds)
  // Hashed piece by piece, because hashing 32 MB at once would block for 60 ms.
  const hash = createHash('sha256')
  const isHashed = ctx.get('idempotency-key') !== ''
  let pieces: Buffer[] = []
  let size = 0
  const fail = (problem: Problem): never => {
    if (content !== ctx.req) content.destroy()
    throw problem
  }
  const announced = content === ctx.req ? Number(ctx.get('content-length')) : 0
  return {
    /** The size that the caller announced, or else the limit. */
    max: announced || limits[limit],
    /** Returns how many bytes have been read. */
    size: () => size,
    /**
     * Reads until more than `most` bytes have arrived, or the body ends.
     * @param ms how long that may take.
     * @returns whether the body has ended.
     * @throws Problem 400, 408 or 413.
     */
    reads: (max: number, ms?: number): Promise<boolean> =>
      new Promise<boolean>((resolve, reject) => {
        let isSettled = false
        const goOn = () => {
          if (!isSettled) content.resume()
        }
        const settle = (done: () => void) => {
          content.off('data', onPiece).pause()
          clearTimeout(timer)
          stop()
          isSettled = true
          done()
        }
        const timer = ms === undefined ? undefined : setTimeout(() => settle(() => reject(tooSlow)), ms)
        const stop = finished(content, { writable: false }, error =>
          settle(() => (error ? reject(error instanceof Problem ? error : unreadable) : resolve(true))),
        )
        const onPiece = (piece: Buffer) => {
          pieces.push(piece)
          size += piece.length
          if (isHashed) hash.update(piece)
          const excess = look.at(piece)
          if (size > limits[limit]) settle(() => reject(tooLarge(limit.replace('mb', ' MB'))))
          else if (excess) settle(() => reject(problemOf(excess)))
          else if (size > max) settle(() => resolve(false))
          else if (size > megabyte) {
            content.pause()
            void largeWork.turn().then(goOn)
          }
        }
        content.on('data', onPiece).resume()
      }).catch(fail),
    get longLists() {
      return look.longLists
    },
    /**
     * Returns all bytes that were read, with their SHA-256 if there is an `Idempotency-Key`, and releases them. Call it
     * once.
     */
    async taken(turn: Turn): Promise<{ bytes: Buffer; hash: string }> {
      const bytes = await joinPieces(pieces, size, turn)
      pieces = []
      return { bytes, hash: isHashed ? hash.digest('hex') : '' }
    },
  }
}

/** Joins the pieces, giving way to other work after each megabyte, because joining 24 MB takes 60 ms. */
async function joinPieces(pieces: readonly Buffer[], size: number, turn: Turn): Promise<Buffer> {
  if (size <= megabyte) return Buffer.concat(pieces)
  const bytes = Buffer.allocUnsafeSlow(size)
  let at = 0
  let next = megabyte
  for (const piece of pieces) {
    at += piece.copy(bytes, at)
    if (at < next) continue
    next = at + megabyte
    await turn()
  }
  return bytes
}

function problemOf(excess: Excess): Problem {
  switch (excess.what) {
    case 'levels':
      return badRequest('too-deep', `The body has over ${excess.max} levels of lists and objects.`)
    case 'items':
      return invalid([
        { pointer: excess.pointer, code: 'too-many', detail: `It must have at most ${excess.max} items.` },
      ])
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
