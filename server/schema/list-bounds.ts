// Finds the maximum list lengths that a schema declares.
import type { TSchema } from 'typebox'
import type { JsonBounds } from '../../runtime/json-bounds.js'

interface Shape {
  maxItems?: number
  properties?: Record<string, Shape>
}

/** How many items a schema allows to a list, and to the lists in members of an object: a reader counts them before parsing. */
export function listBounds(schema: TSchema): JsonBounds {
  const { maxItems, properties = {} }: Shape = schema
  const members = Object.entries(properties).flatMap(([name, { maxItems: items }]) =>
    items === undefined ? [] : [[name.toLowerCase(), { name, items }] as const],
  )
  return { items: maxItems, ...(members.length > 0 && { members: new Map(members) }) }
}
