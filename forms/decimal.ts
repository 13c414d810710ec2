// Exact arithmetic with decimal numbers: they become whole numbers of 10^-18.

/** Digits after the decimal point that a number can have. */
const places = 18

/** Reads a decimal number such as `-12.50` in units of 10^-18. Returns undefined for any other text. */
export function scaled(text: string): bigint | undefined {
  const [, sign, whole = '', fraction = ''] = /^([+-]?)(\d{1,40})(?:\.(\d{1,18}))?$/.exec(text.trim()) ?? []
  if (sign === undefined) return undefined
  const value = BigInt(whole + fraction.padEnd(places, '0'))
  return sign === '-' ? -value : value
}

/**
 * Writes a number of {@link scaled} as text, without trailing zeros and with at most the 18 digits that a decimal can
 * have.
 */
export function unscaled(value: bigint): string {
  const digits = String(value < 0n ? -value : value).padStart(places + 1, '0')
  const whole = digits.slice(0, -places)
  const room = Math.max(0, places - (whole === '0' ? 0 : whole.length))
  const fraction = digits
    .slice(-places)
    .slice(0, room)
    .replace(/(?<!0)0+$/, '')
  return `${value < 0n ? '-' : ''}${whole}${fraction && `.${fraction}`}`
}
