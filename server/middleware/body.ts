// Reads and parses JSON request bodies with limits.
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { finished, pipeline, type Readable, Transform } from 'node:stream'
import { getHeapStatistics } from 'node:v8'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import { isBulkheadRejectedError } from 'cockatiel'
import type { Context, Middleware } from 'koa'
import { createBulkheads } from '../../runtime/bulkheads.js'
import { BudgetExceeded, createByteBudget } from '../../runtime/byte-budget.js'
import { halfPair, parseExactJson } from '../../runtime/exact-json.js'
import { parseInBlocks } from '../../runtime/json-blocks.js'
import { type Excess, type JsonBounds, jsonBounds } from '../../runtime/json-bounds.js'
import { largeWork } from '../../runtime/large-work.js'
import type { Turn } from '../../runtime/passes.js'
import { badRequest, invalid, Problem } from '../../runtime/problem.js'
import type { Caller } from '../caller.js'
import { mediumBodies, quickBytes } from './turns.js'

const megabyte = 1024 * 1024
const limits = { '1mb': megabyte, '32mb': 32 * megabyte }
type Limit = keyof typeof limits

/** How a JSON body is read. */
interface BodyRules {
  /** No bytes at all are no fault, and leave the body undefined. */
  optional?: boolean
  /** Numbers keep their digits: the endpoint's schema has places for them. */
  exact?: boolean
  /** Most items of lists. */
  boundsFor?(caller: Caller): JsonBounds
}

/**
 * Reads a JSON body into `ctx.state.body`, and its SHA-256 into `ctx.state.bodyHash` where an `Idempotency-Key` needs
 * it. Bodies over 1 MB take turns. Each pass of the event loop parses one body over 16 KB, or a block of its items,
 * so other requests proceed.
 * @throws Problem 415 for another content type, charset or encoding; 413 above the limit (after decompression).
 *   Problem 400 for invalid JSON or UTF-8, too many levels, or a list that is too long.
 */
export function readBody(limit: Limit, rules: BodyRules = {}): Middleware {
  return async (ctx, next) => {
    requireJson(ctx)
    const caller: Caller | undefined = ctx.state.caller
    const reading = bodyReading(ctx, limit, (caller && rules.boundsFor?.(caller)) ?? {})
    const finish = async ({ turn }: { turn: Turn }) => {
      if (reading.size() > quickBytes) await turn()
      ctx.state.pieces = turn
      ctx.state.body = await parsed(ctx, reading, rules, turn)
      await next()
    }
    if (await reading.reads(megabyte)) return finish(mediumBodies)
    await inTurn(caller?.tenantId, reading.most, async settle => {
      await reading.reads(Number.POSITIVE_INFINITY, slowestMs)
      settle(reading.size())
      await finish(largeWork)
    })
  }
}

/** Bodies over 1 MB of a tenant that are in memory at once, from their second megabyte to their answer; more wait. */
const maxLarge = 2
const maxWaiting = 100
/** Longest time for all bytes behind the first megabyte, in ms. */
const slowestMs = 60_000

/** By tenant; undefined: operators, who open what Temporal holds. */
const large = createBulkheads<number | undefined>(maxLarge, maxWaiting)

/**
 * Of all tenants together. Parsed, a body takes up to six times its bytes: all of them take three fifths of the heap. Few wait,
 * and not for long: each has its first megabyte in memory.
 */
const budget = createByteBudget({
  most: getHeapStatistics().heap_size_limit / 10,
  mostWaiting: 20,
  waitMs: 30_000,
})

/** @param bytes that the body may have. @throws Problem 503 where too many wait already. */
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

/** Its own function, so that neither bytes nor text are held while the endpoint works. */
async function parsed(ctx: Context, reading: Reading, { optional, exact }: BodyRules, turn: Turn): Promise<unknown> {
  const { bytes, hash } = await reading.taken(turn)
  if (ctx.get('idempotency-key')) ctx.state.bodyHash = hash
  if (optional && bytes.length === 0) return undefined
  const counted = { numbers: 0 }
  const parser = (text: string) => (exact ? parseExactJson(text, counted) : JSON.parse(text))
  requireUtf8(bytes)
  if (reading.longLists.length === 0) return parseJson(bytes.toString(), parser)
  return parseInBlocks(bytes, reading.longLists, (text, from) => parseJson(text, parser, from), turn)
}

/** The text of a JSON body, inflated. @throws Problem 413 above the limit, 400 where it breaks off, is too deep or not in UTF-8. */
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

/** Reads a body, inflated, piece by piece, and looks at each as it arrives. */
function bodyReading(ctx: Context, limit: Limit, bounds: JsonBounds) {
  if (Number(ctx.get('content-length')) > limits[limit]) throw tooLarge(limit.replace('mb', ' MB'))
  const content = inflated(ctx.req)
  const look = jsonBounds(bounds)
  // In pieces too: of 32 MB it takes 60 ms.
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
    /** Most bytes that it may have. */
    most: announced || limits[limit],
    /** Bytes that were read. */
    size: () => size,
    /**
     * Reads until there are more bytes than `most`. @param ms the longest time for it.
     * @returns whether the body has come to its end. @throws Problem 400, 408 or 413.
     */
    reads: (most: number, ms?: number): Promise<boolean> =>
      new Promise<boolean>((resolve, reject) => {
        let isSettled = false
        const goOn = () => {
          if (!isSettled) content.resume()
        }
        const settle = (done: () => void) => {
          content.off('data', take).pause()
          clearTimeout(timer)
          stop()
          isSettled = true
          done()
        }
        const timer = ms === undefined ? undefined : setTimeout(() => settle(() => reject(tooSlow)), ms)
        const stop = finished(content, { writable: false }, error =>
          settle(() => (error ? reject(error instanceof Problem ? error : unreadable) : resolve(true))),
        )
        const take = (piece: Buffer) => {
          pieces.push(piece)
          size += piece.length
          if (isHashed) hash.update(piece)
          const excess = look.at(piece)
          if (size > limits[limit]) settle(() => reject(tooLarge(limit.replace('mb', ' MB'))))
          else if (excess) settle(() => reject(problemOf(excess)))
          else if (size > most) settle(() => resolve(false))
          else if (size > megabyte) {
            content.pause()
            void largeWork.turn().then(goOn)
          }
        }
        content.on('data', take).resume()
      }).catch(fail),
    get longLists() {
      return look.longLists
    },
    /** All that was read, once, and its SHA-256 where an `Idempotency-Key` needs it. */
    async taken(turn: Turn): Promise<{ bytes: Buffer; hash: string }> {
      const bytes = await joined(pieces, size, turn)
      pieces = []
      return { bytes, hash: isHashed ? hash.digest('hex') : '' }
    },
  }
}

/** The pieces in one. Of 24 MB that takes 60 ms, so that it takes turns. */
async function joined(pieces: readonly Buffer[], size: number, turn: Turn): Promise<Buffer> {
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
      return badRequest('too-deep', `The body has over ${excess.most} levels of lists and objects.`)
    case 'items':
      return invalid([
        { pointer: excess.pointer, code: 'too-many', detail: `It must have at most ${excess.most} items.` },
      ])
    case 'containers':
      return new Problem('body-too-large', 'The body has too many lists and objects.')
    case 'values':
      return new Problem(
        'body-too-large',
        `An item of the body, or what stands around its lists, has over ${excess.most} values.`,
      )
  }
}

/** @throws Problem 415 for a body of another content type or charset. */
export function requireJson(ctx: Context): void {
  if (ctx.request.length === 0) return
  const utf8 = /^(utf-?8|us-ascii)?$/i.test(ctx.request.charset)
  if (utf8 && ctx.is('json', '+json') !== false) return
  const detail = `Send JSON in UTF-8 (content-type: application/json), not ${ctx.get('content-type') || 'a body without content type'}.`
  throw new Problem('content-type', detail)
}

/** Most bytes that a compressed one becomes, behind the first megabyte: repetitive JSON has 20 to 40. */
const maxRatio = 100

/** The body as it was before the caller compressed it. A caller that goes away ends it with an error, and so does a bomb. */
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
  // The request itself stays: the answer goes out on its connection.
  request.once('error', error => content.destroy(error))
  pipeline(request.pipe(content), bounded, () => undefined)
  return bounded
}

const tooMuchInflated = new Problem(
  'body-too-large',
  `The body inflates to over ${maxRatio} times its compressed size.`,
)

/** @param from the place of a piece of the body, in bytes. @throws Problem 400 for what is no JSON. */
export function parseJson(body: string, parser: (text: string) => unknown = JSON.parse, from = 0): unknown {
  if (halfPair.test(body)) {
    throw badRequest(
      'not-unicode',
      'The body has an escape of half a character: \\ud800 to \\udfff come in pairs only.',
    )
  }
  if (from === 0 && body.trim() === '') throw badRequest('empty-body', 'The body is empty; send JSON.')
  try {
    return parser(body)
  } catch (error) {
    if (error instanceof Problem) throw error
    const why = error instanceof Error ? error.message : String(error)
    // The parser counts from the beginning of its piece.
    const where = from === 0 ? '' : ` behind its first ${from} bytes`
    throw badRequest('malformed-json', `The body is no JSON${where}: ${why}`)
  }
}

const unreadable = badRequest('unreadable-body', 'The body could not be read to its end.')

const tooSlow = new Problem('body-too-slow', `The body did not come to its end within ${slowestMs / 1000} s.`)

/** @param limit such as `1 MB`. */
export const tooLarge = (limit: string): Problem => new Problem('body-too-large', `The body is larger than ${limit}.`)
