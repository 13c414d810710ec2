// Random numbers from a seed.
import { mulberry32, shuffled } from '../../dev/shuffle.js'

/** Random choices that depend only on a seed, so that a failed run can be repeated. */
export interface Random {
  /** Returns a whole number of at least `from` and less than `to`. */
  between(from: number, to: number): number
  shuffled<Item>(items: readonly Item[]): Item[]
}

export function randomOf(seed: number): Random {
  const next = mulberry32(seed)
  const between = (from: number, to: number) => from + Math.floor(next() * (to - from))
  return { between, shuffled: items => shuffled(items, between(0, 2 ** 31)) }
}
