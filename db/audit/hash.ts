// The hash of an event of the audit, as anybody can compute it from what the API shows.
import { hash } from 'node:crypto'

/** The hash that the first event of a chain has in place of that of the event before. */
export const firstHash = '0'.repeat(64)

/** Writes a value as JSON in its canonical form (RFC 8785): members in order of their names, and no blanks. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).filter(([, each]) => each !== undefined)
  const inOrder = members.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${inOrder.map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`).join(',')}}`
}

/** Returns the SHA-256, in hexadecimal digits, of an event without its own hash. Its position and `previousHash` are part of it. */
export const hashOf = ({ hash: _, ...event }: { hash?: string }): string => hash('sha256', canonical(event), 'hex')
