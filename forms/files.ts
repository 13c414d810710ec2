// Checks files that are sent as data URLs.
import { type Checked, single, textOf, type Wrong, wrong } from './checked.js'
import type { Control } from './template.js'

/** Largest file that a control takes if it sets no limit of its own, in bytes. */
export const defaultMaxBytes = 2 * 1024 * 1024

/** Longest head of a data URL, `data:<media type>;…;base64`, in characters. */
const maxHeadLength = 300

/** Checks a file: a data URL with base64. */
export function dataUrl({ mediaTypes, maxBytes = defaultMaxBytes }: Control, given: unknown): Checked {
  const text = textOf(given) ?? ''
  const comma = text.slice(0, maxHeadLength).indexOf(',')
  const [, mediaType] =
    /^data:([a-z\d.+-]+\/[a-z\d.+-]+)(?:;[a-z\d-]+=[!#-+\--:<-~]+)*;base64$/i.exec(text.slice(0, Math.max(0, comma))) ??
    []
  const content = text.length - comma - 1
  if (mediaType === undefined || content % 4 !== 0) return noDataUrl
  if (mediaTypes && !mediaTypes.some(allowed => isOfType(mediaType.toLowerCase(), allowed.toLowerCase())))
    return wrong('media-type', `The file is ${mediaType}; allowed: ${mediaTypes.join(', ')}.`)
  // Checks the size before the pattern, which would read millions of characters.
  const bytes = (content / 4) * 3 - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0)
  if (bytes > maxBytes) return tooLarge(bytes, maxBytes)
  return /^[A-Za-z\d+/]*={0,2}$/.test(text.slice(comma + 1)) ? single(text) : noDataUrl
}

const noDataUrl = wrong('data-url', 'It is not a file as a data URL (data:<media type>;base64,…).')

/** Compares media types. @param allowed such as `image/png` or `image/*`. */
const isOfType = (mediaType: string, allowed: string): boolean =>
  allowed.endsWith('/*') ? mediaType.startsWith(allowed.slice(0, -1)) : mediaType === allowed

/** Builds the fault of a file that is larger than its control allows. A page shows it before the upload. */
export function tooLarge(bytes: number, maxBytes: number): Wrong {
  const [size, max] = [sizeOf(bytes), sizeOf(maxBytes)]
  // The server stops reading a posted file one byte beyond the limit, so the real size is not known here.
  const isCut = size === max
  return wrong(
    'too-large',
    isCut ? `The file is larger than ${max}.` : `The file has ${size}; at most ${max} are allowed.`,
  )
}

const sizeOf = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KB` : `${Math.round((bytes / 1024 / 1024) * 10) / 10} MB`
