// A number type that keeps the digits of JSON numbers.

declare global {
  interface JSON {
    /** Makes a value that `JSON.stringify` writes as this text. ES2026, which TypeScript does not declare yet. */
    rawJSON(text: string): object
  }
}

/** Whether ExactNumbers are being written as numbers. */
let writesNumbers = false

/** A JSON number that a double would not write as it was written. It keeps its digits. */
export class ExactNumber {
  constructor(readonly text: string) {}
  toString(): string {
    return this.text
  }
  /** Returns the nearest double, with which comparisons and calculations work. */
  valueOf(): number {
    return Number(this.text)
  }

  // Liquid compares objects by these five, if they have all of them.
  equals(other: unknown): boolean {
    return isNumeric(other) && decimalValue(this.text) === decimalValue(String(other))
  }
  gt(other: unknown): boolean {
    return Number(this.text) > Number(other)
  }
  geq(other: unknown): boolean {
    return Number(this.text) >= Number(other)
  }
  lt(other: unknown): boolean {
    return Number(this.text) < Number(other)
  }
  leq(other: unknown): boolean {
    return Number(this.text) <= Number(other)
  }

  /**
   * Writes the number as a JSON string, and within {@link withExactNumbers} as a number. Code that reads a stored request accepts numbers
   * as strings.
   */
  toJSON(): string | object {
    return writesNumbers ? JSON.rawJSON(this.text) : this.text
  }
}

/** Runs `write`. Every ExactNumber that is written as JSON meanwhile is a number with all its digits. */
export function withExactNumbers(write: () => string): string {
  writesNumbers = true
  try {
    return write()
  } finally {
    writesNumbers = false
  }
}

/** Maximum exponent. Larger ones exceed every double and would only write out zeros. */
const maxExponent = 400

/**
 * Returns a double if it is written in the same way as the text, otherwise an ExactNumber with its exponent written
 * out. Numbers beyond the range of doubles become NaN.
 */
export function parseExactNumber(text: string): number | ExactNumber {
  const plain = /e/i.test(text) ? withoutExponent(text) : text
  const number = Number(plain)
  return String(number) === plain || !Number.isFinite(number) ? number : new ExactNumber(plain)
}

/**
 * Parses a number as {@link parseExactNumber} does, so that it is written again with all its digits: `77.50`.
 * @throws RangeError for a number beyond the range of doubles.
 */
export function parseAsWritten(text: string): number | ExactNumber {
  if (!Number.isFinite(Number(text))) throw new RangeError('A number is beyond all doubles')
  const number = parseExactNumber(text)
  return Number.isNaN(number) ? new ExactNumber(text) : number
}

/**
 * Returns a double if it has the same value as the text (`77.50`, `1e3`), otherwise an ExactNumber. Integers beyond
 * 2^53 are always exact, because their neighbours may have no double.
 * @throws RangeError for a number beyond the range of doubles.
 */
export function parseLossless(text: string): number | ExactNumber {
  const number = Number(text)
  if (!Number.isFinite(number)) throw new RangeError('A number is beyond all doubles')
  const isSafe = Number.isSafeInteger(number) || !Number.isInteger(number)
  return isSafe && decimalValue(text) === decimalValue(String(number)) ? number : new ExactNumber(text)
}

/** Tells whether a value is an integer, exact or not. */
export const isInteger = (value: unknown): boolean =>
  value instanceof ExactNumber ? !/e-/.test(decimalValue(value.text)) : Number.isInteger(value)

/** Normalizes a number to its significant digits and power of ten. Equal values give equal texts. */
function decimalValue(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = digits.replace(/(?<!0)0+$/, '')
  const power = Number(exponent) - fraction.length + digits.length - significant.length
  return significant === '' ? '0' : `${sign}${significant}e${power}`
}

/** Writes out the exponent of a number: `1.50e3` becomes `1500`, `1e-7` becomes `0.0000001`. */
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

/** Tells whether a value is a finite number, exact or not. */
export const isNumeric = (value: unknown): boolean =>
  value instanceof ExactNumber || (typeof value === 'number' && Number.isFinite(value))
