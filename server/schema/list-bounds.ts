// Finds the list lengths that a schema allows.
import type { TSchema } from 'typebox'
import type { JsonBounds } from '../../runtime/json/json-bounds.js'

interface Shape {
  maxItems?: number
  properties?: Record<string, Shape>
}

/**
 * Returns how many items a schema allows in a list, and in the lists of an object's members. They are counted before
 * the body is parsed.
 */
export function listBounds(schema: TSchema): JsonBounds {
  const { maxItems, properties = {} }: Shape = schema
  const members = Object.entries(properties).flatMap(([name, { maxItems: items }]) =>
    items === undefined ? [] : [[name.toLowerCase(), { name, items }] as const],
  )
  return { items: maxItems, ...(members.length > 0 && { members: new Map(members) }) }
}
