import { isOfLetters, type QueryWord, queryWords } from '../../db/frame/search-words.js'
import type { FoundSubject } from '../../db/frame/subject-search.js'

export interface SearchedSubject {
  id: string
  words: readonly string[]
}

/** What a search must find, best first: every word of the term compared with every word there is. */
export function searchAll(subjects: readonly SearchedSubject[], term: string): FoundSubject[] {
  const words = new Set(subjects.flatMap(subject => subject.words))
  const ranks = queryWords(term).map(
    searched => new Map([...words].map(word => [word, wordRank(searched, word)] as const)),
  )
  return subjects
    .map(({ id, words }) => ({
      id,
      rank: sum(ranks.map(rank => Math.min(...words.map(word => rank.get(word) ?? none)))),
    }))
    .filter(({ rank }) => rank !== none)
    .sort((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1))
}

const none = Number.POSITIVE_INFINITY
const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)

function wordRank({ text, typos }: QueryWord, word: string): number {
  if (word === text) return 0
  if (word.startsWith(text)) return 1
  if (!isOfLetters(word)) return none
  const distance = distanceBetween([...text], [...word])
  return distance <= typos ? 1 + distance : none
}

/** Insertions, deletions, changes and swaps of neighbours between two words: the whole table, nothing left out. */
function distanceBetween(a: readonly string[], b: readonly string[]): number {
  const table: number[][] = []
  const at = (i: number, j: number): number => table[i]?.[j] ?? none
  for (let i = 0; i <= a.length; i++) {
    const row: number[] = []
    table.push(row)
    for (let j = 0; j <= b.length; j++) {
      const changed = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : none
      row.push(i === 0 || j === 0 ? i + j : Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, changed, swapped))
    }
  }
  return at(a.length, b.length)
}
