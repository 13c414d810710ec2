import { AsyncLocalStorage } from 'node:async_hooks'
import { isBulkheadRejectedError } from 'cockatiel'
import { createBulkheads } from '../runtime/bulkheads.js'
import { Problem } from '../runtime/problem.js'
import type { TenantId } from './connect.js'

/** Turns of tenants at something that they share: some of a tenant run, its others wait in the order of their calls. */
export interface Turns {
  /**
   * Runs `work` when it is the tenant's turn. Inside a turn of the same tenant it runs at once, so a turn never waits for itself.
   * @throws Problem 503 when the turn does not come in time; 429 when too many of the tenant wait already.
   */
  run<T>(tenant: TenantId, work: () => Promise<T>): Promise<T>
  /** Number of tenants with works; the others take no memory. */
  readonly tenants: number
}

interface Limits {
  /** Works of one tenant that run together. */
  atOnce: number
  /** Works of all tenants that run together. */
  ofAll: number
  /** How long one waits for its turn, in ms. */
  waitMs: number
  /** Works of one tenant that wait; each holds its request in memory. */
  mostWaiting?: number
}

/**
 * Two hundred slow writes (200 ms, six at once) take almost the 8 s that the API waits for a turn: who came later would wait for
 * nothing.
 */
const mostWriters = 200

/** Turns of writers at a pool, taken before a connection is. */
export function createTurns({ atOnce, ofAll, waitMs, mostWaiting = mostWriters }: Limits): Turns {
  const tenants = createBulkheads<TenantId>(atOnce, mostWaiting)
  const everybody = createBulkheads<'all'>(ofAll)
  const held = new AsyncLocalStorage<TenantId>()
  return {
    async run<T>(tenant: TenantId, work: () => Promise<T>): Promise<T> {
      if (held.getStore() === tenant) return work()
      let timer: NodeJS.Timeout | undefined
      let isLate = false
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          isLate = true
          reject(turnTooLate())
        }, waitMs)
      })
      const begin = async () => {
        if (isLate) throw turnTooLate()
        clearTimeout(timer)
        return held.run(tenant, work)
      }
      try {
        return await Promise.race([tenants.run(tenant, () => everybody.run('all', begin)), late])
      } catch (error) {
        throw isBulkheadRejectedError(error) ? tooManyWrites() : error
      } finally {
        clearTimeout(timer)
      }
    },

    get tenants() {
      return tenants.keys
    },
  }
}

const turnTooLate = (): Problem =>
  new Problem(
    503,
    'busy',
    'Temporarily not available',
    'Other writes wait before this one. Nothing was changed. Please try again.',
    [],
    { 'Retry-After': '1' },
  )

const tooManyWrites = (): Problem =>
  new Problem(
    429,
    'too-many-writes',
    'Too many requests',
    'Too many writes of the tenant wait before this one. Nothing was changed. Send fewer at once, and this one again later.',
    [],
    { 'Retry-After': '5' },
  )
