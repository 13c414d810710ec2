// Compares two JSON documents.
import { pointerPart } from '../../runtime/problems/problem.js'

/** One difference between two documents. It contains no secrets, which are removed before documents are compared. */
export interface Change {
  /** JSON pointer. */
  path: string
  change: 'created' | 'updated' | 'deleted'
  before?: unknown
  after?: unknown
}

/** Returns all differences between two JSON documents, member by member. An array counts as one value. */
export function differences(before: unknown, after: unknown, path = ''): Change[] {
  if (isRecord(before) && isRecord(after)) {
    const members = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    return members.flatMap(member =>
      differences(own(before, member), own(after, member), `${path}/${pointerPart(member)}`),
    )
  }
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  if (before === undefined) return [{ path, change: 'created', after }]
  if (after === undefined) return [{ path, change: 'deleted', before }]
  return [{ path, change: 'updated', before, after }]
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns an own member only, because a client may be called `constructor`. */
const own = (record: Record<string, unknown>, member: string): unknown =>
  Object.hasOwn(record, member) ? record[member] : undefined
