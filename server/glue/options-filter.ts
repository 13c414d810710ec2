// Filters data extracts by their options.
import { isDeepStrictEqual } from 'node:util'
import { type Fault, pointerPart } from '../../runtime/problems/problem.js'

/**
 * An entry of a `DataExtractsOptionsValuesFilter`: a path into the options of a data extract, and the value expected
 * there.
 */
export interface FilterEntry {
  path: string
  steps: (string | number)[]
  value: unknown
}

/** How an entry compares with the options of an extract. */
export interface ComparedEntry {
  Path: string
  Matches: boolean
  /** The value at the path; absent if there is none. */
  Found?: unknown
}

/**
 * Parses a filter (spec frame "Data-change rules" 4; DECISIONS "Filter values"). Paths consist of names with dots and
 * of `[n]`. A malformed path adds a fault to `faults`.
 */
export function readFilter(filter: Record<string, unknown>, faults: Fault[]): FilterEntry[] {
  return Object.entries(filter).flatMap(([path, value]) => {
    const steps = stepsOf(path)
    if (steps) return [{ path, steps, value }]
    const detail = `'${path}' is not a path: write names with dots between them and [n] behind them, as in name[0].child.`
    faults.push({ pointer: `/DataExtractsOptionsValuesFilter/${pointerPart(path)}`, code: 'path', detail })
    return []
  })
}

/** Splits a path, which is a name followed by any number of `.name` and `[n]`. Returns undefined for anything else. */
function stepsOf(path: string): (string | number)[] | undefined {
  if (!/^[^.[\]]+(?:\.[^.[\]]+|\[\d{1,9}\])*$/.test(path)) return undefined
  return [...path.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([name, index]) => (index === undefined ? name : Number(index)))
}

/** Compares each entry with the options of an extract. The extract matches if all entries do. */
export const compareEntries = (entries: readonly FilterEntry[], options: unknown): ComparedEntry[] =>
  entries.map(({ path, steps, value }) => {
    const found = steps.reduce(stepInto, options)
    return { Path: path, Matches: isDeepStrictEqual(found, value), ...(found === undefined ? {} : { Found: found }) }
  })

/** Returns the value at a step: an object's own member, or an item of a list. */
function stepInto(value: unknown, step: string | number): unknown {
  if (typeof step === 'number') return Array.isArray(value) ? value[step] : undefined
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.hasOwn(value, step) ? (value as Record<string, unknown>)[step] : undefined
}
