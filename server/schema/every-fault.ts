// Collects all faults of a body, from the schema and from a dry run.
import { type Fault, maxFaults, Problem } from '../../runtime/problem.js'
import { memberOf } from '../../runtime/schema/member-of.js'
import { withoutFaults } from '../../runtime/without-faults.js'
import type { Caller } from '../caller.js'

/** How to find what is wrong with a body beyond its schema (spec: a refusal names every fault), writing nothing. */
export type DryPlan = BatchPlan | BodyCheck

/** Of a body that is sound only in part, what else is wrong with it. */
interface BodyCheck {
  check(sound: never, caller: Caller, params: Record<string, string>): Promise<Fault[]>
}

/** Of an item or a batch of them, which are planned together. */
interface BatchPlan {
  /** Stands in for required members of an item that cannot be used; its `Key` is made unique. */
  standIn: object
  /** Says of faults of the schema what only the tenant's settings tell. Pointers begin with the index of the item. */
  explain?(faults: readonly Fault[], items: readonly unknown[], caller: Caller): Promise<Fault[]>
  /** Plans a batch. Its errors become the response of the request. */
  plan(items: never[], caller: Caller, request: DryRequest): Promise<unknown>
}

export interface DryRequest {
  params: Record<string, string>
  /** The body is no batch: its one item is all of it. */
  single: boolean
}

/** The faults that the schema found in a body, and those that are found in what is sound of it. */
export async function everyFault(
  found: Fault[],
  body: unknown,
  dry: DryPlan,
  caller: Caller,
  params: Record<string, string>,
): Promise<Fault[]> {
  if (found.some(({ pointer, code }) => pointer === '' && code === 'wrong-type')) return found
  if ('plan' in dry) return everyFaultOfItems(found, body, dry, caller, params)
  if (found.length >= maxFaults) return found
  return [...found, ...(await dry.check(withoutFaults(body, found) as never, caller, params))]
}

/**
 * Collects the faults of an item or a batch. Planning runs without the faulty members and list entries, and its
 * faults about them are dropped.
 */
async function everyFaultOfItems(
  found: Fault[],
  body: unknown,
  dry: BatchPlan,
  caller: Caller,
  params: Record<string, string>,
): Promise<Fault[]> {
  const single = !Array.isArray(body)
  const given: readonly unknown[] = single ? [body] : body
  const ofItems = single ? found.map(fault => ({ ...fault, pointer: `/0${fault.pointer}`, index: 0 })) : found
  const faults = (await dry.explain?.(ofItems, given, caller)) ?? ofItems
  const unusable = new Set(faults.map(({ pointer }) => unusablePart(pointer, given)))
  const items = given.map((item, index) => usable(item, index, unusable, dry.standIn))
  const planned =
    found.length < maxFaults
      ? await dry.plan(items as never[], caller, { params, single }).then(() => [], faultsOfProblem)
      : []
  const more = planned.filter(
    ({ pointer, index }) =>
      ![`/${index}`, upTo('member', pointer), upTo('entry', pointer)].some(part => unusable.has(part)),
  )
  const all = [...faults, ...more].sort((a, b) => (a.index ?? -1) - (b.index ?? -1))
  return single ? all.map(({ index: _, ...fault }) => ({ ...fault, pointer: fault.pointer.slice('/0'.length) })) : all
}

/** `/3/Key` of `/3/Key/…`: an item's member; `/3/Values/7` of `/3/Values/7/…`: an entry of a member that is a list. */
const upTo = (part: 'member' | 'entry', pointer: string): string =>
  pointer
    .split('/')
    .slice(0, part === 'member' ? 3 : 4)
    .join('/')

/** The part to leave out of planning: an entry of a list where a name can stand for it, else the whole member. */
function unusablePart(pointer: string, items: readonly unknown[]): string {
  const [, index = '', member = '', entry = ''] = pointer.split('/')
  const list = memberOf(memberOf(items, index), member)
  return upTo(Array.isArray(list) && nameOf(list[Number(entry)]) !== undefined ? 'entry' : 'member', pointer)
}

/** An entry's name alone: the rest of the list is judged as if it were there. */
function nameOf(entry: unknown): string | { Key: string; Value: null } | undefined {
  if (typeof entry !== 'object' || entry === null) return typeof entry === 'string' ? entry : undefined
  const key = memberOf(entry, 'Key')
  return { Key: typeof key === 'string' ? key : '\u0000', Value: null }
}

function usable(item: unknown, index: number, unusable: ReadonlySet<string>, standIn: object): object | string {
  if (typeof item === 'string' && !unusable.has(`/${index}`)) return item
  const stands = { ...standIn, Key: `\u0000${index}` }
  if (typeof item !== 'object' || item === null) return stands
  // A key that breaks a rule is still the name by which other items refer to it.
  const sound = Object.entries(item)
    .filter(
      ([member, value]) => (member === 'Key' && typeof value === 'string') || !unusable.has(`/${index}/${member}`),
    )
    .map(([member, value]) => [
      member,
      Array.isArray(value)
        ? value.map((entry, n) => (unusable.has(`/${index}/${member}/${n}`) ? nameOf(entry) : entry))
        : value,
    ])
  return { ...stands, ...Object.fromEntries(sound) }
}

/** Faults of the request; that it may not be done, or conflicts with what is there, can be said when it is sound. */
function faultsOfProblem(error: unknown): Fault[] {
  if (!(error instanceof Problem) || error.status >= 500) throw error
  return error.status === 400 || error.status === 404 ? error.faults : []
}
