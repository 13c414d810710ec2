// Removes the faulty parts of a body.
import type { Fault } from './problem.js'

/** What is left of a body when whatever is at fault is taken out of it: members may be missing, in lists there may be gaps. */
export type WithoutFaults<Body> = Body extends readonly (infer Entry)[]
  ? readonly (WithoutFaults<Entry> | undefined)[]
  : Body extends object
    ? { readonly [Name in keyof Body]?: WithoutFaults<Body[Name]> | undefined }
    : Body

/**
 * Takes what is at fault out of a body that is refused, for who looks for more faults: members at fault are gone, and entries
 * at fault are undefined, so that the others keep their places.
 * @returns the same body.
 */
export function withoutFaults(body: unknown, faults: readonly Fault[]): unknown {
  for (const { pointer } of faults) {
    const path = pointer.split('/').slice(1)
    const last = path.pop()
    let holder: unknown = body
    for (const name of path) holder = Object(holder)[name]
    if (last === undefined || typeof holder !== 'object' || holder === null) continue
    if (Array.isArray(holder)) holder[Number(last)] = undefined
    else Reflect.deleteProperty(holder, last)
  }
  return body
}
