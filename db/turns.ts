import { AsyncLocalStorage } from 'node:async_hooks'
import { isBulkheadRejectedError } from 'cockatiel'
import { createBulkheads } from '../runtime/bulkheads.js'
import { Problem } from '../runtime/problem.js'
import type { TenantId } from './connect.js'

/** Writers of one pool: some of a tenant run, its others wait for their turn before they take a connection. */
export interface Turns {
  /**
   * Runs `work` when it is the tenant's turn, in the order of the calls. Inside a turn of the same tenant it runs at once, so
   * a turn never waits for itself.
   * @throws Problem 503 when the turn does not come in time, or too many wait already.
   */
  run<T>(tenant: TenantId, work: () => Promise<T>): Promise<T>
  /** Number of tenants with writers; the others take no memory. */
  readonly tenants: number
}

interface Limits {
  /** Writers of one tenant that run together. */
  atOnce: number
  /** How long one waits for its turn, in ms. */
  waitMs: number
  /** Writers of one tenant that wait; each holds its request in memory. */
  mostWaiting?: number
}

export function createTurns({ atOnce, waitMs, mostWaiting = 1_000 }: Limits): Turns {
  const writers = createBulkheads<TenantId>(atOnce, mostWaiting)
  const held = new AsyncLocalStorage<TenantId>()
  return {
    async run<T>(tenant: TenantId, work: () => Promise<T>): Promise<T> {
      if (held.getStore() === tenant) return work()
      let timer: NodeJS.Timeout | undefined
      let isLate = false
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          isLate = true
          reject(tooManyWriters())
        }, waitMs)
      })
      const turn = writers.run(tenant, async () => {
        if (isLate) throw tooManyWriters()
        clearTimeout(timer)
        return held.run(tenant, work)
      })
      try {
        return await Promise.race([turn, late])
      } catch (error) {
        throw isBulkheadRejectedError(error) ? tooManyWriters() : error
      } finally {
        clearTimeout(timer)
      }
    },

    get tenants() {
      return writers.keys
    },
  }
}

const tooManyWriters = (): Problem =>
  new Problem(
    503,
    'busy',
    'Temporarily not available',
    'Other writes of the same tenant wait before this one. Nothing was changed. Please try again.',
    [],
    { 'Retry-After': '1' },
  )
