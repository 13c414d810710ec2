// Turns values into texts that sort like the values: numbers by size, dates and times by time, texts as they are.

import { comparableText } from '../fields/comparable-text.js'
import type { StoredValue, StoredValues } from '../fields/custom-fields.js'
import { heldIn, isList } from '../fields/custom-fields.js'
import { plainNumber } from '../fields/matching.js'

/** How many characters of a text count for its order. */
const maxCharacters = 100

/** Returns the text by which a field orders the owner of these values. Returns undefined if the field has no value, or several. */
export function sortTextOf(values: StoredValues, key: string): string | undefined {
  const value = heldIn(values, key)
  if (!value || isList(value)) return undefined
  return [...textOf(value)].slice(0, maxCharacters).join('')
}

const textOf = ([dataType, text]: StoredValue): string =>
  dataType === 'Integer' || dataType === 'Decimal' ? numberText(plainNumber(text)) : comparableText(text)

/** More than the greatest power of ten that a number can have, so that adding it makes every power positive. */
const powers = 5_000

/**
 * Writes a number as a text that sorts like the number: a letter for the sign (`a` negative, `b` zero, `c` positive), then the power
 * of ten, then the digits. In negative numbers the power is negated and each digit is replaced by its complement to nine. They end in
 * a letter, which sorts after every digit, because -1.5 is less than -1.
 */
function numberText(plain: string): string {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(plain) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = digits.replace(/(?<!0)0+$/, '')
  if (significant === '') return 'b'
  const power = whole.replace(/^0+/, '').length || digits.length - fraction.length
  const width = String(2 * powers).length
  if (!sign) return `c${String(powers + power).padStart(width, '0')}${significant}`
  const turned = significant.replace(/\d/g, digit => String(9 - Number(digit)))
  return `a${String(powers - power).padStart(width, '0')}${turned}z`
}
