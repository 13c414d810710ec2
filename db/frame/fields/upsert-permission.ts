// Checks the permissions for an upsert item by item, because new and existing items need different ones.
import { type Fault, forbidden } from '../../../runtime/problems/problem.js'

/** Returns true if the actor of a request has a permission, such as `Edit:Subject`. */
export type Allows = (permission: string) => boolean

/** Finds the items of a batch for which the actor lacks a permission: Create for new items, Edit for existing ones. */
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
 * Refuses a batch if {@link missingPermissions} finds any item.
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
