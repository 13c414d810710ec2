// Describes errors in expressions without quoting values of the input.
import type { JsonataError } from 'jsonata'

/** Replaces the library's messages, which quote values of the input. */
const reasons: Record<string, string> = {
  D1011: 'it calls itself too deeply',
  D2014: 'its list is too long',
  D2015: 'its list is too long',
  T1006: 'it calls what is no function',
}

/** Returns the reason why an evaluation failed, without the values involved. */
export function reasonOf(error: unknown): string {
  const { code = '' } = faultOf(error)
  return reasons[code] ?? (code ? `JSONata ${code}` : 'it cannot be evaluated')
}

/** Returns the text of `$error` or `$assert`, if one of them has ended the evaluation. */
export function saidBy(error: unknown): string | undefined {
  const { code = '', message } = faultOf(error)
  return ['D3137', 'D3141'].includes(code) ? message : undefined
}

/**
 * Locates the token that caused an error. The library reports where the token ends; this returns where it starts,
 * counting lines and columns from 1. `isKnown` is false if the library reported no position.
 */
export function placeOf(text: string, error: unknown): { line: number; column: number; isKnown: boolean } {
  const { position, token } = faultOf(error)
  const end = position ?? 0
  const isThere = typeof token === 'string' && text.endsWith(token, end)
  const before = text.slice(0, isThere ? end - token.length : end).split('\n')
  return { line: before.length, column: (before.at(-1) ?? '').length + 1, isKnown: position !== undefined }
}

/** Reads the members of a JSONata error. The library throws plain objects rather than instances of Error. */
export const faultOf = (error: unknown): Partial<JsonataError> => Object(error)
