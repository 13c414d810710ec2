// Checks of values that are one text: numbers, booleans, URLs, times.
import { type Checked, single, textOf, type Wrong, wrong } from './checked.js'
import { scaled } from './decimal.js'
import type { Control } from './template.js'

/** A kind of value that is one text. */
interface Scalar {
  /** The text in its one way of writing; undefined for what is none of the kind. */
  written: (text: string) => string | undefined
  /** In words, with an example of how to write it. */
  what: string
  /** Negative where the first is the smaller, of texts as they are written. */
  compare: (one: string, other: string) => number
  isTime?: boolean
}

export const byText = (one: string, other: string): number => (one < other ? -1 : Number(one > other))
const byNumber = (one: string, other: string): number => Number((scaled(one) ?? 0n) - (scaled(other) ?? 0n))

/** Makes the check of a kind of value. */
export function scalar(kind: Scalar) {
  return (control: Control, given: unknown): Checked => {
    const text = textOf(given)?.trim()
    const value = text === undefined ? undefined : kind.written(text)
    if (value === undefined) return wrong(control.dataType, `It is not ${kind.what}.`)
    return outOfRange(control, value, kind) ?? single(value)
  }
}

/** Bounds count however their author wrote them. */
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

/** A whole number of at most 18 digits. */
export const integer = scalar({
  written: text => (/^[+-]?\d{1,18}$/.test(text) ? String(BigInt(text.replace('+', ''))) : undefined),
  what: 'a whole number, such as 12',
  compare: byNumber,
})

/** A decimal number of at most 18 digits; those behind its point stay as they are written. `1,500` could be two numbers, so it is none. */
export const decimal = scalar({
  written(text) {
    if (/^[+-]?[1-9]\d{0,2},\d{3}$/.test(text)) return undefined
    const [, sign, whole = '', fraction = ''] = /^([+-]?)(\d{0,18})(?:[.,](\d{1,18}))?$/.exec(text) ?? []
    const known = whole.replace(/^0+/, '')
    // More than that not every reader of XML Schema can hold.
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
    // Letters that an address cannot have are written with several characters.
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
