// Bounds the number of concurrent calls for each key.
import { AsyncResource } from 'node:async_hooks'
import { bulkhead } from 'cockatiel'

/** A bulkhead for each key: works of one key wait for each other, in the order of the calls. A key without works takes no memory. */
export interface Bulkheads<Key> {
  /** @throws BulkheadRejectedError (cockatiel) where too many works of the key wait already. */
  run<T>(key: Key, work: () => Promise<T>): Promise<T>
  /** Number of keys with works. */
  readonly keys: number
}

/** @param atOnce works of one key that run together. @param maxWaiting works of one key that wait. */
export function createBulkheads<Key>(atOnce: number, maxWaiting = Number.POSITIVE_INFINITY): Bulkheads<Key> {
  const ofKeys = new Map<Key, { policy: ReturnType<typeof bulkhead>; works: number }>()
  return {
    async run(key, work) {
      const ofKey = ofKeys.get(key) ?? { policy: bulkhead(atOnce, maxWaiting), works: 0 }
      ofKeys.set(key, ofKey)
      ofKey.works++
      try {
        // Bound to its own caller, because cockatiel calls it in the context of the work before it.
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
