// Forwards each request to the cell of its tenant.
import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { Context, Middleware } from 'koa'
import { tenantMoving } from '../../db/errors.js'
import type { IsProxy } from '../../runtime/caller-address.js'
import { Problem, unavailable } from '../../runtime/problem.js'
import { traceParent } from '../../runtime/tracing.js'
import { logWith } from '../middleware/trace.js'
import { type CellAnswer, type CellCall, type CellCalls, isSilent, isUnsent } from './cell-calls.js'
import type { Directory, TenantName } from './directory.js'
import { type KeptBody, keptBody } from './kept-body.js'
import { answerHeaders, requestHeaders } from './passed-headers.js'
import { tenantNameOf } from './tenant-name.js'

export interface ForwardOptions {
  cells: readonly CellCalls[]
  directory: Pick<Directory, 'find' | 'findAgain'>
  isProxy: IsProxy
}

/** After so long another cell is asked, in ms, for what any cell can answer. Verifiers of tokens wait 5 s for our metadata. */
const silentMs = 1_500

/** The log says it of a caller that did not wait for its answer. */
const callerGone = 499

/**
 * Forwards a request to the cell of its tenant, and streams the answer. A request that names no tenant, or one that no cell has,
 * goes to the first cell that can be reached.
 */
export const forward =
  (options: ForwardOptions): Middleware =>
  async ctx => {
    const gone = whenGone(ctx.res)
    try {
      const body = await keptBody(ctx.req)
      await relay(ctx, await answerOf(ctx, { ...options, body, gone }), gone)
    } catch (error) {
      if (!gone.aborted && !ctx.req.errored) throw error
      ctx.respond = false
      ctx.status = callerGone
    }
  }

interface Forwarded extends ForwardOptions {
  body: KeptBody
  gone: AbortSignal
}

async function answerOf(ctx: Context, request: Forwarded): Promise<CellAnswer> {
  const { cells, directory, body } = request
  const name = tenantNameOf(ctx, body.whole)
  const place = name && (await directory.find(name))
  const candidates = place ? cells.filter(cell => cell.name === place.cell) : cells
  const { answer, cell } = await sent(ctx, request, candidates)
  return name && isMoved(answer) ? followed(ctx, request, { name, answer, from: cell }) : answer
}

/** The cell has sent the tenant to another one, and has done nothing. */
const isMoved = ({ statusCode, headers }: CellAnswer): boolean => statusCode === 421 && 'armature-cell' in headers

/**
 * Sends a request once more, to the cell that has the tenant now.
 * @returns the first answer where no cell of the router has the tenant.
 * @throws Problem 503 where the tenant is on its way, or the body was too large to be kept: callers repeat it.
 */
async function followed(
  ctx: Context,
  request: Forwarded,
  { name, answer, from }: { name: TenantName; answer: CellAnswer; from: string },
): Promise<CellAnswer> {
  const place = await request.directory.findAgain(name).catch(async (error: unknown) => {
    await answer.body.dump()
    throw error
  })
  if (!place || place.presence === 'moved') return answer
  await answer.body.dump()
  if (place.presence === 'arriving' || place.cell === from || !request.body.whole) throw tenantMoving()
  const again = await sent(
    ctx,
    request,
    request.cells.filter(cell => cell.name === place.cell),
  )
  if (!isMoved(again.answer)) return again.answer
  await again.answer.body.dump()
  throw tenantMoving()
}

/**
 * Sends a request to the first of some cells that can be reached. A read whose connection breaks is sent once more (RFC 9110,
 * 9.2.2). A read that any cell can answer goes on to the next one when a cell is silent.
 * @throws Problem 503 where no cell answers.
 */
async function sent(
  ctx: Context,
  request: Forwarded,
  [cell, ...others]: readonly CellCalls[],
  mayRepeat = isRead(ctx, request),
): Promise<{ answer: CellAnswer; cell: string }> {
  if (!cell) throw unavailable('The cell')
  logWith(ctx, { cell: cell.name })
  try {
    const isLast = others.length === 0 || !isRead(ctx, request)
    const call = { ...callOf(ctx, request), ...(isLast ? {} : { headersTimeout: silentMs }) }
    return { answer: await cell.send(call), cell: cell.name }
  } catch (error) {
    if (request.gone.aborted || error instanceof Problem) throw error
    const [unsent, silent] = [isUnsent(error), isSilent(error)]
    const isNext = (unsent && request.body.whole) || (silent && isRead(ctx, request))
    if (isNext && others.length > 0) return sent(ctx, request, others)
    if (mayRepeat && !unsent && !silent) return sent(ctx, request, [cell, ...others], false)
    throw unavailable('The cell', error, unsent ? 'Nothing was changed. ' : 'The outcome is not known. ')
  }
}

const isRead = ({ method }: Context, { body }: Forwarded): boolean =>
  body.whole !== undefined && ['GET', 'HEAD', 'OPTIONS'].includes(method)

function callOf(ctx: Context, { body, gone, isProxy }: Forwarded): CellCall {
  const replaced = new Map<string, string | undefined>([['x-request-id', ctx.state.loggedWith.requestId]])
  const parent = traceParent()
  if (parent) replaced.set('traceparent', parent)
  // undici counts the bytes.
  if (body.whole) replaced.set('content-length', undefined)
  return {
    method: ctx.method,
    path: pathOf(ctx),
    headers: requestHeaders(ctx.req, { isProxy, replaced }),
    body: body.whole ?? body.stream,
    signal: gone,
  }
}

/** Path and query as they were sent. An absolute address (RFC 9112, 3.2.2) names another host, which is not asked. */
function pathOf({ req: { url = '' } }: Context): string {
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '')
  if (path.startsWith('/')) return path
  if (path === '' || path.startsWith('?')) return `/${path}`
  throw new Problem('malformed-request', 'The target of the request is no path.')
}

/** Streams an answer to the caller. Where the cell breaks off, so does the answer. */
async function relay(ctx: Context, { statusCode, headers, body }: CellAnswer, gone: AbortSignal): Promise<void> {
  ctx.respond = false
  ctx.status = statusCode
  for (const [name, value] of answerHeaders(headers)) ctx.res.setHeader(name, value)
  body.once('error', (err: unknown) => {
    if (!gone.aborted) ctx.state.log.warn({ err }, 'the answer of the cell broke off')
  })
  // Both ends are closed then, and the listener has told of a cell's error.
  await pipeline(body, ctx.res).catch(() => undefined)
}

/** Aborted when the caller's connection ends before its answer. */
function whenGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) gone.abort()
  })
  return gone.signal
}
