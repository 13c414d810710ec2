// Messages for faults of expressions, without the values of the input.
import type { JsonataError } from 'jsonata'

/** The library's own messages quote values. */
const reasons: Record<string, string> = {
  D1011: 'it calls itself too deeply',
  D2014: 'its list is too long',
  D2015: 'its list is too long',
  T1006: 'it calls what is no function',
}

/** Why an evaluation failed, without its values. */
export function reasonOf(error: unknown): string {
  const { code = '' } = faultOf(error)
  return reasons[code] ?? (code ? `JSONata ${code}` : 'it cannot be evaluated')
}

/** Of the token at which an error was found; the library says where it ends. */
export function placeOf(text: string, error: unknown): { line: number; column: number; isKnown: boolean } {
  const { position, token } = faultOf(error)
  const end = position ?? 0
  const isThere = typeof token === 'string' && text.endsWith(token, end)
  const before = text.slice(0, isThere ? end - token.length : end).split('\n')
  return { line: before.length, column: (before.at(-1) ?? '').length + 1, isKnown: position !== undefined }
}

/** The library throws objects that are no errors. */
export const faultOf = (error: unknown): Partial<JsonataError> => Object(error)
