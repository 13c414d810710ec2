import type { Readable } from 'node:stream'
import type { Context } from 'koa'
import { Problem } from '../../runtime/problem.js'
import { tooLarge } from './body.js'
import { type Part, readParts } from './form-parts.js'

/** A field of a form as its texts come, in their order. */
export type Field = readonly [name: string, text: string]

interface FormFields {
  /** Largest file that a field of this name takes, in bytes; 0: it takes none. */
  maxFileBytes?(name: string): number
  /** Most bytes of all that is kept; by default 32 MB. */
  maxBytes?: number
}

const megabyte = 1024 * 1024
/** Most that is kept of a form. */
const maxKept = 32 * megabyte
/** A file that is too large for its field is read past, so that all else that was entered can be shown again. */
const readPast = 4
/** Most fields of a page. To show one of a thousand again takes the process some 200 ms, in which it does nothing else. */
const maxFields = 3_000

/** Bounds of a form that carries a token and an address: strangers send it. */
export const smallForm = 64 * 1024

/**
 * Reads what an HTML form posts. A file becomes a text, a data URL; one that is too large for its field is cut off behind its
 * limit, so that whoever checks the value sees that; an empty one, which is what browsers send for none, is left out.
 * @throws Problem 413 for more than `maxBytes` or 3,000 fields, 415 for what is no form or is compressed, 400 for a malformed one.
 */
export async function formFields(
  ctx: Context,
  { maxFileBytes = () => 0, maxBytes = maxKept }: FormFields = {},
): Promise<Field[]> {
  requireForm(ctx)
  const fields: Field[] = []
  let kept = 0
  // The parser would not catch what is thrown here: what is too much is not kept, and said in the end.
  const keep = (name: string, text: string, size = text.length) => {
    kept += size
    if (kept <= maxBytes) fields.push([name, text])
  }
  const refusal = tooLarge(maxBytes < megabyte ? `${maxBytes / 1024} KB` : `${maxBytes / megabyte} MB`)
  await readParts(ctx.req, {
    isFile: (_, fileName) => fileName !== undefined,
    limits: { fieldSize: maxBytes + 1, parts: maxFields },
    maxBytes: maxBytes === maxKept ? readPast * maxBytes : maxBytes,
    tooLarge: refusal,
    isPlain: true,
    turn: ctx.state.turn,
    onText: (name, text) => keep(name, text),
    async onFile(content, _, part) {
      const file = await beginningOf(content, Math.min(maxFileBytes(part.name), maxBytes))
      if (file.length > 0) keep(part.name, dataUrl(file, part), file.length)
    },
  })
  if (kept > maxBytes) throw refusal
  return fields
}

/** @throws Problem 415 for what is no form in UTF-8. */
export function requireForm(ctx: Context): void {
  if (ctx.is('multipart/form-data')) return
  if (!ctx.is('urlencoded')) {
    const given = ctx.get('content-type') || 'a body without content type'
    throw notSupported(`Send a form (multipart/form-data or application/x-www-form-urlencoded), not ${given}.`)
  }
  if (!/^(utf-?8)?$/i.test(ctx.request.charset)) throw notSupported('Send the form in UTF-8.')
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
