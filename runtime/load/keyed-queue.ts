// Queues work by key, and limits how long each piece may wait.
import { AsyncLocalStorage } from 'node:async_hooks'
import { isBulkheadRejectedError } from 'cockatiel'
import type { Problem } from '../problems/problem.js'
import { createBulkheads } from './bulkheads.js'

/**
 * Shares a resource among keys. Some pieces of work of a key run; the others queue in the order of the calls, for a
 * limited time.
 */
export interface KeyedQueue<Key> {
  /**
   * Runs `work` when it is the key's turn. Within a turn of the same key it runs at once, so that a turn never waits
   * for itself.
   * @throws the problems of {@link QueueLimits}.
   */
  run<T>(key: Key, work: () => Promise<T>): Promise<T>
  /** Number of keys with work running or queued. Other keys take no memory. */
  readonly keys: number
}

export interface QueueLimits {
  /** Pieces of work of one key that may run together. */
  atOnce: number
  /** Pieces of work of all keys that may run together. */
  ofAll: number
  /** How long work may wait for its turn, in ms. */
  waitTimeoutMs: number
  /** Pieces of work of one key that may queue. Each keeps its request in memory. */
  maxWaiting: number
  /** Creates the problem for work whose turn does not come in time. */
  late: () => Problem
  /** Creates the problem for work that finds the queue full. */
  tooMany: () => Problem
}

export function createKeyedQueue<Key>({
  atOnce,
  ofAll,
  waitTimeoutMs,
  maxWaiting,
  late,
  tooMany,
}: QueueLimits): KeyedQueue<Key> {
  const ofKeys = createBulkheads<Key>(atOnce, maxWaiting)
  const everybody = createBulkheads<'all'>(ofAll)
  const held = new AsyncLocalStorage<Key>()
  return {
    async run<T>(key: Key, work: () => Promise<T>): Promise<T> {
      if (held.getStore() === key) return work()
      let timer: NodeJS.Timeout | undefined
      let isLate = false
      const timeIsOver = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          isLate = true
          reject(late())
        }, waitTimeoutMs)
      })
      const begin = async () => {
        if (isLate) throw late()
        clearTimeout(timer)
        return held.run(key, work)
      }
      try {
        return await Promise.race([ofKeys.run(key, () => everybody.run('all', begin)), timeIsOver])
      } catch (error) {
        throw isBulkheadRejectedError(error) ? tooMany() : error
      } finally {
        clearTimeout(timer)
      }
    },

    get keys() {
      return ofKeys.keys
    },
  }
}
