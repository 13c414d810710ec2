// The outcome of a value's check.
import type { AnswerFaultCode } from './fault-codes.js'
import type { Content } from './values.js'

/** The outcome of a check: the value in its one spelling, or its fault. */
export type Checked = { content: Content } | Wrong

/** A fault of a value: a code for programs, a sentence for people. */
export interface Wrong {
  code: AnswerFaultCode
  detail: string
}

export const wrong = (code: AnswerFaultCode, detail: string): Wrong => ({ code, detail })
export const single = (value: string): Checked => ({ content: { type: 'single-value', value } })

/** The text of a value that is written as one; undefined for another. Numbers of many digits come as objects that write themselves. */
export function textOf(given: unknown): string | undefined {
  if (typeof given === 'string') return given
  if (typeof given === 'boolean') return String(given)
  if (typeof given === 'number') return digitsOf(given)
  const writes = typeof given === 'object' && given !== null && 'toJSON' in given && typeof given.toJSON === 'function'
  return writes ? String(given) : undefined
}

/** Small numbers such as 1e-7 without an exponent. */
const digitsOf = (number: number): string =>
  Math.abs(number) < 1e-6
    ? number
        .toFixed(18)
        .replace(/(?<!0)0+$/, '')
        .replace(/\.$/, '')
    : String(number)

/** The member of an object; undefined of anything else. */
export const memberOf = (given: unknown, name: string): unknown =>
  typeof given === 'object' && given !== null && Object.hasOwn(given, name) ? Reflect.get(given, name) : undefined
