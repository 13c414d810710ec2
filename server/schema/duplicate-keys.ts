// Finds duplicate keys and file names in a manifest's lists.
import type { Fault } from '../../runtime/problems/problem.js'

/**
 * Returns a fault for each key that already occurs earlier in its list.
 * @param what the kind of thing that the keys name, for the message.
 */
export function duplicateKeys(keys: readonly string[], pointerOf: (n: number) => string, what: string): Fault[] {
  return repeated(keys, pointerOf, key => key, what)
}

/**
 * Returns a fault for each duplicate file or folder name. Names that differ only in letter case count as duplicates,
 * because not every disk tells them apart.
 */
export function duplicateFileNames(names: readonly string[], pointerOf: (n: number) => string, what: string): Fault[] {
  return repeated(names, pointerOf, onDisk, what)
}

/** Returns the name as a case-insensitive disk sees it. */
export const onDisk = (name: string): string => name.toLowerCase()

function repeated(
  keys: readonly string[],
  pointerOf: (n: number) => string,
  sameAs: (key: string) => string,
  what: string,
): Fault[] {
  const seen = new Map<string, string>()
  return keys.flatMap((key, n) => {
    const first = seen.get(sameAs(key))
    if (first === undefined) {
      seen.set(sameAs(key), key)
      return []
    }
    const how =
      first === key ? 'given twice.' : `given twice, as '${first}': not every disk tells upper from lower case.`
    return [{ pointer: pointerOf(n), code: 'duplicate-key', detail: `The ${what} '${key}' is ${how}` }]
  })
}
