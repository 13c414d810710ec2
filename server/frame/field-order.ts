// Reads the parameter OrderBy of lists that can be ordered by one of their own columns or by a custom field.

import Type from 'typebox'
import { fieldColumn } from '../../db/frame/orders/ordered-page.js'
import type { Fault } from '../../runtime/problems/problem.js'
import { keyText } from '../../runtime/schema/key.js'

/** Describes OrderBy for a list that can also be ordered by custom fields. */
export const orderByField = (orders: Record<string, string>) =>
  Type.Optional(
    keyText({
      description: `${Object.keys(orders).join(', ')}, or the key of a custom field that is no array. Numbers are ordered as numbers, dates and times as such, texts by their first 100 characters, whatever the case and accent. Entries without a value come last in both directions. Ties are broken by key. The first list by a field makes the order: of many entries, it answers 503 with Retry-After until it is made.`,
    }),
  )

interface ListOrder {
  /** The name of the order, to be passed to `listing`. Undefined for the default order. */
  OrderBy?: string | undefined
  orders: Record<string, string>
  /** Key of the custom field that orders the list, if it is one. */
  field?: string
  fault?: Pick<Fault, 'code' | 'detail'>
}

/**
 * Resolves OrderBy, which is a name in `orders`, in any letter case, or else the key of a custom field. Anything else is
 * returned as a fault, because the caller knows which pointer it belongs to.
 */
export function listOrder(
  asked: string | undefined,
  orders: Record<string, string>,
  fields: readonly { key: string; isArray?: boolean }[],
): ListOrder {
  if (asked === undefined) return { orders }
  const name = Object.keys(orders).find(each => each.toLowerCase() === asked.toLowerCase())
  if (name !== undefined) return { OrderBy: name, orders }
  const field = fields.find(({ key }) => key === asked)
  if (field && !field.isArray) {
    return { OrderBy: asked, orders: { ...orders, [asked]: fieldColumn(asked) }, field: asked }
  }
  if (field) {
    const detail = `The field '${asked}' takes several values, which have no order.`
    return { orders, fault: { code: 'array', detail } }
  }
  const detail = `Give ${Object.keys(orders).join(', ')}, or the key of a custom field.`
  return { orders, fault: { code: 'unknown-value', detail } }
}
