// Streaming parser for multipart and urlencoded forms.
import type { IncomingMessage } from 'node:http'
import { finished, type Readable } from 'node:stream'
import { Busboy } from '@fastify/busboy'
import type { Turn } from '../../runtime/passes.js'
import { badRequest, invalid, Problem } from '../../runtime/problem.js'
import { inflated } from './body.js'
import { inSlices } from './turns.js'

/** Longest text, longest name and longest head of a part in bytes, and most parts: far more than a form of ours needs. */
const limits = { fieldSize: 16 * 1024, fieldNameSize: 1024, headerSize: 16 * 1024, headerPairs: 100, parts: 100 }

/** Texts of forms that tenants design are as long as the form may be. */
type Limits = Partial<Pick<typeof limits, 'fieldSize' | 'parts'>>

/** The head of a file's part. */
export interface Part {
  name: string
  mediaType: string
}

interface Reading {
  /** Whether the part of this name is a file, whatever its head says: some clients give texts a content type too. */
  isFile(name: string, fileName: string | undefined): boolean
  limits?: Limits
  /** The refusal of a form above `maxBytes`; by default 400. */
  tooLarge?: Problem
  /** Browsers compress no form, and strangers need not: 415 for a Content-Encoding. */
  isPlain?: boolean
  /** Turns of a stranger, who has the form read in slices. */
  turn?: Turn | undefined
  /** Most bytes of the whole form, inflated. */
  maxBytes: number
  onText(name: string, text: string): void
  /** Takes a file; what it leaves of it is thrown away. Where it fails, the form is read no further. */
  onFile(content: Readable, fileName: string, part: Part): Promise<void>
}

/**
 * Reads a form (multipart or urlencoded) part by part, in the order they come and no faster than the files are taken. Settles
 * when every `onFile` has; where it fails, their contents have failed too.
 * @throws Problem 400 where the form is malformed, breaks off or does not end; 413 for too many parts; what `onFile` throws.
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
      const mostParts = reading.limits?.parts ?? limits.parts
      const isOneTooMany = () => {
        parts++
        if (parts === mostParts + 1) reject(tooManyParts(mostParts))
        return parts > mostParts
      }
      parser.on('field', (name, text, isNameCut) => {
        if (isNameCut) reject(malformed(`The name of a field is longer than ${limits.fieldNameSize} bytes.`))
        else if (!isOneTooMany()) reading.onText(name ?? '', text)
      })
      parser.on('file', (name, stream, fileName, _, mediaType) => {
        if (isOneTooMany()) return void stream.resume()
        // The parser tells the same.
        stream.on('error', () => undefined)
        // The parts behind it come after the last of its bytes.
        const work = reading
          .onFile(stream, fileName ?? '', { name: name ?? '', mediaType })
          .finally(() => stream.resume())
        work.catch(reject)
        files.push({ stream, work })
      })
      parser.on('partsLimit', () => reject(tooManyParts(mostParts)))
      parser.on('error', () => reject(malformed('The form is malformed, or breaks off before its last boundary.')))
      parser.on('finish', resolve)
      finished(content, { writable: false }, error => {
        if (error) reject(badRequest('unreadable-body', 'The body could not be read to its end.'))
      })
      let received = 0
      content.on('data', (bytes: Buffer) => {
        received += bytes.length
        if (received > reading.maxBytes) reject(tooLarge(reading))
      })
      const source = slices ? content.pipe(slices) : content
      source.pipe(parser)
    })
    await Promise.all(files.map(({ work }) => work))
  } catch (error) {
    // The request itself stays: the answer goes out on its connection.
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

/** Browsers compress no form. */
export const contentEncodingRefused = new Problem('content-encoding', 'Send the form without Content-Encoding.')

const tooManyParts = (most: number) => new Problem('too-many-fields', `The form has more than ${most} fields.`)

const malformed = (detail: string) => badRequest('malformed-form', detail)

function tooLarge({ maxBytes, tooLarge }: Reading): Problem {
  const detail = `The form is larger than ${maxBytes / 1024 / 1024} MB.`
  return tooLarge ?? invalid([{ pointer: '', code: 'too-large', detail }])
}
