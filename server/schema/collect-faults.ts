// Collects all faults of a body, from the schema and from a dry run.
import { randomUUID } from 'node:crypto'
import { type Fault, maxFaults, Problem } from '../../runtime/problems/problem.js'
import { memberOf } from '../../runtime/schema/member-of.js'
import { withoutFaults } from '../../runtime/schema/without-faults.js'
import type { Caller } from '../caller.js'

/** Finds faults of a body that its schema cannot find, without writing anything (spec: a refusal names every fault). */
export type DryPlan = BatchPlan | BodyCheck

/** Checks the parts of a body that have no faults. */
interface BodyCheck {
  check(sound: never, caller: Caller, params: Record<string, string>): Promise<Fault[]>
}

/** Plans the items of a batch together. A body that is no batch counts as one item. */
interface BatchPlan {
  /** Replacements for required members with faults. A key with a fault is replaced by one that nothing has. */
  standIn: object
  /** Rewords faults of the schema that depend on the tenant's settings. Pointers begin with the index of the item. */
  explain?(faults: readonly Fault[], items: readonly unknown[], caller: Caller): Promise<Fault[]>
  /** Plans a batch. The errors that it throws become faults of the request. */
  plan(items: never[], caller: Caller, request: DryRequest): Promise<unknown>
}

export interface DryRequest {
  params: Record<string, string>
  /** Whether the body is a single item and not a batch. */
  single: boolean
}

/** Returns the faults that the schema found in a body, and those that a dry run finds in the rest of it. */
export async function collectFaults(
  found: Fault[],
  body: unknown,
  dry: DryPlan,
  caller: Caller,
  params: Record<string, string>,
): Promise<Fault[]> {
  if (found.some(({ pointer, code }) => pointer === '' && code === 'wrong-type')) return found
  if ('plan' in dry) {
    if (Array.isArray(body)) return faultsOfItems(found, body, dry, caller, { params, single: false })
    const ofItem = found.map(fault => ({ ...fault, pointer: `/0${fault.pointer}`, index: 0 }))
    const faults = await faultsOfItems(ofItem, [body], dry, caller, { params, single: true })
    return faults.map(({ index: _, ...fault }) => ({ ...fault, pointer: fault.pointer.slice('/0'.length) }))
  }
  if (isCut(found)) return found
  return [...found, ...(await dry.check(withoutFaults(body, found) as never, caller, params))]
}

/** Tells whether a body may have more faults than these: the items of a batch that is too long are not checked. */
const isCut = (found: readonly Fault[]): boolean =>
  found.length >= maxFaults || found.some(({ pointer, code }) => pointer === '' && code === 'too-many')

/** Plans the items with placeholders for their faulty parts, and leaves out faults of placeholders. */
async function faultsOfItems(
  found: readonly Fault[],
  items: readonly unknown[],
  dry: BatchPlan,
  caller: Caller,
  request: DryRequest,
): Promise<Fault[]> {
  const faults = (await dry.explain?.(found, items, caller)) ?? [...found]
  if (isCut(found)) return faults
  const faulty = new Set(faults.map(({ index }) => index))
  // Placeholders go into copies, since the answer names the items' own keys.
  const usable = items.map((item, n) =>
    faulty.has(n) && isObject(item) ? { Key: randomUUID(), ...dry.standIn, ...item } : item,
  )
  const replaced = new Set(faults.map(fault => replacePart(usable, fault, dry.standIn)))
  const planned = await dry.plan(usable as never[], caller, request).then(() => [], faultsOfProblem)
  const others = planned.filter(({ pointer }) => {
    const [, item, member, entry] = pointer.split('/')
    return ![`/${item}`, `/${item}/${member}`, `/${item}/${member}/${entry}`].some(part => replaced.has(part))
  })
  return [...faults, ...others].sort((a, b) => (a.index ?? -1) - (b.index ?? -1))
}

/**
 * Replaces a faulty part by a placeholder: an entry of a list by its name alone, if it has one, or else the member or
 * the item.
 * @returns the pointer of the part that the plan cannot check.
 */
function replacePart(items: unknown[], { pointer }: Fault, standIn: object): string {
  const [, index = '', member, entry] = pointer.split('/')
  const item = items[Number(index)]
  if (!isObject(item)) {
    if (index !== '') items[Number(index)] = { ...standIn, Key: randomUUID() }
    return index === '' ? '' : `/${index}`
  }
  if (member === undefined) return pointer
  const value = item[member]
  const list = entry !== undefined && Array.isArray(value) ? value : undefined
  const name = nameAlone(list?.[Number(entry)])
  if (list && name !== undefined) {
    list[Number(entry)] = name
    return `/${index}/${member}/${entry}`
  }
  // A key that breaks a rule is kept, because other items may refer to it.
  if (member !== 'Key') item[member] = memberOf(standIn, member)
  else if (typeof value !== 'string') item.Key = randomUUID()
  return `/${index}/${member}`
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Returns an entry reduced to its name, or undefined if it can have none. */
function nameAlone(entry: unknown): string | { Key: string; Value: null } | undefined {
  if (!isObject(entry)) return typeof entry === 'string' ? entry : undefined
  return { Key: typeof entry.Key === 'string' ? entry.Key : randomUUID(), Value: null }
}

/**
 * Returns the faults of a problem. Conflicts and missing permissions are reported only for requests without other
 * faults.
 */
function faultsOfProblem(error: unknown): Fault[] {
  if (!(error instanceof Problem) || error.status >= 500) throw error
  return error.status === 400 || error.status === 404 ? error.faults : []
}
