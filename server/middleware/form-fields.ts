// Reads the fields and files of a form page.
import type { Readable } from 'node:stream'
import type { Context } from 'koa'
import { Problem } from '../../runtime/problem.js'
import { tooLarge } from './body.js'
import { type Part, readParts } from './multipart-parts.js'

/** A field of a form as its texts come, in their order. */
export type Field = readonly [name: string, text: string]

const megabyte = 1024 * 1024
/** Most that is kept of a form. */
const maxKept = 32 * megabyte
/** A file that is too large for its field is read past, so that all else that was entered can be shown again. */
const readPast = 4
/** Most fields of a page. To show one of a thousand again takes the process some 200 ms, in which it does nothing else. */
const maxFields = 3_000

/**
 * Reads the fields of an HTML form. A file becomes a data URL. An oversized file is cut off just above its limit, so
 * that the later check sees the excess. An empty file is skipped: browsers send one for no choice.
 * @param maxFileBytes largest file that a field of this name takes; 0: it takes none.
 * @throws Problem 413 for more than 32 MB or 3,000 fields; 415 for no form or a compressed one; 400 for a malformed
 *   one.
 */
export async function formFields(ctx: Context, maxFileBytes: (name: string) => number): Promise<Field[]> {
  requireForm(ctx)
  const fields: Field[] = []
  let kept = 0
  // The parser would not catch what is thrown here: what is too much is not kept, and said in the end.
  const keep = (name: string, text: string, size = text.length) => {
    kept += size
    if (kept <= maxKept) fields.push([name, text])
  }
  const refusal = tooLarge(`${maxKept / megabyte} MB`)
  await readParts(ctx.req, {
    isFile: (_, fileName) => fileName !== undefined,
    limits: { fieldSize: maxKept + 1, parts: maxFields },
    maxBytes: readPast * maxKept,
    tooLarge: refusal,
    isPlain: true,
    turn: ctx.state.turn,
    onText: (name, text) => keep(name, text),
    async onFile(content, _, part) {
      const file = await beginningOf(content, Math.min(maxFileBytes(part.name), maxKept))
      if (file.length > 0) keep(part.name, dataUrl(file, part), file.length)
    },
  })
  if (kept > maxKept) throw refusal
  return fields
}

/** @throws Problem 415 for what is no form in UTF-8. */
export function requireForm(ctx: Context): void {
  if (ctx.is('multipart/form-data')) return
  if (!ctx.is('urlencoded')) {
    const given = ctx.get('content-type') || 'a body without content type'
    throw notSupported(`Send a form (multipart/form-data or application/x-www-form-urlencoded), not ${given}.`)
  }
  requireUtf8(ctx)
}

/** @throws Problem 415 for a form in another charset. */
export function requireUtf8(ctx: Context): void {
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

export const notSupported = (detail: string) => new Problem('content-type', detail)
