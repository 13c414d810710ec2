// Checks the answers of endpoints with the capability `structuredData`, and reads their data points.
import type { DataPointItem } from '../../../db/glue/data/data-sets.js'
import { isOfType } from '../../../db/glue/data/data-types.js'
import { isInteger, isNumeric, parseLossless } from '../../../runtime/json/exact-number.js'
import { type Fault, fault, Problem } from '../../../runtime/problems/problem.js'
import type { GlueAnswer } from '../../../workflows/glue/contracts.js'

/** A data point as an endpoint with the capability structuredData returns it. */
export interface AnsweredPoint {
  id: string
  subjectIdentifier: string
  items: DataPointItem[]
}

export interface AnsweredPage {
  points: AnsweredPoint[]
  /** Cursor of the next page; undefined after the last page. */
  next: string | undefined
  /** The number of rows on all pages; undefined if the endpoint does not declare one. */
  total: number | undefined
}

/** How many faults an error names. */
const namedFaults = 20
const maxKey = 255

/**
 * Reads the answer of an endpoint with the capability structuredData: `{dataPoints, next?, total?}`, names in any letter
 * case.
 * @param where which answer it is, for error messages: `page 3`.
 * @throws Problem 502 that names the row and member of the first twenty faults.
 */
export function readDataPoints({ status, body }: GlueAnswer, where: string): AnsweredPage {
  if (status < 200 || status > 299) throw wrongAnswer(where, [fault('', 'status', `The endpoint answered ${status}.`)])
  const json = 'json' in body ? body.json : undefined
  const faults: Fault[] = []
  const list = member(json, 'dataPoints')
  if (!Array.isArray(list)) {
    throw wrongAnswer(where, [fault('/dataPoints', 'wrong-type', 'It must be a list of data points.')])
  }
  const points = list.flatMap((point, n) => readPoint(point, `/dataPoints/${n}`, faults) ?? [])
  const next = member(json, 'next')
  if (next !== undefined && next !== null && typeof next !== 'string' && !isNumeric(next)) {
    faults.push(fault('/next', 'wrong-type', 'It must be the cursor of the next page, or null after the last.'))
  }
  const total = member(json, 'total')
  if (total !== undefined && !isInteger(total)) {
    faults.push(
      fault('/total', 'wrong-type', 'It must be the number of rows on all pages, as the endpoint declares it.'),
    )
  }
  if (faults.length > 0) throw wrongAnswer(where, faults)
  const count = total === undefined ? undefined : Number(total)
  return {
    points,
    total: count,
    next: next === undefined || next === null || next === '' ? undefined : String(textOf(next)),
  }
}

function readPoint(point: unknown, at: string, faults: Fault[]): AnsweredPoint | undefined {
  const before = faults.length
  const id = key(member(point, 'Id'), `${at}/Id`, faults)
  // The database ignores trailing blanks, so ids that differ only in those would be the same there.
  if (id !== id.trim()) faults.push(fault(`${at}/Id`, 'wrong-format', 'It must have no blanks at its ends.'))
  const subjectIdentifier = key(member(point, 'SubjectIdentifier'), `${at}/SubjectIdentifier`, faults)
  const list = member(point, 'DataPointItems')
  if (!Array.isArray(list)) faults.push(fault(`${at}/DataPointItems`, 'wrong-type', 'It must be a list of items.'))
  const items = Array.isArray(list) ? list.map((item, n) => readItem(item, `${at}/DataPointItems/${n}`, faults)) : []
  return faults.length === before ? { id, subjectIdentifier, items } : undefined
}

function readItem(item: unknown, at: string, faults: Fault[]): DataPointItem {
  const Key = key(member(item, 'Key'), `${at}/Key`, faults)
  const value = member(item, 'Value')
  const DataType = key(member(value, 'DataType'), `${at}/Value/DataType`, faults)
  const Value = member(value, 'Value') ?? null
  if (!isOfType(DataType, Value))
    faults.push(fault(`${at}/Value/Value`, 'wrong-data-type', `It is not a valid value of the type ${DataType}.`))
  return { Key, Value: { DataType, Value } }
}

/** Turns a number into a text, so that `7.0` is the key `7`. Returns other values unchanged. */
const textOf = (value: unknown): unknown => (isNumeric(value) ? String(parseLossless(String(value))) : value)

function key(value: unknown, pointer: string, faults: Fault[]): string {
  const text = textOf(value)
  if (typeof text === 'string' && text.trim() !== '' && text.length <= maxKey) return text
  faults.push(fault(pointer, 'wrong-type', `It must be a text of 1 to ${maxKey} characters.`))
  return ''
}

/** Returns the member with a name, in any letter case. */
function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  if (Object.hasOwn(value, name)) return (value as Record<string, unknown>)[name]
  const wanted = name.toLowerCase()
  return Object.entries(value).find(([own]) => own.toLowerCase() === wanted)?.[1]
}

/** Makes the problem 502 for an answer that cannot be used. It says which answer it is and what is wrong with it. */
export function wrongAnswer(where: string, faults: Fault[]): Problem {
  const [first] = faults
  const more = faults.length > 1 ? ` There are ${faults.length} faults; the first is shown.` : ''
  const detail = `The answer of the provider (${where}) cannot be used. ${first?.pointer}: ${first?.detail}${more}`
  return new Problem('provider-answer', detail, faults.slice(0, namedFaults))
}
