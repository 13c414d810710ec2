// Checks of a manifest's lists for duplicate keys and file names.
import type { Fault } from '../../../runtime/problem.js'

/** Keys that stand earlier in their list already. @param what they are keys of. */
export function duplicateKeys(keys: readonly string[], pointerOf: (n: number) => string, what: string): Fault[] {
  return repeated(keys, pointerOf, key => key, what)
}

/** The same of names of files and folders: not every disk tells large letters from small ones. */
export function duplicateFileNames(names: readonly string[], pointerOf: (n: number) => string, what: string): Fault[] {
  return repeated(names, pointerOf, onDisk, what)
}

/** The name of a file on a case-insensitive disk. */
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
    const how = first === key ? 'given twice.' : `given twice, as '${first}': not every disk tells their letters apart.`
    return [{ pointer: pointerOf(n), code: 'duplicate-key', detail: `The ${what} '${key}' is ${how}` }]
  })
}
