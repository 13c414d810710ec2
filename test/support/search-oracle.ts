import { isOfLetters, type QueryWord, queryWords } from '../../db/frame/search-words.js'

/**
 * The rank of a subject with these words for a term, found by comparing everything with everything; undefined: no match.
 * The definition that every way of searching must keep.
 */
export function rankOf(words: readonly string[], term: string): number | undefined {
  let sum = 0
  for (const searched of queryWords(term)) {
    const best = Math.min(...words.map(word => wordRank(searched, word)))
    if (best === Number.POSITIVE_INFINITY) return undefined
    sum += best
  }
  return sum
}

function wordRank({ text, typos }: QueryWord, word: string): number {
  if (word === text) return 0
  if (word.startsWith(text)) return 1
  if (!isOfLetters(word)) return Number.POSITIVE_INFINITY
  const distance = distanceBetween([...text], [...word])
  return distance <= typos ? 1 + distance : Number.POSITIVE_INFINITY
}

/** The whole table of optimal string alignment, nothing left out. */
function distanceBetween(a: readonly string[], b: readonly string[]): number {
  const distance = (i: number, j: number): number => table[i]?.[j] ?? Number.POSITIVE_INFINITY
  const table: number[][] = []
  for (let i = 0; i <= a.length; i++) {
    const row: number[] = []
    table.push(row)
    for (let j = 0; j <= b.length; j++) {
      if (i === 0 || j === 0) row.push(i + j)
      else {
        const same = a[i - 1] === b[j - 1]
        const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
        row.push(
          Math.min(
            distance(i - 1, j) + 1,
            distance(i, j - 1) + 1,
            distance(i - 1, j - 1) + (same ? 0 : 1),
            i > 1 && j > 1 && swapped ? distance(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
          ),
        )
      }
    }
  }
  return distance(a.length, b.length)
}
