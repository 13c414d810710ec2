// Reads pages of subjects and entities in the order of a custom field.
import type { Knex } from 'knex'
import type { Db, TenantId } from '../../connect.js'
import { type Page, type PageRequest, readConsecutive, readPage } from '../../paging.js'
import { type OrderedList, orderTables } from './field-orders.js'

/** A row of an order, joined with the table of its list. */
interface Place {
  owner: string
  sort_text: string
}

/** Returns the name that a page request has as its `column` when it is ordered by a field. */
export const fieldColumn = (key: string): string => `field ${key}`

/**
 * Reads a page in the order of a field. Owners without a value come last in both directions. Ties are in the order of their keys.
 * @param restrict adds the filters of the list to a query of its table.
 * @param few if the filters leave only few owners: a query that selects these as `owner`. They are then sorted, instead of walking the
 *   whole order.
 * @returns the keys of the owners, each with the sort value for its cursor.
 */
export async function orderedPage(
  db: Db,
  tenant: TenantId,
  { list, orderId }: { list: OrderedList; orderId: number },
  page: PageRequest,
  {
    restrict,
    count,
    few,
  }: {
    restrict: (query: Knex.QueryBuilder) => void
    count: () => Promise<number>
    few?: Knex.QueryBuilder | undefined
  },
): Promise<Page<{ owner: string; sort: string }>> {
  const { owners, owner, values } = orderTables[list]
  const rows = (missing: 0 | 1): Knex.QueryBuilder<Place, Place[]> => {
    const query: Knex.QueryBuilder = few
      ? db.from(few.as('few')).joinRaw('STRAIGHT_JOIN ?? AS o FORCE INDEX (PRIMARY) ON o.owner = few.owner', [values])
      : db.from(db.raw('?? AS o FORCE INDEX (??)', [values, `${values}_by_text`]))
    restrict(query)
    return query
      .join(owners, of => of.on(`${owners}.tenant_id`, 'o.tenant_id').on(`${owners}.${owner}`, 'o.owner'))
      .where({ 'o.tenant_id': tenant, 'o.order_id': orderId, 'o.missing': missing })
      .select('o.owner', 'o.sort_text')
  }
  // The sort value of a cursor is '=' and the text, or empty for an owner without a value.
  const placeAt = (position: PageRequest['after']) => position && { ...position, sort: String(position.sort).slice(1) }
  const readOwners = (hasValue: boolean) => async (part: PageRequest) => {
    const wanted = { ...part, column: 'o.sort_text', after: placeAt(part.after), before: placeAt(part.before) }
    const places = await readPage(() => rows(hasValue ? 0 : 1), 'o.owner', wanted, { count: async () => 0 })
    return { ...places, rows: places.rows.map(row => ({ ...row, hasValue })) }
  }
  const [read, totalCount] = await Promise.all([
    readConsecutive(page, [readOwners(true), readOwners(false)], ({ sort }) => (sort === '' ? 1 : 0)),
    count(),
  ])
  const found = read.rows.map(({ owner, sort_text, hasValue }) => ({ owner, sort: hasValue ? `=${sort_text}` : '' }))
  return { ...read, totalCount, rows: found }
}
