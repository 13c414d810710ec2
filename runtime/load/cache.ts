// Reads through a cache with a time to live, on `lru-cache`.
import { LRUCache } from 'lru-cache'

/** Reads through a cache. */
export interface Cached<Key, Value> {
  (key: Key): Promise<Value>
  /** Removes the entry of a key that this process has just changed. */
  forget(key: Key): void
}

/**
 * Reads through a cache: a change counts after at most `ttlMs`. Concurrent readers share one read; a failed read is not kept.
 * The time counts from the start of the read, because the value is as old as that.
 * @param read gets the last value, expired or not, so that it can return it unchanged.
 * @param ttlMs 0 for no cache.
 * @param max number of entries; the least recently used goes first.
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
