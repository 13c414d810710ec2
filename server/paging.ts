// Paging parameters and cursors of lists.
import { hash } from 'node:crypto'
import Type, { type TProperties } from 'typebox'
import { type Page, type PageRequest, type Position, positionOf } from '../db/paging.js'
import { badRequest, invalid } from '../runtime/problem.js'

/** The largest page; a larger wish is cut to it. */
const maxPage = 1000

/** The specification's common paging parameters, with the endpoint's own orders (field name → column). @param OrderBy where the list has further orders. */
export const pagingQuery = <Filters extends TProperties>(
  orders: Record<string, string>,
  filters: Filters,
  OrderBy: Type.TOptional<Type.TString> | Type.TOptional<Type.TEnum<string[]>> = Type.Optional(
    Type.Enum(Object.keys(orders), { description: 'Ties are broken by key.' }),
  ),
) =>
  Type.Object({
    ...filters,
    After: Type.Optional(Type.String({ description: 'Cursor: entries after it only.' })),
    Before: Type.Optional(Type.String({ description: 'Cursor: entries before it only.' })),
    First: Type.Optional(Type.Integer({ minimum: 1, description: 'The first n, at most 1000. Default 20.' })),
    Last: Type.Optional(
      Type.Integer({ minimum: 1, description: 'The last n, at most 1000; not together with First.' }),
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

/** Pointer of a parameter by its name: in the query string, or in a body of the same members. */
export type PointerOf = (name: string) => string
export const inQuery: PointerOf = name => `/query/${name}`
export const inBody: PointerOf = name => `/${name.replace('.', '/')}`

/** One list as a caller asked for it: its page request and its cursors, which fit this list, filter and order only. */
export interface Listing {
  request: PageRequest
  cursorOf(position: Position): string
}

/**
 * Reads the paging parameters of a list.
 * @param scope what else the cursors are bound to: the list's name, the tenant and the filter. Its lists of values mean the same
 *   in any order, and with a value given twice.
 * @throws Problem 400 when First and Last are given together, or a cursor is damaged or of another list.
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

/** Presents a page in the specification's shape. */
export function pageOf<Row extends object, Node>(
  page: Page<Row>,
  { request, cursorOf }: Listing,
  keyColumn: string,
  nodes: readonly Node[],
) {
  const cursors = page.rows.map(row => cursorOf(positionOf(row, request.column, keyColumn)))
  return {
    PageInfo: {
      HasNextPage: page.hasNextPage,
      HasPreviousPage: page.hasPreviousPage,
      StartCursor: cursors[0] ?? '',
      EndCursor: cursors.at(-1) ?? '',
      TotalCount: page.totalCount,
    },
    Edges: nodes.map((Node, n) => ({ Node, Cursor: cursors[n] ?? '' })),
  }
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

/** Schema of a page of `node`. */
export const pageSchema = <Node extends Type.TSchema>(node: Node) =>
  Type.Object({ PageInfo, Edges: Type.Array(Type.Object({ Node: node, Cursor: Type.String() })) })

/** The same page with lower-camel names, as the specification shows the portal's list. */
export const camelPage = <Node>({ PageInfo, Edges }: ReturnType<typeof pageOf<object, Node>>) => ({
  pageInfo: camelNames(PageInfo),
  edges: Edges.map(({ Node, Cursor }) => ({ node: Node, cursor: Cursor })),
})

/** Schema of such a page. */
export const camelPageSchema = <Node extends Type.TSchema>(node: Node) =>
  Type.Object({
    pageInfo: Type.Object(camelNames(PageInfo.properties), { $id: 'CamelPageInfo' }),
    edges: Type.Array(Type.Object({ node, cursor: Type.String() })),
  })

const camelNames = <Value>(members: Record<string, Value>): Record<string, Value> =>
  Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name.charAt(0).toLowerCase() + name.slice(1), value]),
  )

/** A part of a scope with its lists sorted, each value once. */
const sorted = (part: unknown): unknown =>
  typeof part === 'object' && part !== null
    ? JSON.parse(JSON.stringify(part, (_, value) => (Array.isArray(value) ? [...new Set(value)].sort() : value)))
    : part

/** Ties a cursor to its list: a check sum, not a secret, for a forged place shows nothing that another page would not. */
const seal = (place: string, list: string): string => hash('sha256', `${list}\n${place}`, 'base64url').slice(0, 16)

function position(cursor: string, list: string, parameter: string): Position {
  const [place = ''] = cursor.split('.')
  const found = cursor === `${place}.${seal(place, list)}` ? placeOf(place) : undefined
  if (found) return found
  throw badRequest('foreign-cursor', `${parameter} is no cursor of this list with this filter and order.`)
}

/** Undefined for a forged one: the seal keeps nobody from making one that says something else than a place. */
function placeOf(place: string): Position | undefined {
  try {
    const [sort, key]: unknown[] = JSON.parse(Buffer.from(place, 'base64url').toString())
    if (typeof key === 'string' && (typeof sort === 'string' || typeof sort === 'number')) return { sort, key }
  } catch {
    // Neither JSON nor a list.
  }
  return undefined
}
