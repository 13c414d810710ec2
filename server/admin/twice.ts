import type { Fault } from '../../runtime/problem.js'

/** Keys that stand earlier in their list already. @param what they are keys of. */
export function twice(keys: readonly string[], pointerOf: (n: number) => string, what: string): Fault[] {
  const seen = new Set<string>()
  return keys.flatMap((key, n) => {
    if (!seen.has(key)) {
      seen.add(key)
      return []
    }
    return [{ pointer: pointerOf(n), code: 'duplicate-key', detail: `The ${what} '${key}' is given twice.` }]
  })
}
