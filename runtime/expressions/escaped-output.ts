// Escapes the values of a template by the place where they come to stand.
import { Drop } from 'liquidjs'
import { stringifyExactJson } from '../json/exact-json.js'

/** The kind of text that a template produces, which decides how inserted values are escaped. In a plain `text` they are not. */
export type Place = 'text' | 'address' | 'json' | 'form' | 'markup'

/** Filters that escape for a place themselves, so that their results are not escaped again. */
export const escapingFilters: Record<Place, readonly string[]> = {
  text: [],
  address: ['url_encode', 'cgi_escape'],
  json: ['json'],
  form: ['url_encode', 'cgi_escape'],
  markup: ['escape', 'escape_once', 'xml_escape'],
}

/** Writes a list or an object as JSON and everything else as Liquid would. */
export function written(value: unknown): string {
  return typeof value === 'object' && value !== null ? stringifyExactJson(value) : String(value ?? '')
}

/** A value on its way into the output, as opposed to the author's own text. Where it is captured first, it becomes its text. */
class Inserted {
  readonly value: unknown
  constructor(value: unknown) {
    // The engine represents `nil` and similar values by objects of its own (Drop).
    this.value = value instanceof Drop ? value.valueOf() : value
  }
  toString(): string {
    return written(this.value)
  }
}

/** Marks a value of a template for {@link outputOf}, unless its last filter is `raw`. */
export const inserted = (value: unknown): unknown => new Inserted(value)

/**
 * Collects the output of a template.
 * @param longest maximum length in characters.
 * @param tooLong makes the error to throw beyond that.
 */
export function outputOf(place: Place, longest: number, tooLong: () => Error) {
  let isInString = false
  return {
    buffer: '',
    write(part: unknown) {
      const text = part instanceof Inserted ? escapes[place](part.value, this.buffer, isInString) : written(part)
      if (this.buffer.length + text.length > longest) throw tooLong()
      // A value that was escaped neither opens nor closes a string.
      if (place === 'json' && !(part instanceof Inserted)) isInString = isInString !== hasOddQuotes(text)
      this.buffer += text
    },
  }
}

/** @param before what has been written until now. @param isInString whether a JSON string is open there. */
type Escape = (value: unknown, before: string, isInString: boolean) => string

const escapes: Record<Place, Escape> = {
  text: written,
  // A value at the very beginning may be a link, which callAddress keeps below the provider. A port may follow a host.
  address: (value, before) => {
    if (before.trim() === '') return written(value)
    const encoded = percentEncoded(written(value))
    return endsInHost.test(before) ? encoded.replaceAll('%3A', ':') : encoded
  },
  json: (value, _, isInString) =>
    isInString ? JSON.stringify(written(value)).slice(1, -1) : stringifyExactJson(value ?? null),
  form: value => percentEncoded(written(value)),
  markup: value => written(value).replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`),
}

const endsInHost = /^\s*[a-z][a-z\d+.-]*:\/\/[^/?#]*$/i

/** Half a surrogate pair has no percent-encoding, so it becomes the replacement character, as in a URL. */
const percentEncoded = (text: string): string => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'))

function hasOddQuotes(json: string): boolean {
  let quotes = 0
  for (const [token] of json.matchAll(/\\.|"/gs)) if (token === '"') quotes++
  return quotes % 2 === 1
}

/**
 * Returns the place that a body is, by the template of its content type.
 * @param otherwise the content type of a step that names none.
 * @returns undefined if it is not known how values of this type are escaped.
 */
export function placeOfBody(headers: Readonly<Record<string, string>>, otherwise: string): Place | undefined {
  const [, named] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type') ?? []
  const [type = ''] = (named ?? otherwise).trim().toLowerCase().split(/[;\s]/, 1)
  if (type === 'text/plain') return 'text'
  if (type === 'application/x-www-form-urlencoded') return 'form'
  if (/^[\w.+-]+\/([\w.+-]+\+)?(x?html|xml)$/.test(type)) return 'markup'
  return /^[\w.+-]+\/([\w.+-]+\+)?json$/.test(type) ? 'json' : undefined
}
