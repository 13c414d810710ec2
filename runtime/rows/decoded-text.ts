// Decodes bytes by their charset and rejects invalid ones.
import { TextDecoder } from 'node:util'
import { parseMIMEType } from 'undici'

/**
 * Thrown for bytes that are not text, or not in the charset they claim. The message is the second half of a sentence.
 */
export class NotText extends Error {
  override readonly name = 'NotText'
}

/** Matches media types that are always binary. `image/svg+xml` and others that end in `+xml` or `+json` are text. */
const noText = /^(?:audio|font|image|model|video)\/(?!.*\+(?:json|xml)$)|^application\/(?:pdf|zip|gzip)$/i

/**
 * Decodes the body of an HTTP message. The charset comes from the byte order mark, the content type or the XML
 * declaration, in this order, and defaults to UTF-8. Invalid bytes are rejected, never replaced.
 * @throws NotText
 */
export function decodeText(bytes: Uint8Array, contentType: string | undefined): string {
  const type = parseMIMEType(contentType ?? '')
  const essence = type === 'failure' ? '' : type.essence
  if (noText.test(essence)) throw new NotText(`${essence} is no text`)
  const named = type === 'failure' ? undefined : type.parameters.get('charset')
  const text = decoded(bytes, charsetOfMark(bytes) ?? named ?? declaredCharset(bytes) ?? 'utf-8')
  if (!essence.startsWith('text/') && (binary.test(text) || text.startsWith('%PDF-'))) {
    throw new NotText('its bytes are no text')
  }
  return text
}

function decoded(bytes: Uint8Array, charset: string): string {
  const decoder = decoderOf(charset)
  return decodedPart(decoder, bytes) + decodedPart(decoder)
}

/** Creates a decoder. @throws NotText, which names the unknown charset if it looks like a name. */
function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset, { fatal: true })
  } catch {
    const name = /^[\w.:-]{1,40}$/.test(charset) ? ` ${charset}` : ' that it names'
    throw new NotText(`the charset${name} is unknown`)
  }
}

/**
 * Returns the charset that a byte order mark indicates. It takes precedence over the content type, as the Encoding
 * standard requires.
 */
function charsetOfMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined
}

const declaredCharset = (bytes: Uint8Array): string | undefined =>
  /^<\?xml\s[^>]*?encoding\s*=\s*["']([\w.-]+)["']/.exec(Buffer.from(bytes.subarray(0, 200)).toString('latin1'))?.[1]

/** Matches control characters that do not occur in text, as listed by the MIME Sniffing standard. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const binary = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/

/** The charsets of files that {@link toUtf8} reads, besides UTF-8. */
export const fileCharsets = ['windows-1252', 'utf-16'] as const

/**
 * Converts a file to UTF-8 while it is read. A file in UTF-16 must begin with a byte order mark, because nothing else says which byte of
 * a character comes first.
 * @throws NotText for bytes that are not in the charset.
 */
export async function* toUtf8(
  pieces: AsyncIterable<Uint8Array>,
  charset: (typeof fileCharsets)[number],
): AsyncGenerator<Buffer> {
  let decoder: TextDecoder | undefined
  let held: Uint8Array = new Uint8Array()
  for await (const piece of pieces) {
    if (decoder) {
      yield Buffer.from(decodedPart(decoder, piece))
      continue
    }
    held = Buffer.concat([held, piece])
    if (held.length < 3) continue
    decoder = decoderByMark(held, charset)
    yield Buffer.from(decodedPart(decoder, held))
  }
  const last = decoder ?? decoderByMark(held, charset)
  yield Buffer.from((decoder ? '' : decodedPart(last, held)) + decodedPart(last))
}

/** Creates the decoder of a file, from its first bytes. @throws NotText if their byte order mark is that of another charset. */
function decoderByMark(first: Uint8Array, charset: (typeof fileCharsets)[number]): TextDecoder {
  const marked = charsetOfMark(first)
  if (charset === 'windows-1252' && marked === undefined) return decoderOf(charset)
  if (charset === 'utf-16' && marked?.startsWith(charset)) return decoderOf(marked)
  throw new NotText(`its first bytes are ${marked ? `those of ${marked}` : 'no byte order mark'}`)
}

/** Decodes the next bytes, or the end if there are none. @throws NotText */
function decodedPart(decoder: TextDecoder, bytes?: Uint8Array): string {
  try {
    return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode()
  } catch {
    throw new NotText(`its bytes are not in the charset ${decoder.encoding}`)
  }
}
