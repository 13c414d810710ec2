// Permission checks of upserts, for every item.
import { type Fault, forbidden } from '../../../runtime/problem.js'

/** May this actor do this? */
export type Allows = (permission: string) => boolean

/**
 * Refuses a batch in which any item needs a permission that the actor lacks: Create for what is new, Edit for what exists.
 * @param indexes places of the items in the request, where they are not simply counted.
 * @throws Problem 403 that names each such item.
 */
export function refuseForbidden(
  keys: readonly string[],
  exists: (key: string) => boolean,
  allows: Allows,
  resource: string,
  indexes?: readonly number[],
): void {
  const mayCreate = allows(`Create:${resource}`)
  const mayEdit = allows(`Edit:${resource}`)
  if (mayCreate && mayEdit) return
  const missing = keys.flatMap((key, n): Fault[] => {
    const present = exists(key)
    if (present ? mayEdit : mayCreate) return []
    const index = indexes?.[n] ?? n
    const detail = `${present ? 'Edit' : 'Create'}:${resource} is needed for '${key}'.`
    return [{ pointer: `/${index}`, code: 'missing-permission', detail, index }]
  })
  if (missing.length > 0) throw forbidden(`${missing[0]?.detail} The client lacks it.`, missing)
}
