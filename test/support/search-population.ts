import { queryWords, wordsOf } from '../../db/frame/search-words.js'
import type { Random } from './random.js'
import type { SearchedSubject } from './search-oracle.js'

/** Letters of one script, few enough that many of the names made of them are a typo apart. */
const alphabets = ['aeinmrst', 'aéiñmØßł', 'аеиноМРС', 'αεινοΜΡς', 'ابتسمنور', '山田太郎美羽王明', 'कमलनिरा']

/** Subjects with names in several scripts, numbers, phones and blanks; the same for the same seed. */
export function population(random: Random, count: number): SearchedSubject[] {
  return Array.from({ length: count }, (_, n) => {
    const letters = [...(alphabets[random.between(0, 2 * alphabets.length)] ?? alphabets[0] ?? '')]
    const name = () => word(random, letters, random.between(1, 12))
    const digits = (length: number) => word(random, [...'0123456789'], length)
    const words = wordsOf({
      name: ['String', `${name()} ${name()}`],
      number: ['String', digits(5)],
      ...(n % 3 === 0 ? { phone: ['String', `+47 ${digits(3)} ${digits(2)}`] } : {}),
      ...(n % 5 === 0
        ? {
            notes: [
              ['String', `${name()}-${digits(2)}%_`],
              ['String', `a1 ${name()}'s`],
            ],
          }
        : {}),
    })
    return { id: `${String(n).padStart(8, '0')}-0000-7000-8000-${random.between(1e6, 1e7)}00000`, words }
  })
}

const word = (random: Random, letters: readonly string[], length: number): string =>
  Array.from({ length }, () => letters[random.between(0, letters.length)] ?? '').join('')

/** A term that somebody may look for one of the subjects with: some of its words, whole, begun or mistyped. */
export function termFor(random: Random, subjects: readonly SearchedSubject[]): string {
  const { words } = subjects[random.between(0, subjects.length)] ?? { words: [] }
  const term = Array.from({ length: random.between(1, 4) }, () => {
    const letters = [...(words[random.between(0, words.length)] ?? '')]
    const way = random.between(0, 6)
    if (way === 0) return letters.join('').toUpperCase()
    if (way === 1) return letters.slice(0, random.between(1, letters.length + 1)).join('')
    const once = mistyped(random, letters)
    return (way < 4 ? once : mistyped(random, once)).join('')
  }).join(random.between(0, 2) === 0 ? ' ' : ', ')
  // Of a short word a typo may leave nothing.
  return queryWords(term).length > 0 ? term : termFor(random, subjects)
}

function mistyped(random: Random, letters: readonly string[]): string[] {
  const at = random.between(0, letters.length + 1)
  const other = letters[random.between(0, letters.length)] ?? 'e'
  switch (random.between(0, 4)) {
    case 0:
      return letters.toSpliced(at, 0, other)
    case 1:
      return letters.toSpliced(at, 1)
    case 2:
      return letters.toSpliced(at, 1, other)
    default:
      return letters.toSpliced(at, 2, ...letters.slice(at, at + 2).reverse())
  }
}
