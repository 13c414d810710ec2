import type { Readable } from 'node:stream'
import type { Context } from 'koa'
import { Problem } from '../../runtime/problem.js'
import { readBytes, tooLarge } from './body.js'
import { type Part, readParts } from './form-parts.js'

/** A field of a form as its texts come, in their order. */
export type Field = readonly [name: string, text: string]

interface FormFields {
  /** Largest file that a field of this name takes, in bytes; 0: it takes none. */
  maxFileBytes?(name: string): number
}

const megabyte = 1024 * 1024
/** Most that is kept of a form. */
const maxKept = 32 * megabyte
/** Most that is read: a file that is too large for its field is read past, so that all else that was entered can be shown again. */
const maxRead = 128 * megabyte
/** One for each value of a form, and for each iteration. */
const maxParts = 50_000

/**
 * Reads what an HTML form posts. A file becomes a text, a data URL; one that is too large for its field is cut off behind its
 * limit, so that whoever checks the value sees that; an empty one, which is what browsers send for none, is left out.
 * @throws Problem 413 for more than 32 MB, 415 for what is no form, 400 for a malformed one.
 */
export function formFields(ctx: Context, options: FormFields = {}): Promise<Field[]> {
  if (ctx.is('multipart/form-data')) return multipart(ctx, options)
  if (ctx.is('urlencoded')) return urlencoded(ctx)
  const given = ctx.get('content-type') || 'a body without content type'
  throw notSupported(`Send a form (multipart/form-data or application/x-www-form-urlencoded), not ${given}.`)
}

async function urlencoded(ctx: Context): Promise<Field[]> {
  if (!/^(utf-?8)?$/i.test(ctx.request.charset)) throw notSupported('Send the form in UTF-8.')
  return [...new URLSearchParams((await readBytes(ctx, '32mb')).toString())]
}

async function multipart(ctx: Context, { maxFileBytes = () => 0 }: FormFields): Promise<Field[]> {
  const fields: Field[] = []
  let kept = 0
  // The parser would not catch what is thrown here: what is too much is not kept, and said in the end.
  const keep = (name: string, text: string, size = text.length) => {
    kept += size
    if (kept <= maxKept) fields.push([name, text])
  }
  await readParts(ctx.req, {
    isFile: (_, fileName) => fileName !== undefined,
    limits: { fieldSize: maxKept + 1, parts: maxParts },
    maxBytes: maxRead,
    tooLarge: tooLarge('32 MB'),
    onText: (name, text) => keep(name, text),
    async onFile(content, _, part) {
      const file = await beginningOf(content, Math.min(maxFileBytes(part.name), maxKept))
      if (file.length > 0) keep(part.name, dataUrl(file, part), file.length)
    },
  })
  if (kept > maxKept) throw tooLarge('32 MB')
  return fields
}

/** The content up to one byte more than `most`. */
async function beginningOf(content: Readable, most: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of content) {
    if (size <= most && most > 0) pieces.push(piece)
    size += piece.length
  }
  return Buffer.concat(pieces).subarray(0, most + 1)
}

const dataUrl = (file: Buffer, { mediaType }: Part) => `data:${mediaType};base64,${file.toString('base64')}`

const notSupported = (detail: string) => new Problem(415, 'content-type', 'The content type is not supported', detail)
