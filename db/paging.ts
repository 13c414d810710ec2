import type { Knex } from 'knex'

/** A place in an ordered list: the value of the order column and the row's unique key. */
export interface Position {
  sort: string | number
  key: string
}

/** A wish for a part of a list, as the specification's paging parameters mean it: the cursors cut first, then first/last. */
export interface PageRequest {
  column: string
  descending: boolean
  after?: Position | undefined
  before?: Position | undefined
  first?: number | undefined
  last?: number | undefined
}

export interface Page<Row> {
  rows: Row[]
  hasNextPage: boolean
  hasPreviousPage: boolean
  totalCount: number
}

type Query<Row extends object> = Knex.QueryBuilder<Row, Row[]>

/**
 * Reads one page by key, never by offset, so that the ten-thousandth costs what the first costs.
 * `filtered` makes a fresh query over the filtered rows; `keyColumn` breaks ties and is unique in it.
 */
export async function readPage<Row extends object>(
  filtered: () => Query<Row>,
  keyColumn: string,
  page: PageRequest,
): Promise<Page<Row>> {
  const size = page.last ?? page.first ?? 20
  const fromEnd = page.last !== undefined
  const order = (query: Query<Row>, reverse: boolean) => {
    const direction = page.descending !== reverse ? 'desc' : 'asc'
    return query.orderBy(
      page.column === keyColumn
        ? [{ column: keyColumn, order: direction }]
        : [page.column, keyColumn].map(column => ({ column, order: direction })),
    )
  }
  const beyond = (query: Query<Row>, position: Position, side: 'after' | 'before', itself: '' | '=' = '') =>
    cut(query, page.column, keyColumn, position, (side === 'after') !== page.descending ? '>' : '<', itself)
  const within = () => {
    let query = filtered()
    if (page.after) query = beyond(query, page.after, 'after')
    if (page.before) query = beyond(query, page.before, 'before')
    return query
  }
  const [found, total] = await Promise.all([
    order(within(), fromEnd).limit(size + 1),
    filtered().clone().count({ total: '*' }).first(),
  ])
  const more = found.length > size
  const rows = (found as Row[]).slice(0, size)
  if (fromEnd) rows.reverse()
  // What a cursor cut off lies on its other side, the cursor's own row included.
  const exists = async (position: Position | undefined, side: 'after' | 'before') =>
    position !== undefined && (await beyond(filtered(), position, side, '=').limit(1)).length > 0
  const [hasNextPage, hasPreviousPage] = await Promise.all([
    (!fromEnd && more) || exists(page.before, 'after'),
    (fromEnd && more) || exists(page.after, 'before'),
  ])
  return { rows, hasNextPage, hasPreviousPage, totalCount: Number(total?.total ?? 0) }
}

/** Where a row stands in the order. */
export function positionOf<Row extends object>(row: Row, column: string, keyColumn: string): Position {
  const values = row as Record<string, string | number>
  return { sort: values[column] ?? '', key: String(values[keyColumn]) }
}

/** Keeps the rows beyond a position, with `itself` those at it too. Spelled out, because the servers use no index range for `(a, b) > (x, y)`. */
function cut<Row extends object>(
  query: Query<Row>,
  column: string,
  keyColumn: string,
  position: Position,
  sign: '>' | '<',
  itself: '' | '=',
): Query<Row> {
  if (column === keyColumn) return query.where(keyColumn, sign + itself, position.key)
  return query
    .where(column, `${sign}=`, position.sort)
    .where(either => either.where(column, sign, position.sort).orWhere(keyColumn, sign + itself, position.key))
}
