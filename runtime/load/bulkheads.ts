// Limits the number of concurrent calls for each key.
import { AsyncResource } from 'node:async_hooks'
import { bulkhead } from 'cockatiel'

/** A bulkhead for each key. Calls for the same key queue in their order. A key without calls takes no memory. */
export interface Bulkheads<Key> {
  /**
   * Runs `work` as soon as its key has a free slot. @throws BulkheadRejectedError (cockatiel) if too many calls for the
   * key are queued already.
   */
  run<T>(key: Key, work: () => Promise<T>): Promise<T>
  /** Number of keys that have calls running or queued. */
  readonly keys: number
}

/**
 * Creates the bulkheads. @param atOnce calls for one key that may run together. @param maxWaiting calls for one key
 * that may queue.
 */
export function createBulkheads<Key>(atOnce: number, maxWaiting = Number.POSITIVE_INFINITY): Bulkheads<Key> {
  const ofKeys = new Map<Key, { policy: ReturnType<typeof bulkhead>; works: number }>()
  return {
    async run(key, work) {
      const ofKey = ofKeys.get(key) ?? { policy: bulkhead(atOnce, maxWaiting), works: 0 }
      ofKeys.set(key, ofKey)
      ofKey.works++
      try {
        // Keeps the caller's async context. Cockatiel would call it in the context of the preceding call.
        return await ofKey.policy.execute(AsyncResource.bind(work))
      } finally {
        if (--ofKey.works === 0) ofKeys.delete(key)
      }
    },

    get keys() {
      return ofKeys.size
    },
  }
}
