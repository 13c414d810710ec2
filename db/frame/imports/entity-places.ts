// Orders the staged rows of an upload, parents before children, and finds the rows without a place.
import type { Knex } from 'knex'
import { greatestDepth } from '../hierarchy/hierarchy-state.js'
import { findTooDeep } from '../hierarchy/structural-entity-plan.js'
import {
  apart,
  type LateRefusal,
  missing,
  placedByUpload,
  refuseStaged,
  type StagedState,
  stagedRows,
  type Upload,
  unplaced,
} from './entity-staging.js'
import type { RowFault } from './rows.js'

/**
 * How far the order is. `place`: entities go below those of a depth. `adrift`: rows without any parent and rows in cycles are
 * refused. `below`: so are those below them that are new. `apart`: other entities are placed below them. `rest`: the others are refused.
 */
export type OrderPlace =
  | ({ pass: 'place' | 'below' | 'apart' } & Start & Cursor)
  | ({ pass: 'adrift' | 'rest'; after: string } & Start)

interface Start {
  /** Greatest depth of an entity when the order began. */
  deepest: number
}

/** Place among the children of the entities of a depth, in the order of the parents. */
interface Cursor {
  depth: number
  /** Key of a parent. Its children are done, those up to `child` where there is one. */
  after: string
  child?: string
}

/** Settings of an order. */
export interface OrderRules {
  jobId: string
  maxDepth: number
  /** Rows that would be too deep are refused now: nothing is written that would say so later. */
  isCheck: boolean
  /** Where a row names its parent. */
  column: string
}

/** How far a step has come, and the states that the rows had which it refused. */
export interface OrderStep {
  /** Undefined: every row has its place, or is refused. */
  next: OrderPlace | undefined
  refused: StagedState[]
}

/** The beginning of the order. */
export const beginOrder = async (trx: Knex.Transaction, { tenant }: Upload): Promise<OrderPlace> => ({
  ...{ pass: 'place', depth: 1, after: '' },
  deepest: await greatestDepth(trx, tenant),
})

/** Does the next step of an order, inside its transaction. */
export async function orderNext(
  trx: Knex.Transaction,
  upload: Upload,
  place: OrderPlace,
  rules: OrderRules,
): Promise<OrderStep> {
  const { deepest } = place
  // Nothing may be deeper: neither a new entity, nor one that is too deep from before.
  const bound = Math.max(rules.maxDepth, deepest)
  const staged = stagedRows(trx, upload)
  const refused: StagedState[] = []
  const refuse = async (found: readonly Refused[], depth?: number) => {
    const { column, jobId } = rules
    const refusals = found.map(({ child: { key, row, state }, fault }): LateRefusal => {
      refused.push(state)
      return { key, row, state, fault: { column, ...fault } }
    })
    await refuseStaged(trx, upload, jobId, refusals, depth)
  }
  const then = (next: OrderPlace | undefined): OrderStep => ({ next, refused })
  const start = (pass: 'below' | 'apart', depth: number): OrderPlace => ({ pass, depth, after: '', deepest })

  if (place.pass === 'place' || place.pass === 'apart') {
    const isApart = place.pass === 'apart'
    const cursor = await spread(trx, upload, place, (isApart ? apart : 0) + bound, async (children, depth) => {
      await staged.place(
        children.map(({ key }) => key),
        depth,
      )
      if (rules.isCheck && !isApart) await refuse(await tooDeep(trx, upload, children, depth, deepest, rules))
    })
    if (cursor) return then({ pass: place.pass, deepest, ...cursor })
    if (isApart) return then({ pass: 'rest', after: '', deepest })
    return then((await staged.hasDepth(unplaced)) ? { pass: 'adrift', after: '', deepest } : undefined)
  }
  if (place.pass === 'below') {
    const cursor = await spread(trx, upload, place, undefined, async (children, depth) => {
      const found = children.filter(isRow).map(child => ({ child, fault: parentRefused(child.parent) }))
      await refuse(found, depth)
    })
    return then(cursor ? { pass: 'below', deepest, ...cursor } : start('apart', apart))
  }
  const page = await unplacedRows(trx, upload, place.after)
  const last = page.at(-1)
  const rows = page.filter(isRow)
  const faults =
    place.pass === 'rest' ? rows.map(child => ({ child, fault: cycle() })) : await adriftRows(trx, upload, rows, bound)
  await refuse(faults, missing)
  if (last && page.length === unplacedAtOnce) return then({ ...place, after: last.key })
  return then(place.pass === 'adrift' ? start('below', missing) : undefined)
}

interface Child {
  key: string
  parent: string
  row: number
  state: StagedState
}

const isRow = ({ state }: Child): boolean => state !== 'above' && state !== 'refused'

type ParentFault = Omit<RowFault, 'column'>

interface Refused {
  child: Child
  fault: ParentFault
}

/** Children of one statement, of as many parents at most, and statements of one step. */
const childrenAtOnce = 10_000
const parentsAtOnce = 2_000
const roundsAtOnce = 200

/**
 * Takes the children of the entities of a depth, then their children, and so on, some thousand in all.
 * @param bound greatest depth; no child is below it.
 * @param take takes children with their depth, and gives it to those that go on.
 * @returns the place of the next ones; undefined where none is left.
 */
async function spread(
  trx: Knex.Transaction,
  upload: Upload,
  { depth, after, child }: Cursor,
  bound: number | undefined,
  take: (children: Child[], depth: number) => Promise<void>,
): Promise<Cursor | undefined> {
  const staged = stagedRows(trx, upload)
  let cursor: Cursor = { depth, after, ...(child === undefined ? {} : { child }) }
  let taken = 0
  let isBelow = false
  for (let round = 0; round < roundsAtOnce && taken < childrenAtOnce; round++) {
    const below = cursor.depth < 0 ? cursor.depth - 1 : cursor.depth + 1
    if (bound !== undefined && below > bound) return undefined
    const { children, next } = await nextChildren(trx, upload, cursor)
    if (children.length > 0) await take(children, below)
    taken += children.length
    isBelow ||= children.length > 0
    if (!next && !isBelow && !(await staged.hasDepth(below))) return undefined
    if (!next) isBelow = false
    cursor = next ?? { depth: below, after: '' }
  }
  return cursor
}

async function nextChildren(
  trx: Knex.Transaction,
  upload: Upload,
  { depth, after, child }: Cursor,
): Promise<{ children: Child[]; next: Cursor | undefined }> {
  const { rows } = stagedRows(trx, upload)
  const parents: string[] =
    child === undefined
      ? await rows('by_depth')
          .where({ depth })
          .where('entity_key', '>', after)
          .orderBy('entity_key')
          .limit(parentsAtOnce)
          .pluck('entity_key')
      : [after]
  const lastParent = parents.at(-1)
  if (lastParent === undefined) return { children: [], next: undefined }
  const query = rows('by_parent')
    .whereIn('parent_key', parents)
    .orderBy(['parent_key', 'entity_key'])
    .limit(childrenAtOnce)
    .select(columnsOfChild)
  if (child !== undefined) query.where('entity_key', '>', child)
  const children: Child[] = await query
  const last = children.length === childrenAtOnce ? children.at(-1) : undefined
  if (last) return { children, next: { depth, after: last.parent, child: last.key } }
  const isLast = child === undefined && parents.length < parentsAtOnce
  return { children, next: isLast ? undefined : { depth, after: lastParent } }
}

const columnsOfChild = { key: 'entity_key', parent: 'parent_key', row: 'row_no', state: 'state' }

/** Rows of one page of those without a place. */
const unplacedAtOnce = 500

const unplacedRows = (trx: Knex.Transaction, upload: Upload, after: string): Promise<Child[]> =>
  stagedRows(trx, upload)
    .rows('by_depth')
    .where({ depth: unplaced })
    .where('entity_key', '>', after)
    .orderBy('entity_key')
    .limit(unplacedAtOnce)
    .select(columnsOfChild)

/** The children that are too deep themselves, or would take entities there that no row places. */
async function tooDeep(
  trx: Knex.Transaction,
  { tenant, fileId }: Upload,
  children: readonly Child[],
  depth: number,
  deepest: number,
  { maxDepth }: OrderRules,
): Promise<Refused[]> {
  // Entities below them get deeper by less than their depth.
  if (depth <= maxDepth && deepest + depth <= maxDepth + 1) return []
  const rows = children.filter(isRow)
  const known: { key: string; depth: number; parentKey: string | null; typeKey: string }[] = await trx(
    'structural_entities',
  )
    .where({ tenant_id: tenant })
    .whereIn(
      'entity_key',
      rows.map(({ key }) => key),
    )
    .select({ key: 'entity_key', depth: 'depth', parentKey: 'parent_key', typeKey: 'type_key' })
  const found: Refused[] = []
  await findTooDeep(
    trx,
    tenant,
    rows.map(({ key }) => ({ Key: key })),
    {
      state: { entities: new Map(known.map(({ key, ...entity }) => [key, entity])) },
      depths: rows.map(() => depth),
      rules: { maxDepth, placedElsewhere: placedByUpload(fileId) },
      report(n, _, code, detail) {
        const child = rows[n]
        if (child) found.push({ child, fault: { code, detail } })
      },
    },
  )
  return found
}

/** The rows that are at fault themselves: of some unplaced ones, and of the cycles that they are in. The others are below one. */
async function adriftRows(
  trx: Knex.Transaction,
  upload: Upload,
  rows: readonly Child[],
  bound: number,
): Promise<Refused[]> {
  const above = await upwards(trx, upload, rows)
  const found = new Map<string, Refused>()
  for (const child of rows) {
    const parent = above.get(child.parent)
    if (!parent) found.set(child.key, { child, fault: unknownParent(child.parent) })
    else if (parent.depth === bound) found.set(child.key, { child, fault: beyond(child.key, bound) })
    else
      for (const key of cycleOf(child.key, above) ?? []) {
        const member = above.get(key)
        const way = cycleOf(key, above)
        if (member && isRow(member)) found.set(key, { child: member, fault: cycle(way) })
      }
  }
  return [...found.values()]
}

interface Above extends Child {
  depth: number
}

/** Longest cycle whose members are told from what is below it. */
const longestCycle = 100

/** The staged entities above some rows, a hundred of each at most, and the rows themselves. */
async function upwards(trx: Knex.Transaction, upload: Upload, rows: readonly Child[]): Promise<Map<string, Above>> {
  const staged = stagedRows(trx, upload)
  const found = new Map<string, Above>(rows.map(row => [row.key, { ...row, depth: unplaced }]))
  let wanted = new Set(rows.map(({ parent }) => parent))
  for (let n = 0; n < longestCycle && wanted.size > 0; n++) {
    const more: Above[] = await staged
      .rows()
      .whereIn(
        'entity_key',
        [...wanted].filter(key => !found.has(key)),
      )
      .select({ ...columnsOfChild, depth: 'depth' })
    for (const entity of more) found.set(entity.key, entity)
    wanted = new Set(more.flatMap(({ parent, depth }) => (depth === unplaced ? [parent] : [])))
  }
  return found
}

/** The way from an entity up to itself; undefined where it is in no cycle. */
function cycleOf(key: string, above: ReadonlyMap<string, Above>): string[] | undefined {
  const way = [key]
  for (let at = above.get(key); at && at.depth === unplaced && way.length <= longestCycle; at = above.get(at.parent)) {
    way.push(at.parent)
    if (at.parent === key) return way
  }
  return undefined
}

const unknownParent = (parent: string): ParentFault => ({
  code: 'unknown-parent',
  detail: `There is no structural entity '${parent}', neither here nor in the upload.`,
})

const parentRefused = (parent: string): ParentFault => ({
  code: 'parent-refused',
  detail: `The row of its parent '${parent}' is refused.`,
})

const beyond = (key: string, bound: number): ParentFault => ({
  code: 'too-deep',
  detail: `The entity '${key}' would be at depth ${bound + 1}; the greatest depth is ${bound}.`,
})

/** Entities of a cycle that its fault names. */
const mostNamed = 10

function cycle(way: readonly string[] = []): ParentFault {
  const named = way.length > mostNamed ? [...way.slice(0, mostNamed), '…'] : way
  const path = named.length > 0 ? `: ${named.join(' → ')}` : ', nor below one that is'
  return { code: 'cycle', detail: `An entity cannot be below itself${path}.` }
}
