// Provides read-through caches with a time to live, on `lru-cache`.
import { LRUCache } from 'lru-cache'

/** Returns the value of a key, from the cache or by reading it. */
export interface Cached<Key, Value> {
  (key: Key): Promise<Value>
  /** Removes the entry of a key that this process has just changed. */
  forget(key: Key): void
}

/**
 * Wraps a read with a cache: a change takes effect within `ttlMs`. Concurrent readers share one read, and failed reads
 * are not cached. The time to live starts with the read, because the value is as old as that.
 * @param read gets the previous value, expired or not, and may return it unchanged.
 * @param ttlMs 0 disables the cache.
 * @param max number of entries; the least recently used is evicted first.
 */
export function cached<Key extends string | number, Value>(
  read: (key: Key, last: Promise<Value> | undefined) => Promise<Value>,
  { ttlMs, max = 10_000 }: { ttlMs: number; max?: number },
): Cached<Key, Value> {
  const cache = new LRUCache<Key, Promise<Value>>({ max, ttl: ttlMs, ttlResolution: 0 })
  const reader = (key: Key) => {
    const last = cache.peek(key, { allowStale: true })
    if (last && ttlMs > 0 && cache.getRemainingTTL(key) > 0) return cache.get(key) ?? last
    const value = read(key, last)
    cache.set(key, value)
    value.catch(() => cache.peek(key, { allowStale: true }) === value && cache.delete(key))
    return value
  }
  return Object.assign(reader, { forget: (key: Key) => void cache.delete(key) })
}
