// Reads the fields and files of a form page.
import type { Readable } from 'node:stream'
import type { Context } from 'koa'
import { Problem } from '../../runtime/problems/problem.js'
import { busy, tooLarge } from './body.js'
import { heldForms } from './held-forms.js'
import { type Part, readParts } from './multipart-parts.js'

/** A field and its text. A form's fields stay in the order in which they were sent. */
export type Field = readonly [name: string, text: string]

const megabyte = 1024 * 1024
/** How many bytes of a form are kept at most. */
const maxKept = 32 * megabyte
/**
 * A form may be this many times larger before reading stops, so that everything else can be shown again if one file is
 * too large.
 */
const readPast = 4
/** How many fields a page may have. To show a page of a thousand again blocks the process for some 200 ms. */
const maxFields = 3_000

const holdForm = heldForms()

/**
 * Reads the fields of an HTML form. A file becomes a data URL. A file that is too large is cut off just above its
 * limit, so that a later check still finds it too large. An empty file is skipped, because browsers send one if none
 * was chosen.
 * @param maxFileBytes returns the size limit for files of a field; 0 if it accepts none.
 * @throws Problem 413 for more than 32 MB or 3,000 fields; 415 if it is no form or compressed; 400 if it is malformed; 503 while other
 * forms take the memory for them.
 */
export async function formFields(ctx: Context, maxFileBytes: (name: string) => number): Promise<Field[]> {
  requireForm(ctx)
  const fields: Field[] = []
  let kept = 0
  // The parser would not pass on an error thrown here, so fields beyond the limit are dropped and refused at the end.
  const addField = (name: string, text: string, size = text.length) => {
    kept += size
    if (kept <= maxKept) fields.push([name, text])
  }
  const refusal = tooLarge(`${maxKept / megabyte} MB`)
  const hold = holdForm(ctx)
  let received = 0
  await readParts(ctx.req, {
    isFile: (_, fileName) => fileName !== undefined,
    limits: { fieldSize: maxKept + 1, parts: maxFields },
    maxBytes: readPast * maxKept,
    tooLarge: refusal,
    isPlain: true,
    turn: ctx.state.turn,
    onBytes(length) {
      received += length
      // More than that is not kept.
      if (received <= maxKept && !hold(length)) throw busy('Too many large forms are being sent.')
    },
    onText: (name, text) => addField(name, text),
    async onFile(content, _, part) {
      const file = await beginningOf(content, Math.min(maxFileBytes(part.name), maxKept))
      if (file.length > 0) addField(part.name, dataUrl(file, part), file.length)
    },
  })
  if (kept > maxKept) throw refusal
  return fields
}

/**
 * Refuses bodies that are not a form in UTF-8.
 * @throws Problem 415
 */
export function requireForm(ctx: Context): void {
  if (ctx.is('multipart/form-data')) return
  if (!ctx.is('urlencoded')) {
    const contentType = ctx.get('content-type') || 'a body without content type'
    throw notSupported(`Send a form (multipart/form-data or application/x-www-form-urlencoded), not ${contentType}.`)
  }
  requireUtf8(ctx)
}

/**
 * Refuses forms in another charset.
 * @throws Problem 415
 */
export function requireUtf8(ctx: Context): void {
  if (!/^(utf-?8)?$/i.test(ctx.request.charset)) throw notSupported('Send the form in UTF-8.')
}

/** Reads the content to its end, but returns at most one byte more than `most`. */
async function beginningOf(content: Readable, max: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of content) {
    if (size <= max && max > 0) pieces.push(piece)
    size += piece.length
  }
  return Buffer.concat(pieces).subarray(0, max + 1)
}

const dataUrl = (file: Buffer, { mediaType }: Part) => `data:${mediaType};base64,${file.toString('base64')}`

export const notSupported = (detail: string) => new Problem('content-type', detail)
