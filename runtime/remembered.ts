/** Reads with a short memory. */
export interface Remembered<Key, Value> {
  (key: Key): Promise<Value>
  /** The next reading sees what is there now, which a writer of this process has just changed. */
  forget(key: Key): void
}

/**
 * Reads with a short memory: what has changed counts after at most `ttlMs`. Concurrent readers share one reading; a failed
 * one is not remembered. (`memoize` packages were looked at: none counts the time from before the reading, which is as old as
 * what it saw.)
 * @param read is given what was read last, where it is to be kept while nothing changes.
 * @param most keys that are remembered; beyond it all are forgotten.
 */
export function remembered<Key, Value>(
  read: (key: Key, last: Promise<Value> | undefined) => Promise<Value>,
  { ttlMs, most = 10_000 }: { ttlMs: number; most?: number },
): Remembered<Key, Value> {
  const known = new Map<Key, { value: Promise<Value>; until: number }>()
  const reader = (key: Key) => {
    const before = known.get(key)
    if (before && Date.now() < before.until) return before.value
    const fresh = { until: Date.now() + ttlMs, value: read(key, before?.value) }
    if (known.size >= most) known.clear()
    known.set(key, fresh)
    fresh.value.catch(() => known.get(key) === fresh && known.delete(key))
    return fresh.value
  }
  return Object.assign(reader, { forget: (key: Key) => void known.delete(key) })
}
