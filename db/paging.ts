// Reads pages of lists by key (keyset pagination).
import type { Knex } from 'knex'
import type { Db } from './connect.js'
import { type Documents, readWithin, type Sized, withDocuments } from './sized-rows.js'

/** A place in an ordered list: the value of the order column, and the unique key of the row. */
export interface Position {
  sort: string | number
  key: string
}

/** The part of a list that a client asks for. As in the specification, `after` and `before` cut the list first, then `first` or `last`. */
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

/** A list that counts its rows by other means than its query. */
interface Counted {
  count(): Promise<number>
}

/** A list that consists of several ordered ranges, which may overlap. */
interface Ranges extends Counted {
  db: Db
  /** The name that the queries of its ranges give to the key column. */
  alias: string
}

/**
 * Reads a page by key, never by offset, so that the ten-thousandth page costs no more than the first. The page ends early, and says
 * that there are more rows, where its documents are larger than its budget.
 * @param filtered creates a query of the filtered rows, or one query for each ordered range of them.
 * @param keyColumn a unique column, which breaks ties.
 * @param source how to count the rows, and where else to find them, if not by the query alone.
 * @param documents where the rows have large documents, if they do.
 */
export async function readPage<Row extends object>(
  filtered: () => Query<Row> | Query<Row>[],
  keyColumn: string,
  page: PageRequest,
  source?: Counted | Ranges,
  documents?: Documents,
): Promise<Page<Row>> {
  const size = page.last ?? page.first ?? 20
  const fromEnd = page.last !== undefined
  const order = page.descending !== fromEnd ? 'desc' : 'asc'
  const columns = page.column === keyColumn ? [keyColumn] : [page.column, keyColumn]
  const sorted = (query: Query<Row>, by: string[]) => query.orderBy(by.map(column => ({ column, order })))
  const beyond = (query: Query<Row>, { sort, key }: Position, side: 'after' | 'before', itself: '' | '=' = '') => {
    const sign = (side === 'after') !== page.descending ? '>' : '<'
    const bounds: Bound[] = [
      [page.column, sign, sort],
      [keyColumn, `${sign}${itself}`, key],
    ]
    return whereBeyond(query, ...bounds.slice(-columns.length))
  }
  const inOrder = (query: Query<Row>) => {
    if (page.after) beyond(query, page.after, 'after')
    if (page.before) beyond(query, page.before, 'before')
    return sorted(query, columns)
  }
  /** Takes the first rows of each range, and of these the first ones overall. */
  const firstOf = async (change: (query: Query<Row>) => Query<Row>, limit: number): Promise<object[]> => {
    const queries = [filtered()].flat().map(query => change(query).limit(limit))
    if (!source || !('alias' in source)) return queries[0] ?? []
    const all: Query<Row> = source.db.queryBuilder().union(queries, true)
    return sorted(all, [source.alias]).limit(limit)
  }
  const count = async () => {
    const [query] = [filtered()].flat()
    return Number((await query?.count({ total: '*' }).first())?.total ?? 0)
  }
  const find = async (): Promise<{ rows: object[]; isCut: boolean }> => {
    if (!documents) return { rows: await firstOf(inOrder, size + 1), isCut: false }
    const inPage = columns.map(column => ({ column: `page.${column}`, order }))
    return readWithin(size + 1, async (limit, maxBytes): Promise<Sized[]> => {
      const [listed = documents.db.queryBuilder()] = [filtered()].flat()
      return withDocuments(inOrder(listed).limit(limit), documents, maxBytes).orderBy(inPage)
    })
  }
  const [found, totalCount] = await Promise.all([find(), source ? source.count() : count()])
  const more = found.isCut || found.rows.length > size
  const rows = (found.rows as Row[]).slice(0, size)
  if (fromEnd) rows.reverse()
  // There are rows on the other side of a cursor if there are any up to and including its own row.
  const exists = async (position: Position | undefined, side: 'after' | 'before') =>
    position !== undefined && (await firstOf(query => beyond(query, position, side, '='), 1)).length > 0
  const [hasNextPage, hasPreviousPage] = await Promise.all([
    (!fromEnd && more) || exists(page.before, 'after'),
    (fromEnd && more) || exists(page.after, 'before'),
  ])
  return { rows, hasNextPage, hasPreviousPage, totalCount }
}

/**
 * Adds documents to a page of rows that are in another table. The page ends early if they are too large.
 * @param read reads the documents by the keys of their rows, with their sizes alone if they are larger than `maxBytes` together.
 */
export async function addDocuments<Row extends object, Document extends Sized>(
  page: Page<Row>,
  { last }: PageRequest,
  keyOf: (row: Row) => string,
  read: (keys: string[], maxBytes: number) => Promise<Map<string, Document>>,
): Promise<Page<Row & Document>> {
  const inTurn = last === undefined ? page.rows : [...page.rows].reverse()
  const { rows, isCut } = await readWithin(inTurn.length, async (limit, maxBytes) => {
    const some = inTurn.slice(0, limit)
    const found = await read(some.map(keyOf), maxBytes)
    return some.flatMap(row => {
      const document = found.get(keyOf(row))
      return document ? [{ ...row, ...document }] : []
    })
  })
  return endedAt(page, last !== undefined, rows, isCut)
}

/** Returns a page of fewer rows, which were taken from its end if `fromEnd` is set, the last one first. */
function endedAt<Row>(page: Page<object>, fromEnd: boolean, rows: readonly Row[], isCut: boolean): Page<Row> {
  return {
    ...page,
    rows: fromEnd ? [...rows].reverse() : [...rows],
    hasNextPage: page.hasNextPage || (isCut && !fromEnd),
    hasPreviousPage: page.hasPreviousPage || (isCut && fromEnd),
  }
}

/** Writes a time as a text that both servers can compare with a column. */
const timeText = (time: Date): string => time.toISOString().replace('T', ' ').replace('Z', '')

/** Returns the place of a row in the order, for its cursor. */
export function positionOf<Row extends object>(row: Row, column: string, keyColumn: string): Position {
  const values = row as Record<string, string | number | Date>
  const sort = values[column] ?? ''
  return { sort: sort instanceof Date ? timeText(sort) : sort, key: String(values[keyColumn]) }
}

/** A column of an order, a value in it, and the side on which the wanted rows are: `>` if the order ascends. */
export type Bound = [column: string, sign: '>' | '<' | '>=' | '<=', value: Knex.Value]

/**
 * Restricts a query to the rows beyond a place in the order of some columns. Spells `(a, b) > (x, y)` out, because the servers do not
 * use an index range for the short form.
 */
export function whereBeyond<Query extends Knex.QueryBuilder>(
  query: Query,
  ...[first, ...others]: readonly Bound[]
): Query {
  if (!first) return query
  const [column, sign, value] = first
  if (others.length === 0) query.where(column, sign, value)
  else {
    query.where(column, `${sign}=`, value)
    query.where(either => either.where(column, sign, value).orWhere(equal => whereBeyond(equal, ...others)))
  }
  return query
}

/**
 * Reads a page of several lists that follow one another. Each list must be in the order of the page. Reads a list only if those before
 * it do not fill the page.
 * @param listOf returns the index of the list in which a position lies.
 */
export async function readConsecutive<Row>(
  page: PageRequest,
  lists: readonly ((page: PageRequest) => Promise<Page<Row>>)[],
  listOf: (position: Position) => number,
): Promise<Omit<Page<Row>, 'totalCount'>> {
  const { column, descending, after, before } = page
  const isForward = page.last === undefined
  const size = page.last ?? page.first ?? 20
  const [from, to] = [after ? listOf(after) : 0, before ? listOf(before) : lists.length - 1]
  const isAhead = (n: number) => (isForward ? n > to : n < from)
  const isBehind = (n: number) => (isForward ? n < from : n > to)
  let rows: Row[] = []
  let [more, behind] = [false, false]
  const inTurn = [...lists.entries()]
  for (const [n, read] of isForward ? inTurn : inTurn.reverse()) {
    const has = async () => (await read({ column, descending, first: 1 })).rows.length > 0
    if (isBehind(n)) behind ||= await has()
    else if (isAhead(n)) more ||= await has()
    else if (!more) {
      const left = size - rows.length
      const wish = Math.max(left, 1)
      const found = await read({
        ...page,
        ...(isForward ? { first: wish } : { last: wish }),
        after: n === from ? after : undefined,
        before: n === to ? before : undefined,
      })
      behind ||= isForward ? found.hasPreviousPage : found.hasNextPage
      more = left > 0 ? (isForward ? found.hasNextPage : found.hasPreviousPage) : found.rows.length > 0
      if (left > 0) rows = isForward ? [...rows, ...found.rows] : [...found.rows, ...rows]
    }
  }
  const [hasNextPage, hasPreviousPage] = isForward ? [more, behind] : [behind, more]
  return { rows, hasNextPage, hasPreviousPage }
}
