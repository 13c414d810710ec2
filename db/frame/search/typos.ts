/** Letters of a word that are compared by remnants; the rest is compared by {@link typosBetween} alone. */
const compared = 7

/**
 * The remnants of a word: its first seven letters with up to `typos` of them left out, itself included. Two words
 * within that many typos of each other share a remnant. The reverse does not hold.
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
 * The number of letters that are inserted, left out, changed or swapped with their neighbour between two words (optimal
 * string alignment). Any number above `most` where there are more.
 */
export function typosBetween(one: string, other: string, most: number): number {
  const a = [...one]
  const b = [...other]
  if (Math.abs(a.length - b.length) > most) return most + 1
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, n) => n)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = i > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(beforeLast, j - 2) + 1 : changed
      row.push(Math.min(at(last, j) + 1, at(row, j - 1) + 1, changed, swapped))
    }
    if (Math.min(...row) > most) return most + 1
    beforeLast = last
    last = row
  }
  return at(last, b.length)
}

const at = (row: readonly number[], n: number): number => row[n] ?? Number.POSITIVE_INFINITY
