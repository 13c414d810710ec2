// Permission checks of upserts, for every item.
import { type Fault, forbidden } from '../../../runtime/problem.js'

/** May this actor do this? */
export type Allows = (permission: string) => boolean

/** The items of a batch that need a permission which the actor lacks: Create for what is new, Edit for what exists. */
export function missingPermissions(
  keys: readonly string[],
  exists: (key: string) => boolean,
  allows: Allows,
  resource: string,
): { n: number; detail: string }[] {
  const mayCreate = allows(`Create:${resource}`)
  const mayEdit = allows(`Edit:${resource}`)
  if (mayCreate && mayEdit) return []
  return keys.flatMap((key, n) => {
    const present = exists(key)
    if (present ? mayEdit : mayCreate) return []
    return [{ n, detail: `${present ? 'Edit' : 'Create'}:${resource} is needed for '${key}'.` }]
  })
}

/**
 * Refuses a batch with items that {@link missingPermissions} names.
 * @throws Problem 403 that names each such item.
 */
export function refuseForbidden(
  keys: readonly string[],
  exists: (key: string) => boolean,
  allows: Allows,
  resource: string,
): void {
  const missing = missingPermissions(keys, exists, allows, resource).map(
    ({ n, detail }): Fault => ({ pointer: `/${n}`, code: 'missing-permission', detail, index: n }),
  )
  if (missing.length > 0) throw forbidden(`${missing[0]?.detail} The client lacks it.`, missing)
}
