// Reads small urlencoded forms of unauthenticated callers.
import type { Context } from 'koa'
import { koaBody } from 'koa-body'
import { badRequest, Problem } from '../../runtime/problems/problem.js'
import { tooLarge } from './body.js'
import { notSupported, requireUtf8 } from './form-fields.js'
import { contentEncodingRefused } from './multipart-parts.js'

const maxKilobytes = 64
const maxFields = 100

const read = koaBody({
  json: false,
  text: false,
  multipart: false,
  formLimit: maxKilobytes * 1024,
  // Names are taken literally, without nested lists or objects.
  queryString: {
    allowDots: false,
    depth: 0,
    duplicates: 'first',
    parameterLimit: maxFields,
    throwOnLimitExceeded: true,
    plainObjects: true,
  },
  // The parser's error quotes the body, which may contain a token.
  onError: error => {
    throw refusalOf(error)
  },
})

/**
 * Reads a small urlencoded form of an unauthenticated caller, such as a token and an address. If a name occurs twice,
 * the first field counts.
 * @throws Problem 413 for more than 64 KB or 100 fields; 415 for another content type or a Content-Encoding; 400 for a
 * body that breaks off.
 */
export async function smallForm(ctx: Context): Promise<ReadonlyMap<string, string>> {
  if (!ctx.is('urlencoded')) throw notSupported('Send the form as application/x-www-form-urlencoded.')
  requireUtf8(ctx)
  if (!['', 'identity'].includes(ctx.get('content-encoding'))) throw contentEncodingRefused
  await read(ctx, async () => undefined)
  const { body }: { body?: unknown } = ctx.request
  return new Map(Object.entries(Object(body)).map(([name, text]) => [name, String(text)]))
}

function refusalOf(error: Error): Problem {
  if (error instanceof RangeError) return new Problem('too-many-fields', `The form has more than ${maxFields} fields.`)
  if ('type' in error && error.type === 'entity.too.large') return tooLarge(`${maxKilobytes} KB`)
  return badRequest('unreadable-body', 'The body could not be read to its end.')
}
