// Pages of lists by key (keyset pagination).
import type { Knex } from 'knex'
import type { Db } from './connect.js'

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

/** Further settings of a list of several ordered ranges, which may overlap. */
interface Ranges {
  db: Db
  /** The name of the key column in its queries. */
  alias: string
  /** Counts the rows of all ranges together. */
  count(): Promise<number>
}

/**
 * Reads one page by key, never by offset, so that the ten-thousandth costs what the first costs.
 * `filtered` makes a fresh query over the filtered rows, or one for each ordered range of them; `keyColumn` breaks ties and
 * is unique in it.
 */
export async function readPage<Row extends object>(
  filtered: () => Query<Row> | Query<Row>[],
  keyColumn: string,
  page: PageRequest,
  ranges?: Ranges,
): Promise<Page<Row>> {
  const size = page.last ?? page.first ?? 20
  const fromEnd = page.last !== undefined
  const order = (query: Query<Row>, reverse: boolean, [column, key]: [string, string]) => {
    const direction = page.descending !== reverse ? 'desc' : 'asc'
    return query.orderBy(
      column === key
        ? [{ column: key, order: direction }]
        : [column, key].map(column => ({ column, order: direction })),
    )
  }
  const beyond = (query: Query<Row>, position: Position, side: 'after' | 'before', itself: '' | '=' = '') =>
    cut(query, page.column, keyColumn, position, (side === 'after') !== page.descending ? '>' : '<', itself)
  const within = (query: Query<Row>) => {
    const after = page.after ? beyond(query, page.after, 'after') : query
    return page.before ? beyond(after, page.before, 'before') : after
  }
  /** The first rows of each range, and of these the first of all. */
  const firstOf = (change: (query: Query<Row>) => Query<Row>, limit: number): Query<Row> => {
    const queries = [filtered()].flat().map(query => change(query).limit(limit))
    if (!ranges) return queries[0] as Query<Row>
    const all: Query<Row> = ranges.db.queryBuilder().union(queries, true)
    return order(all, fromEnd, [ranges.alias, ranges.alias]).limit(limit)
  }
  const count = async () => {
    const [query] = [filtered()].flat()
    return Number((await query?.count({ total: '*' }).first())?.total ?? 0)
  }
  const [found, totalCount] = await Promise.all([
    firstOf(query => order(within(query), fromEnd, [page.column, keyColumn]), size + 1),
    ranges ? ranges.count() : count(),
  ])
  const more = found.length > size
  const rows = (found as Row[]).slice(0, size)
  if (fromEnd) rows.reverse()
  // Rows before a cursor lie on its other side, the cursor's own row included.
  const exists = async (position: Position | undefined, side: 'after' | 'before') =>
    position !== undefined && (await firstOf(query => beyond(query, position, side, '='), 1)).length > 0
  const [hasNextPage, hasPreviousPage] = await Promise.all([
    (!fromEnd && more) || exists(page.before, 'after'),
    (fromEnd && more) || exists(page.after, 'before'),
  ])
  return { rows, hasNextPage, hasPreviousPage, totalCount }
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
