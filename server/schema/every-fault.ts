import { type Fault, Problem } from '../../runtime/problem.js'
import type { Caller } from '../middleware/authenticate.js'
import { maxFaults } from './faults.js'

/** How to find what is wrong with a body beyond its schema (spec: a refusal names every fault), writing nothing. */
export interface DryPlan {
  /** Stands in for required members of an item that cannot be used; its `Key` is made unique. */
  standIn: object
  /** Plans a batch. What it throws is what the request would be answered. */
  plan(items: never[], caller: Caller): Promise<unknown>
}

/**
 * The faults that the schema found in a body, an item or a batch of them, and those that planning finds in what is sound:
 * members at fault are left out, and what planning says of them is not repeated.
 */
export async function everyFault(found: Fault[], body: unknown, dry: DryPlan, caller: Caller): Promise<Fault[]> {
  const single = !Array.isArray(body)
  const faults = single ? found.map(fault => ({ ...fault, pointer: `/0${fault.pointer}`, index: 0 })) : found
  const hopeless =
    faults.length >= maxFaults || found.some(({ pointer, code }) => pointer === '' && code === 'wrong-type')
  if (hopeless) return found
  const unusable = new Set(faults.map(({ pointer }) => memberOf(pointer)))
  const items = (single ? [body] : body).map((item, index) => usable(item, index, unusable, dry.standIn))
  const planned = await dry.plan(items as never[], caller).then(() => [], faultsOfProblem)
  const more = planned.filter(({ pointer, index }) => !unusable.has(`/${index}`) && !unusable.has(memberOf(pointer)))
  const all = [...faults, ...more].sort((a, b) => (a.index ?? -1) - (b.index ?? -1))
  return single ? all.map(({ index: _, ...fault }) => ({ ...fault, pointer: fault.pointer.slice('/0'.length) })) : all
}

/** `/3/Key` of `/3/Key/…`: the item and the member at fault. */
const memberOf = (pointer: string): string => pointer.split('/').slice(0, 3).join('/')

function usable(item: unknown, index: number, unusable: ReadonlySet<string>, standIn: object): object | string {
  if (typeof item === 'string' && !unusable.has(`/${index}`)) return item
  const stands = { ...standIn, Key: `\u0000${index}` }
  if (typeof item !== 'object' || item === null) return stands
  // A key that breaks a rule is still the name by which other items refer to it.
  const sound = Object.entries(item).filter(
    ([member, value]) => (member === 'Key' && typeof value === 'string') || !unusable.has(`/${index}/${member}`),
  )
  return { ...stands, ...Object.fromEntries(sound) }
}

/** Faults of the request; that it may not be done, or conflicts with what is there, can be said when it is sound. */
function faultsOfProblem(error: unknown): Fault[] {
  if (!(error instanceof Problem) || error.status >= 500) throw error
  return error.status === 400 || error.status === 404 ? error.faults : []
}
