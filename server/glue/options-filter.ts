// Filters data extracts by their options.
import { isDeepStrictEqual } from 'node:util'
import { type Fault, pointerPart } from '../../runtime/problem.js'

/** One entry of a `DataExtractsOptionsValuesFilter`: a path into the options of a data extract, and what must be there. */
export interface FilterEntry {
  path: string
  steps: (string | number)[]
  value: unknown
}

/** How an entry meets the options of an extract. */
export interface MetEntry {
  Path: string
  Matches: boolean
  /** The value at the path; absent where there is none. */
  Found?: unknown
}

/**
 * Reads a filter (spec frame "Data-change rules" 4; DECISIONS "Filter values"). Paths are names with dots and `[n]`.
 * Every broken path goes into `faults`.
 */
export function readFilter(filter: Record<string, unknown>, faults: Fault[]): FilterEntry[] {
  return Object.entries(filter).flatMap(([path, value]) => {
    const steps = stepsOf(path)
    if (steps) return [{ path, steps, value }]
    const detail = `'${path}' is no path: write names with dots between them and [n] behind them, as in name[0].child.`
    faults.push({ pointer: `/DataExtractsOptionsValuesFilter/${pointerPart(path)}`, code: 'path', detail })
    return []
  })
}

/** A name, then any of `.name` and `[n]`. */
function stepsOf(path: string): (string | number)[] | undefined {
  if (!/^[^.[\]]+(?:\.[^.[\]]+|\[\d{1,9}\])*$/.test(path)) return undefined
  return [...path.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([name, index]) => (index === undefined ? name : Number(index)))
}

/** How each entry meets the options of an extract; it matches when all do. */
export const meet = (entries: readonly FilterEntry[], options: unknown): MetEntry[] =>
  entries.map(({ path, steps, value }) => {
    const found = steps.reduce(stepInto, options)
    return { Path: path, Matches: isDeepStrictEqual(found, value), ...(found === undefined ? {} : { Found: found }) }
  })

/** The value at a step: an own member of an object, or an item of a list. */
function stepInto(value: unknown, step: string | number): unknown {
  if (typeof step === 'number') return Array.isArray(value) ? value[step] : undefined
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.hasOwn(value, step) ? (value as Record<string, unknown>)[step] : undefined
}
