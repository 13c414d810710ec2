import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import { BulkheadRejectedError, bulkhead } from 'cockatiel'
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
  const queues = new Map<TenantId, { turns: ReturnType<typeof bulkhead>; writers: number }>()
  const held = new AsyncLocalStorage<TenantId>()
  return {
    async run<T>(tenant: TenantId, work: () => Promise<T>): Promise<T> {
      if (held.getStore() === tenant) return work()
      const queue = queues.get(tenant) ?? { turns: bulkhead(atOnce, mostWaiting), writers: 0 }
      queues.set(tenant, queue)
      queue.writers++
      let timer: NodeJS.Timeout | undefined
      let isLate = false
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          isLate = true
          reject(tooManyWriters())
        }, waitMs)
      })
      // Bound to its own caller, because the queue calls it in the context of the writer before it.
      const begin = AsyncResource.bind(async () => {
        if (isLate) throw tooManyWriters()
        clearTimeout(timer)
        return held.run(tenant, work)
      })
      try {
        return await Promise.race([queue.turns.execute(begin), late])
      } catch (error) {
        throw error instanceof BulkheadRejectedError ? tooManyWriters() : error
      } finally {
        clearTimeout(timer)
        if (--queue.writers === 0) queues.delete(tenant)
      }
    },

    get tenants() {
      return queues.size
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
