/** Stands before the digits of a number while its JSON is written; `stringifyExactJson` takes it away. */
let markOfNumbers = ''

/** A JSON number that a double cannot hold as it is written: it keeps its digits. */
export class ExactNumber {
  constructor(readonly text: string) {}
  toString(): string {
    return this.text
  }
  /** Text in JSON: what reads a stored request again takes numbers from texts. */
  toJSON(): string {
    return markOfNumbers + this.text
  }
}

/** Runs `write`; what it writes as JSON has a mark before the digits of every ExactNumber. */
export function withMarkedNumbers(mark: string, write: () => string): string {
  markOfNumbers = mark
  try {
    return write()
  } finally {
    markOfNumbers = ''
  }
}

/** Larger exponents are beyond every double and would only write out zeros. */
const maxExponent = 400

/** The double where it says exactly the same, otherwise the text, an exponent written out; NaN beyond all doubles. */
export function parseExactNumber(text: string): number | ExactNumber {
  const plain = /e/i.test(text) ? withoutExponent(text) : text
  const number = Number(plain)
  return String(number) === plain || !Number.isFinite(number) ? number : new ExactNumber(plain)
}

/**
 * The double where it has the same value (`77.50`, `1e3`), otherwise the text as written. The text also for each
 * integer beyond 2^53, because its neighbours may have no double.
 * @throws RangeError beyond all doubles.
 */
export function parseLossless(text: string): number | ExactNumber {
  const number = Number(text)
  if (!Number.isFinite(number)) throw new RangeError('A number is beyond all doubles')
  const isSafe = Number.isSafeInteger(number) || !Number.isInteger(number)
  return isSafe && decimalValue(text) === decimalValue(String(number)) ? number : new ExactNumber(text)
}

/** The significant digits of a number and its power of ten: the same text for the same value. */
function decimalValue(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = digits.replace(/(?<!0)0+$/, '')
  const power = Number(exponent) - fraction.length + digits.length - significant.length
  return significant === '' ? '0' : `${sign}${significant}e${power}`
}

/** `1.50e3` → `1500`, `1e-7` → `0.0000001`. */
function withoutExponent(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent] = /^(-?)(\d+)(?:\.(\d+))?e([+-]?\d+)$/i.exec(text) ?? []
  const shift = Number(exponent)
  if (!(Math.abs(shift) <= maxExponent)) return 'NaN'
  const digits = '0'.repeat(Math.max(0, 1 - whole.length - shift)) + whole + fraction
  const point = Math.max(1, whole.length + shift)
  const before = digits
    .slice(0, point)
    .padEnd(point, '0')
    .replace(/^0+(?=\d)/, '')
  const after = digits.slice(point)
  return sign + before + (after && `.${after}`)
}

/** True for a finite number, exact or not. */
export const isNumeric = (value: unknown): boolean =>
  value instanceof ExactNumber || (typeof value === 'number' && Number.isFinite(value))
