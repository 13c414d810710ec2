// Removes the faulty parts of a body, so that the rest can be checked further.
import type { Fault } from '../problems/problem.js'

/** A body without its faulty parts. Any member may be missing, and any list may have gaps. */
export type WithoutFaults<Body> = Body extends readonly (infer Entry)[]
  ? readonly (WithoutFaults<Entry> | undefined)[]
  : Body extends object
    ? { readonly [Name in keyof Body]?: WithoutFaults<Body[Name]> | undefined }
    : Body

/**
 * Removes the faulty parts of a rejected body, in place, so that the search for further faults can go on. Faulty
 * members are deleted. Faulty entries become undefined, so that the others keep their index.
 * @returns the body that was passed.
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
