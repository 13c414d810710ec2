// Random orders and numbers that are the same in every run.

/**
 * Returns a shuffled copy of `items`. The order depends only on `seed` (32 bits), so it is the same on every machine and in
 * every run. Uses Fisher-Yates with the mulberry32 generator.
 */
export function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  const next = mulberry32(seed)
  const result: Item[] = []
  for (const item of items) {
    // The "inside-out" form: the new item goes to a random place, and the item that was there moves to the end.
    const at = Math.floor(next() * (result.length + 1))
    const displaced = result[at]
    if (displaced !== undefined) result.push(displaced)
    result[at] = item
  }
  return result
}

/** Creates a generator of numbers from 0 to below 1. The same seed gives the same numbers. */
export function mulberry32(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
