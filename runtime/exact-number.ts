/** A JSON number that a double cannot hold as it is written: it keeps its digits. */
export class ExactNumber {
  constructor(readonly text: string) {}
  toString(): string {
    return this.text
  }
}

/** The double where it says exactly the same, otherwise the text. Exponents are written out by the double. */
export function parseExactNumber(text: string): number | ExactNumber {
  const number = Number(text)
  return String(number) === text || /e/i.test(text) ? number : new ExactNumber(text)
}

/** True for a finite number, exact or not. */
export const isNumeric = (value: unknown): boolean =>
  value instanceof ExactNumber || (typeof value === 'number' && Number.isFinite(value))
