// Resolves simple JSONata paths without the library.
import { ExactNumber } from '../json/exact-number.js'

const name = /^[ \t\r\n]*([a-z_]\w*)[ \t\r\n]*$/i
/** Words that are not names in JSONata. */
const reserved = new Set(['and', 'or', 'in', 'true', 'false', 'null', 'function'])

/**
 * Resolves an expression that is only a path of member names, such as `steps.register.body`. This takes no time and
 * copies nothing, however large the value is, so it needs no child process and no limits.
 * @returns undefined for any other expression, and if a list stands anywhere on the path but at its end.
 */
export function followed(text: string, scope: object): { value: unknown } | undefined {
  let value: unknown = scope
  const pieces = text.split('.')
  // A single name such as `steps` is left to JSONata: the object is still growing, and the result becomes a member of
  // it.
  if (pieces.length < 2) return undefined
  for (const piece of pieces) {
    const [, member] = name.exec(piece) ?? []
    if (member === undefined || reserved.has(member)) return undefined
    if (Array.isArray(value) || value instanceof ExactNumber) return undefined
    const members: Record<string, unknown> = typeof value === 'object' ? Object(value) : {}
    value = Object.hasOwn(members, member) ? members[member] : undefined
  }
  return { value: value ?? null }
}
