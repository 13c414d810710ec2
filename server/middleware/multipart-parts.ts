// Parses multipart and urlencoded forms as a stream.
import type { IncomingMessage } from 'node:http'
import { finished, type Readable } from 'node:stream'
import { Busboy } from '@fastify/busboy'
import type { Turn } from '../../runtime/load/event-loop-queue.js'
import { badRequest, invalid, Problem } from '../../runtime/problems/problem.js'
import { inflated } from './body.js'
import { inSlices } from './stranger-queue.js'

/**
 * Limits in bytes for a text, a name and the head of a part, and for the number of parts. They are far above what our
 * forms need.
 */
const limits = { fieldSize: 16 * 1024, fieldNameSize: 1024, headerSize: 16 * 1024, headerPairs: 100, parts: 100 }

/** Overrides for forms that tenants design, whose texts may be as long as the whole form. */
type Limits = Partial<Pick<typeof limits, 'fieldSize' | 'parts'>>

/** The head of a part that is a file. */
export interface Part {
  name: string
  mediaType: string
}

interface Reading {
  /**
   * Tells whether a part is a file. The part's own head does not decide, because some clients give texts a content type
   * too.
   */
  isFile(name: string, fileName: string | undefined): boolean
  limits?: Limits
  /** The problem for a form above `maxBytes`; by default a 400. */
  tooLarge?: Problem
  /** Refuses a Content-Encoding with 415. Browsers do not compress forms, and nobody else needs to. */
  isPlain?: boolean
  /** If set, the form is read in slices, each of which waits for this turn. Used for strangers. */
  turn?: Turn | undefined
  /** Size limit of the whole form, decompressed. */
  maxBytes: number
  /** Called with the length of each piece that arrives. What it throws ends the reading. */
  onBytes?(length: number): void
  onText(name: string, text: string): void
  /** Consumes a file. What it leaves unread is discarded. If it fails, the form is read no further. */
  onFile(content: Readable, fileName: string, part: Part): Promise<void>
}

/**
 * Reads a form (multipart or urlencoded) part by part, no faster than the files are consumed. Settles when every
 * `onFile` has settled; if reading fails, the contents of unfinished files fail too.
 * @throws Problem 400 if the form is malformed, breaks off or does not end; 413 for too many parts; any error of
 * `onFile`.
 */
export async function readParts(request: IncomingMessage, reading: Reading): Promise<void> {
  if (Number(request.headers['content-length']) > reading.maxBytes) throw tooLarge(reading)
  if (reading.isPlain && (request.headers['content-encoding'] ?? 'identity') !== 'identity')
    throw contentEncodingRefused
  const parser = parserOf(request, reading)
  const content = inflated(request)
  const slices = reading.turn && inSlices(reading.turn)
  const files: { stream: Readable; work: Promise<void> }[] = []
  try {
    await new Promise<void>((resolve, reject) => {
      let parts = 0
      const maxParts = reading.limits?.parts ?? limits.parts
      const isOneTooMany = () => {
        parts++
        if (parts === maxParts + 1) reject(tooManyParts(maxParts))
        return parts > maxParts
      }
      parser.on('field', (name, text, isNameCut) => {
        if (isNameCut) reject(malformed(`The name of a field is longer than ${limits.fieldNameSize} bytes.`))
        else if (!isOneTooMany()) reading.onText(name ?? '', text)
      })
      parser.on('file', (name, stream, fileName, _, mediaType) => {
        if (isOneTooMany()) return void stream.resume()
        // The parser reports the same error.
        stream.on('error', () => undefined)
        // Later parts arrive only after this file has been read completely.
        const work = reading
          .onFile(stream, fileName ?? '', { name: name ?? '', mediaType })
          .finally(() => stream.resume())
        work.catch(reject)
        files.push({ stream, work })
      })
      parser.on('partsLimit', () => reject(tooManyParts(maxParts)))
      parser.on('error', () => reject(malformed('The form is malformed, or breaks off before its last boundary.')))
      parser.on('finish', resolve)
      finished(content, { writable: false }, error => {
        if (error) reject(badRequest('unreadable-body', 'The body could not be read to its end.'))
      })
      let received = 0
      content.on('data', (bytes: Buffer) => {
        received += bytes.length
        if (received > reading.maxBytes) reject(tooLarge(reading))
        try {
          reading.onBytes?.(bytes.length)
        } catch (error) {
          reject(error)
        }
      })
      const source = slices ? content.pipe(slices) : content
      source.pipe(parser)
    })
    await Promise.all(files.map(({ work }) => work))
  } catch (error) {
    // The request itself must not be destroyed, because the answer uses its connection.
    content.unpipe()
    slices?.unpipe().destroy()
    if (content !== request) content.destroy()
    for (const { stream } of files) stream.destroy(new Error('The form is not read any further'))
    await Promise.allSettled(files.map(({ work }) => work))
    throw error
  }
}

function parserOf(request: IncomingMessage, { isFile, limits: own }: Reading) {
  try {
    return new Busboy({
      headers: { 'content-type': request.headers['content-type'] ?? '' },
      limits: { ...limits, ...own },
      isPartAFile: (name, _, fileName) => isFile(name ?? '', fileName),
    })
  } catch {
    throw malformed('The content type of the form names no boundary.')
  }
}

/** Browsers do not compress forms. */
export const contentEncodingRefused = new Problem('content-encoding', 'Send the form without Content-Encoding.')

const tooManyParts = (max: number) => new Problem('too-many-fields', `The form has more than ${max} fields.`)

const malformed = (detail: string) => badRequest('malformed-form', detail)

function tooLarge({ maxBytes, tooLarge }: Reading): Problem {
  const detail = `The form is larger than ${maxBytes / 1024 / 1024} MB.`
  return tooLarge ?? invalid([{ pointer: '', code: 'too-large', detail }])
}
