/** One difference between two documents. Never holds a secret: those are left out before documents are compared. */
export interface Change {
  /** JSON pointer. */
  path: string
  change: 'created' | 'updated' | 'deleted'
  before?: unknown
  after?: unknown
}

/** Every difference between two JSON documents, member by member; an array is one value. */
export function differences(before: unknown, after: unknown, path = ''): Change[] {
  if (isRecord(before) && isRecord(after)) {
    const members = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    return members.flatMap(member =>
      differences(before[member], after[member], `${path}/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`),
    )
  }
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  if (before === undefined) return [{ path, change: 'created', after }]
  if (after === undefined) return [{ path, change: 'deleted', before }]
  return [{ path, change: 'updated', before, after }]
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
