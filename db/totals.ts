// Totals of lists, remembered until something in the tenant has changed (decision record 0069).
import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Db, TenantId } from './connect.js'

interface Remembered {
  /** The mark at which the total was counted. */
  mark: number
  total: number
}

/** Totals that a process remembers, of all tenants: some 3 MB. */
const most = 10_000
const totals = new WeakMap<Db, LRUCache<string, Remembered>>()

/** A list whose total is wanted, and how to count it. */
export interface Counting {
  /** The name of the list and its filter, with everything in it that is looked up elsewhere. */
  list: unknown[]
  /**
   * A number that every committed change of a total in the tenant makes greater: a place in the order of commits. Undefined
   * where it would take too long to read.
   */
  mark: () => Promise<number | undefined>
  count: () => Promise<number>
}

/**
 * The total of a list, counted only where something in the tenant has changed since. It is exact: between two equal marks no change
 * was committed. So another process, or a replica that lags, never makes it wrong.
 * @param db reads marks and rows from one server: the rows of one that lags must not be counted for the mark of another.
 */
export async function totalOf(db: Db, tenant: TenantId, { list, mark, count }: Counting): Promise<number> {
  const known = totals.get(db) ?? new LRUCache<string, Remembered>({ max: most })
  totals.set(db, known)
  const name = hash('sha256', JSON.stringify([tenant, ...list]), 'base64')
  const before = await mark()
  const remembered = known.get(name)
  if (before !== undefined && remembered?.mark === before) return remembered.total
  const total = await count()
  if (before !== undefined && (await mark()) === before) known.set(name, { mark: before, total })
  return total
}
