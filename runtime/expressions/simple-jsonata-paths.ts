// Reads simple JSONata paths without the library.
import { ExactNumber } from '../json/exact-number.js'

const name = /^[ \t\r\n]*([a-z_]\w*)[ \t\r\n]*$/i
/** Names that JSONata reads as something else. */
const reserved = new Set(['and', 'or', 'in', 'true', 'false', 'null', 'function'])

/**
 * The value of a JSONata expression that is a path of names through objects alone, such as `steps.register.body`. It takes
 * no time, however large the value is: no limit is needed, and no copy.
 * @returns undefined for every other expression, and where the path meets a list before its end.
 */
export function followed(text: string, scope: object): { value: unknown } | undefined {
  let value: unknown = scope
  const pieces = text.split('.')
  // `steps` alone is not finished: the value becomes a member of it.
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
