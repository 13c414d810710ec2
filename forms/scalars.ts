// Checks values that are a single text: numbers, booleans, URLs, times.
import { type Checked, single, textOf, type Wrong, wrong } from './checked.js'
import { scaled } from './decimal.js'
import type { Control } from './template.js'

/** A kind of value that is a single text. */
interface Scalar {
  /** Normalizes the spelling of a value. Returns undefined for a text that is not of this kind. */
  written: (text: string) => string | undefined
  /** Names the kind in an error message, with an example: "a time, such as 14:30". */
  what: string
  /** Compares two normalized texts; negative if the first is smaller. */
  compare: (one: string, other: string) => number
  /** True if error messages say "before" and "after" in place of "less" and "more". */
  isTime?: boolean
}

export const byText = (one: string, other: string): number => (one < other ? -1 : Number(one > other))
const byNumber = (one: string, other: string): number => Number((scaled(one) ?? 0n) - (scaled(other) ?? 0n))

/** Creates the check for a kind of value. */
export function scalar(kind: Scalar) {
  return (control: Control, given: unknown): Checked => {
    const text = textOf(given)?.trim()
    const value = text === undefined ? undefined : kind.written(text)
    if (value === undefined) return wrong(control.dataType, `It is not ${kind.what}.`)
    return outOfRange(control, value, kind) ?? single(value)
  }
}

/** Compares a value with the control's bounds. They are normalized first, since authors may write them in any spelling. */
export function outOfRange(
  { min, max, unit }: Control,
  value: string,
  { written, compare, isTime = false }: Omit<Scalar, 'what'>,
): Wrong | undefined {
  const [lowest, highest] = [min, max].map(bound => (bound === undefined ? undefined : written(bound)))
  const shown = (bound = '') => `${bound}${unit ? ` ${unit}` : ''}`
  if (lowest !== undefined && compare(value, lowest) < 0)
    return wrong('too-low', `It is ${isTime ? 'before' : 'less than'} ${shown(min)}.`)
  if (highest !== undefined && compare(value, highest) > 0)
    return wrong('too-high', `It is ${isTime ? 'after' : 'more than'} ${shown(max)}.`)
  return undefined
}

/** Checks a whole number of at most 18 digits. */
export const integer = scalar({
  written: text => (/^[+-]?\d{1,18}$/.test(text) ? String(BigInt(text.replace('+', ''))) : undefined),
  what: 'a whole number, such as 12',
  compare: byNumber,
})

/**
 * Checks a decimal number of at most 18 digits. Trailing zeros stay as written. `1,500` is refused because it could mean 1.5 or
 * 1500.
 */
export const decimal = scalar({
  written(text) {
    if (/^[+-]?[1-9]\d{0,2},\d{3}$/.test(text)) return undefined
    const [, sign, whole = '', fraction = ''] = /^([+-]?)(\d{0,18})(?:[.,](\d{1,18}))?$/.exec(text) ?? []
    const known = whole.replace(/^0+/, '')
    // XML Schema requires readers to support 18 digits, not more.
    if (whole + fraction === '' || known.length + fraction.length > 18) return undefined
    const digits = `${known || '0'}${fraction && `.${fraction}`}`
    return sign === '-' && /[1-9]/.test(digits) ? `-${digits}` : digits
  },
  what: 'a number, such as 1500 or 12.5',
  compare: byNumber,
})

export const boolean = scalar({
  written: text => (/^(true|false)$/i.test(text) ? text.toLowerCase() : undefined),
  what: 'yes or no (true or false)',
  compare: byText,
})

/** Longest web address, in characters. */
const maxUrlLength = 2_000

export const url = scalar({
  written(text) {
    if (text.length > maxUrlLength || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined
    const { href } = new URL(text)
    // Characters outside ASCII are percent-encoded, so the address may have become longer.
    return href.length > maxUrlLength ? undefined : href
  },
  what: 'a web address, such as https://example.org',
  compare: byText,
})

export const time = scalar({
  written(text) {
    const [, hours, minutes, seconds = '00'] = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.0+)?)?$/.exec(text) ?? []
    return hours && `${hours}:${minutes}:${seconds}`
  },
  what: 'a time, such as 14:30',
  compare: byText,
  isTime: true,
})
