/**
 * A copy of `items` in an order that depends on `seed` (32 bits) alone: the same on every machine and in every run.
 * Fisher-Yates over the mulberry32 generator.
 */
export function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  const next = mulberry32(seed)
  const result: Item[] = []
  for (const item of items) {
    // The "inside-out" form: the new item takes a random place, what stood there moves to the end.
    const at = Math.floor(next() * (result.length + 1))
    const displaced = result[at]
    if (displaced !== undefined) result.push(displaced)
    result[at] = item
  }
  return result
}

/** A generator of numbers from 0 to below 1, the same for the same seed. */
export function mulberry32(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
