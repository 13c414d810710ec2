// Texts that stand in the order of values: numbers as numbers, dates and times as such, texts as they are.
import type { StoredValue, StoredValues } from '../subjects/custom-fields.js'
import { heldIn, isList } from '../subjects/custom-fields.js'
import { comparableText, plainNumber } from '../subjects/subject-values.js'

/** Characters of a text that count for its order. */
const maxCharacters = 100

/** By what an owner of values is ordered by a field; undefined where it has no value, or several. */
export function sortTextOf(values: StoredValues, key: string): string | undefined {
  const value = heldIn(values, key)
  if (!value || isList(value)) return undefined
  return [...textOf(value)].slice(0, maxCharacters).join('')
}

const textOf = ([dataType, text]: StoredValue): string =>
  dataType === 'Integer' || dataType === 'Decimal' ? numberText(plainNumber(text)) : comparableText(text)

/** Greater than every power of ten of a number. */
const powers = 5_000

/**
 * A number as sign, power of ten and digits, so that texts compare as the numbers do. Of a negative number power and
 * digits are turned round; a letter, which is greater than every digit, ends it.
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
