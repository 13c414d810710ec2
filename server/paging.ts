// Reads the paging parameters of lists and creates their cursors.
import { hash } from 'node:crypto'
import Type, { type TProperties } from 'typebox'
import { tellPage } from '../db/audit/action.js'
import { type Page, type PageRequest, type Position, positionOf } from '../db/paging.js'
import { largeWork } from '../runtime/load/cooperative-work.js'
import { pageBudget, smallPage } from '../runtime/load/page-budget.js'
import { badRequest, invalid } from '../runtime/problems/problem.js'
import { JsonText } from './json-text.js'

/** The largest page. A request for more is reduced to it. */
const maxPage = 1000

/**
 * Returns the specification's paging parameters, together with a list's own filters and orders (field name → column).
 * @param OrderBy replaces the default schema if the list has further orders.
 */
export const pagingQuery = <Filters extends TProperties>(
  orders: Record<string, string>,
  filters: Filters,
  OrderBy: Type.TOptional<Type.TString> | Type.TOptional<Type.TEnum<string[]>> = Type.Optional(
    Type.Enum(Object.keys(orders), { description: 'Ties are broken by key.' }),
  ),
) =>
  Type.Object({
    ...filters,
    After: Type.Optional(Type.String({ description: 'Cursor. Only entries after it are returned.' })),
    Before: Type.Optional(Type.String({ description: 'Cursor. Only entries before it are returned.' })),
    First: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Returns the first n entries, at most 1000 and 4 MB: follow HasNextPage. Default 20.',
      }),
    ),
    Last: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'Returns the last n entries, at most 1000 and 4 MB: follow HasPreviousPage. Not together with First.',
      }),
    ),
    OrderBy,
    OrderDirection: Type.Optional(Type.Enum(['Ascending', 'Descending'], { description: 'Default Ascending.' })),
  })

interface PagingParameters {
  After?: string
  Before?: string
  First?: number
  Last?: number
  OrderBy?: string | undefined
  OrderDirection?: string
}

/** Returns the JSON pointer of a parameter: in the query string, or in a body with the same members. */
export type PointerOf = (name: string) => string
export const inQuery: PointerOf = name => `/query/${name}`
export const inBody: PointerOf = name => `/${name.replace('.', '/')}`

/** A list as a caller requested it: the page, and cursors that fit only this list with this filter and order. */
export interface Listing {
  request: PageRequest
  cursorOf(position: Position): string
}

/**
 * Reads the paging parameters of a list.
 * @param scope what else the cursors are bound to: the list's name, the tenant and the filter. In lists of values,
 * order and repetition do not matter.
 * @throws Problem 400 if both First and Last are given, or if a cursor is damaged or belongs to another list.
 */
export function listing(
  query: PagingParameters,
  orders: Record<string, string>,
  scope: unknown[],
  { descending: byDefault = false, in: at = inQuery }: { descending?: boolean; in?: PointerOf } = {},
): Listing {
  const { After, Before, First, Last } = query
  if (First !== undefined && Last !== undefined) {
    throw invalid([{ pointer: at('Last'), code: 'first-and-last', detail: 'Give First or Last, not both.' }])
  }
  const column = Object.entries(orders).find(([name]) => name === query.OrderBy)?.[1] ?? Object.values(orders)[0] ?? ''
  const descending = query.OrderDirection ? query.OrderDirection === 'Descending' : byDefault
  const list = JSON.stringify([scope.map(sorted), column, descending])
  const cap = (wish: number | undefined) => wish && Math.min(wish, maxPage)
  return {
    request: {
      column,
      descending,
      after: After === undefined ? undefined : position(After, list, 'After'),
      before: Before === undefined ? undefined : position(Before, list, 'Before'),
      first: Last === undefined ? (cap(First) ?? 20) : undefined,
      last: cap(Last),
    },
    cursorOf: ({ sort, key }) => {
      const place = Buffer.from(JSON.stringify([sort, key])).toString('base64url')
      return `${place}.${seal(place, list)}`
    },
  }
}

/** What else a page consists of. */
interface PageParts {
  /** Members before those of the page. */
  members?: object
  /** The cursor of the page's end, if it is not that of the last entry. */
  end?: string
  stringify?: (value: unknown) => string
}

/**
 * Writes a page in the specification's shape, as JSON. If it would be larger than its budget, it ends early and says that there are
 * more entries. Large pages are written in pieces, so that other requests are served in between.
 */
export const pageOf = async <Row extends object>(
  page: Page<Row>,
  list: Listing,
  keyColumn: string,
  present: (row: Row) => object,
  { members, end, stringify = JSON.stringify }: PageParts = {},
): Promise<JsonText> => {
  const { info, edges } = await writtenPage(page, list, keyColumn, row => stringify(present(row)))
  const PageInfo = { ...info, ...(end !== undefined && { EndCursor: end }) }
  const Edges = edges.map(({ node, cursor }) => `{"Node":${node},"Cursor":${JSON.stringify(cursor)}}`)
  return new JsonText({ ...members, PageInfo }, 'Edges', Edges)
}

/** Writes a page like {@link pageOf}, with lower-camel names, with which the specification shows the portal's list. */
export const camelPage = async <Row extends object>(
  page: Page<Row>,
  list: Listing,
  keyColumn: string,
  present: (row: Row) => object,
): Promise<JsonText> => {
  const { info, edges } = await writtenPage(page, list, keyColumn, row => JSON.stringify(present(row)))
  const all = edges.map(({ node, cursor }) => `{"node":${node},"cursor":${JSON.stringify(cursor)}}`)
  return new JsonText({ pageInfo: camelNames(info) }, 'edges', all)
}

/** How much of a page is written before others get a turn, in characters. It takes about 2 ms. */
const piece = 256 * 1024

async function writtenPage<Row extends object>(
  page: Page<Row>,
  { request, cursorOf }: Listing,
  keyColumn: string,
  write: (row: Row) => string,
) {
  const fromEnd = request.last !== undefined
  const edges: { node: string; cursor: string }[] = []
  let [length, pause] = [0, piece]
  for (const row of fromEnd ? [...page.rows].reverse() : page.rows) {
    const node = write(row)
    length += node.length
    if (edges.length > 0 && length > smallPage && length > pageBudget()) break
    edges.push({ node, cursor: cursorOf(positionOf(row, request.column, keyColumn)) })
    if (length < pause) continue
    pause = length + piece
    await largeWork.turn()
  }
  const isCut = edges.length < page.rows.length
  tellPage(page.rows.slice(0, edges.length).map(row => positionOf(row, request.column, keyColumn).key))
  if (fromEnd) edges.reverse()
  const info = {
    HasNextPage: page.hasNextPage || (isCut && !fromEnd),
    HasPreviousPage: page.hasPreviousPage || (isCut && fromEnd),
    StartCursor: edges[0]?.cursor ?? '',
    EndCursor: edges.at(-1)?.cursor ?? '',
    TotalCount: page.totalCount,
  }
  return { info, edges }
}

export const PageInfo = Type.Object(
  {
    HasNextPage: Type.Boolean(),
    HasPreviousPage: Type.Boolean(),
    StartCursor: Type.String(),
    EndCursor: Type.String(),
    TotalCount: Type.Integer(),
  },
  { $id: 'PageInfo' },
)

/** Returns the schema of a page. @param more members that the pages of this list have besides. */
export const pageSchema = <Node extends Type.TSchema>(node: Node, more: TProperties = {}) =>
  Type.Object({ PageInfo, Edges: Type.Array(Type.Object({ Node: node, Cursor: Type.String() })), ...more })

/** Returns the schema of a page with lower-camel names. */
export const camelPageSchema = <Node extends Type.TSchema>(node: Node) =>
  Type.Object({
    pageInfo: Type.Object(camelNames(PageInfo.properties), { $id: 'CamelPageInfo' }),
    edges: Type.Array(Type.Object({ node, cursor: Type.String() })),
  })

const camelNames = <Value>(members: Record<string, Value>): Record<string, Value> =>
  Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name.charAt(0).toLowerCase() + name.slice(1), value]),
  )

/** Sorts the lists within a part of a scope and drops repeated values. */
const sorted = (part: unknown): unknown =>
  typeof part === 'object' && part !== null
    ? JSON.parse(JSON.stringify(part, (_, value) => (Array.isArray(value) ? [...new Set(value)].sort() : value)))
    : part

/**
 * Ties a cursor to its list. It is a checksum, not a secret: a forged position shows nothing that another page would
 * not.
 */
const seal = (place: string, list: string): string => hash('sha256', `${list}\n${place}`, 'base64url').slice(0, 16)

function position(cursor: string, list: string, parameter: string): Position {
  const [place = ''] = cursor.split('.')
  const found = cursor === `${place}.${seal(place, list)}` ? placeOf(place) : undefined
  if (found) return found
  throw badRequest('foreign-cursor', `${parameter} is not a cursor of this list with this filter and order.`)
}

/**
 * Decodes a position. Returns undefined if it is malformed, since anybody can compute the checksum of a forged cursor.
 */
function placeOf(place: string): Position | undefined {
  try {
    const [sort, key]: unknown[] = JSON.parse(Buffer.from(place, 'base64url').toString())
    if (typeof key === 'string' && (typeof sort === 'string' || typeof sort === 'number')) return { sort, key }
  } catch {
    // Neither JSON nor a list.
  }
  return undefined
}
