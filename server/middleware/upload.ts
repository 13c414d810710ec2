// Lets handlers read bodies of any size as a stream.
import { isBulkheadRejectedError } from 'cockatiel'
import type { Context, Middleware } from 'koa'
import type { TSchema } from 'typebox'
import { createBulkheads } from '../../runtime/load/bulkheads.js'
import { badRequest, Problem } from '../../runtime/problems/problem.js'
import { busy, inflated, tooLarge } from './body.js'

/** A body that is stored while it arrives. */
export interface Upload {
  /** The accepted content types, with schemas for the description. */
  types: Record<string, TSchema>
  /** Size limit in bytes, decompressed. */
  maxBytes: number
  /** Whether requests with another body, or without one, are accepted. They have no upload. */
  isOptional?: true
}

/**
 * Reads an upload to its end. `keep` receives its content type and its bytes as a stream, which slows down the caller
 * if necessary.
 * @throws Problem 400 if it breaks off or is empty; 413 above the limit; 503 if too many uploads of the tenant are
 * waiting; any error of `keep`.
 */
export type ReadUpload = <Kept>(keep: (type: string, content: AsyncIterable<Buffer>) => Promise<Kept>) => Promise<Kept>

/** How many uploads of a tenant are read at once, each with some MB in memory, and how many more may wait. */
const atOnce = 4
const maxWaiting = 10

const uploads = createBulkheads<number | undefined>(atOnce, maxWaiting)

/**
 * Creates middleware that lets the handler read an upload. Answers 415 for another content type, charset or encoding.
 */
export function receiveUpload({ types, maxBytes, isOptional }: Upload): Middleware {
  return (ctx, next) => {
    if (isOptional && !ctx.is(...Object.keys(types))) return next()
    const type = requireType(ctx, Object.keys(types))
    const max = `${maxBytes / 1024 / 1024} MB`
    if (!ctx.get('content-encoding') && Number(ctx.get('content-length')) > maxBytes) throw tooLarge(max)
    const readUpload: ReadUpload = async keep => {
      const content = bounded(ctx, maxBytes, tooLarge(max))
      try {
        return await uploads.run(ctx.state.caller?.tenantId, () => keep(type, content))
      } catch (error) {
        throw isBulkheadRejectedError(error) ? busy(`${maxWaiting} uploads of this tenant are waiting already.`) : error
      }
    }
    ctx.state.readUpload = readUpload
    ctx.state.uploadType = type
    return next()
  }
}

function requireType(ctx: Context, types: string[]): string {
  const type = ctx.is(...types)
  if (type === null) throw badRequest('empty-body', `The body is empty; send ${types.join(' or ')}.`)
  if (type && /^(utf-?8|us-ascii)?$/i.test(ctx.request.charset)) return type
  const given = ctx.get('content-type') || 'a body without content type'
  const detail = `Send ${types.join(' or ')} in UTF-8, not ${given}. The parameter Charset says if CSV is in another charset.`
  throw new Problem('content-type', detail)
}

async function* bounded({ req }: Context, maxBytes: number, excess: Problem): AsyncGenerator<Buffer> {
  const content = inflated(req)
  let size = 0
  try {
    // The request itself must not be destroyed, because the answer uses its connection.
    for await (const piece of content.iterator({ destroyOnReturn: content !== req })) {
      size += piece.length
      if (size > maxBytes) throw excess
      yield piece
    }
  } catch (error) {
    throw error instanceof Problem ? error : badRequest('unreadable-body', 'The body could not be read to its end.')
  }
}
