// Results of checking one value, and readers for values whose shape is not known yet.
import type { AnswerFaultCode } from './fault-codes.js'
import type { Content } from './values.js'

/** The result of a check: the value in its normalized spelling, or what is wrong with it. */
export type Checked = { content: Content } | Wrong

/** A fault of a value: a code for programs, a sentence for people. */
export interface Wrong {
  code: AnswerFaultCode
  detail: string
}

export const wrong = (code: AnswerFaultCode, detail: string): Wrong => ({ code, detail })
export const single = (value: string): Checked => ({ content: { type: 'single-value', value } })

/**
 * Returns a text, boolean or number as text, and undefined for anything else. Numbers with more digits than JavaScript can hold
 * arrive as objects with a `toJSON` method.
 */
export function textOf(given: unknown): string | undefined {
  if (typeof given === 'string') return given
  if (typeof given === 'boolean') return String(given)
  if (typeof given === 'number') return digitsOf(given)
  const writes = typeof given === 'object' && given !== null && 'toJSON' in given && typeof given.toJSON === 'function'
  return writes ? String(given) : undefined
}

/** Writes a number without an exponent, even a small one such as 1e-7. */
const digitsOf = (number: number): string =>
  Math.abs(number) < 1e-6
    ? number
        .toFixed(18)
        .replace(/(?<!0)0+$/, '')
        .replace(/\.$/, '')
    : String(number)

/** Returns an object's own member; undefined if there is none, or if the value is not an object. */
export const memberOf = (given: unknown, name: string): unknown =>
  typeof given === 'object' && given !== null && Object.hasOwn(given, name) ? Reflect.get(given, name) : undefined
