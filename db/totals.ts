// Remembers the totals of lists until something in the tenant changes (decision record 0069).
import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Db, TenantId } from './connect.js'

interface Remembered {
  /** The mark at which the total was counted. */
  mark: number
  total: number
}

/** How many totals a process remembers, for all tenants together: some 3 MB. */
const max = 10_000
const totals = new WeakMap<Db, LRUCache<string, Remembered>>()

/** A list, and how to count it. */
export interface Counting {
  /** The name of the list and its filter. Must include everything that the total depends on, unless it changes the mark. */
  list: unknown[]
  /**
   * Returns a number that increases with every committed change that may affect the total. Returns undefined if it would take too long
   * to find out.
   */
  mark: () => Promise<number | undefined>
  count: () => Promise<number>
}

/**
 * Returns the total of a list. Counts only if something in the tenant has changed since the last time. The total is exact, even if other
 * processes write or a replica is behind, because nothing was committed between two equal marks.
 * @param db the server that both marks and rows are read from. They must not come from two servers, one of which may be behind.
 */
export async function totalOf(db: Db, tenant: TenantId, { list, mark, count }: Counting): Promise<number> {
  const known = totals.get(db) ?? new LRUCache<string, Remembered>({ max })
  totals.set(db, known)
  const name = hash('sha256', JSON.stringify([tenant, ...list]), 'base64')
  const before = await mark()
  const remembered = known.get(name)
  if (before !== undefined && remembered?.mark === before) return remembered.total
  const total = await count()
  if (before !== undefined && (await mark()) === before) known.set(name, { mark: before, total })
  return total
}
