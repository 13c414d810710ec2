// Reads the cells of columns whose dates or numbers are written in another form than the API writes them.
import Format from 'typebox/format'

const tokens = /yyyy|MM?|dd?/g

/**
 * Returns true for a format with one year of four digits, one month and one day. Parts of one or two digits need something between
 * them, because without it a date could be read in two ways.
 */
export function isDateFormat(format: string): boolean {
  const parts = format.match(tokens) ?? []
  const between = format.split(tokens)
  const isOnce = ['y', 'M', 'd'].every(letter => parts.filter(part => part.startsWith(letter)).length === 1)
  const isSeparated = parts.every(part => part.length > 1) || between.slice(1, -1).every(text => text !== '')
  return isOnce && parts.length === 3 && isSeparated && between.every(text => /^[./ -]{0,3}$/.test(text))
}

/** Reads a date of a certain format. Returns it as `1980-01-31`, or undefined if the text is no such date. */
export function readDate(text: string, format: string): string | undefined {
  const pattern = format
    .replace(/[./-]/g, '\\$&')
    .replace(tokens, ({ length }) => (length === 1 ? '(\\d\\d?)' : `(\\d{${length}})`))
  const found = new RegExp(`^${pattern}$`).exec(text)?.slice(1)
  if (!found) return undefined
  const parts = (format.match(tokens) ?? []).map((part, n): [string, string] => [part.charAt(0), found[n] ?? ''])
  const { y, M = '', d = '' } = Object.fromEntries(parts)
  const date = `${y}-${M.padStart(2, '0')}-${d.padStart(2, '0')}`
  return Format.IsDate(date) ? date : undefined
}

/** Writes the last day of 1980 in a format, as an example. */
export const exampleDate = (format: string): string =>
  format.replace(tokens, part => (part === 'yyyy' ? '1980' : part.startsWith('M') ? '12' : '31'))

/** Reads a number with a decimal comma. Returns it with a point, or undefined if the text is no such number. */
export const readDecimalComma = (text: string): string | undefined =>
  /^[+-]?\d+(,\d+)?$/.test(text) ? text.replace(',', '.') : undefined
