// Queues the works of a key, and bounds how long each may wait.
import { AsyncLocalStorage } from 'node:async_hooks'
import { isBulkheadRejectedError } from 'cockatiel'
import type { Problem } from '../problems/problem.js'
import { createBulkheads } from './bulkheads.js'

/** Turns at something that many share: some works of a key run, its others wait in the order of their calls, for a while. */
export interface KeyedQueue<Key> {
  /**
   * Runs `work` when it is the key's turn. Inside a turn of the same key it runs at once, so a turn never waits for itself.
   * @throws the problems of {@link QueueLimits}.
   */
  run<T>(key: Key, work: () => Promise<T>): Promise<T>
  /** Number of keys with works; the others take no memory. */
  readonly keys: number
}

export interface QueueLimits {
  /** Works of one key that run together. */
  atOnce: number
  /** Works of all keys that run together. */
  ofAll: number
  /** How long one waits for its turn, in ms. */
  waitTimeoutMs: number
  /** Works of one key that wait; each holds its request in memory. */
  maxWaiting: number
  /** The answer where the turn does not come in time. */
  late: () => Problem
  /** The answer where as many wait as may. */
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
