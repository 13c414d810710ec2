/** How many letters of a word its remnants cover. The rest is only compared by {@link typosBetween}. */
const compared = 7

/**
 * Returns the remnants of a word: its first seven letters with up to `typos` of them left out in every possible way. Two words that
 * differ by at most that many typos always share a remnant, so that an index of remnants finds all candidates. Words that share a
 * remnant may still differ by more; {@link typosBetween} decides.
 */
export function remnantsOf(word: string, typos: number): string[] {
  const all = new Set<string>()
  let level = [[...word].slice(0, compared)]
  for (let left = typos; ; left--) {
    for (const letters of level) all.add(letters.join(''))
    if (left === 0) return [...all]
    level = level.flatMap(letters => letters.map((_, n) => letters.toSpliced(n, 1)))
  }
}

/**
 * Counts the letters that are inserted, left out, changed or swapped with their neighbour between two words (optimal string
 * alignment). If there are more than `most`, returns some number above `most`.
 */
export function typosBetween(one: string, other: string, max: number): number {
  const a = [...one]
  const b = [...other]
  if (Math.abs(a.length - b.length) > max) return max + 1
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, n) => n)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = i > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(beforeLast, j - 2) + 1 : changed
      row.push(Math.min(at(last, j) + 1, at(row, j - 1) + 1, changed, swapped))
    }
    if (Math.min(...row) > max) return max + 1
    beforeLast = last
    last = row
  }
  return at(last, b.length)
}

const at = (row: readonly number[], n: number): number => row[n] ?? Number.POSITIVE_INFINITY
