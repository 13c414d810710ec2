// Splits texts and search terms into words.
import { visibleText } from '../fields/comparable-text.js'
import { listOf, type StoredValues } from '../fields/custom-fields.js'

/** How many characters of a word are indexed. Longer words are cut off. */
const maxWordLength = 64

/** The most words by which one subject can be found. */
export const maxWords = 200

/** A value of more words is a sentence rather than a name, and its words are not found when they are typed as one. */
const maxJoined = 4

/**
 * Returns the words by which a search finds a subject: the words of its String values, each once. A phone number also counts as one
 * word of all its digits, and the words of a name count joined as well. If there are more than {@link maxWords}, takes the first word of each value, then the second of each, and
 * so on, until the limit is reached.
 */
export function wordsOf(values: StoredValues): string[] {
  const texts = Object.values(values)
    .flatMap(listOf)
    .flatMap(([dataType, text]) => (dataType === 'String' ? [wordsOfText(text)] : []))
  const all = new Set(texts.flat())
  if (all.size <= maxWords) return [...all]
  const first = new Set<string>()
  for (let n = 0; ; n++) {
    for (const words of texts) {
      const word = words[n]
      if (word !== undefined) first.add(word)
      if (first.size === maxWords) return [...first]
    }
  }
}

const wordsOfText = (text: string): string[] => [
  ...wordsIn(text),
  ...(name.test(text) ? joinedWords(wordsIn(text)) : []),
  ...(phoneNumber.test(text) ? [cut(text.replace(/\D/g, ''))] : []),
]

/** Matches texts that may be names. */
const name = /^[\p{L}\p{M}\s.'’ʼ-]+$/u

/**
 * Returns the words of a name typed as one: of `van der Berg` these are `vanderberg` and `derberg`. A search finds words by their
 * beginnings, so it finds any neighbours that are typed as one.
 */
const joinedWords = (words: string[]): string[] =>
  words.length > maxJoined ? [] : words.slice(0, -1).map((_, n) => cut(words.slice(n).join('')))

/** A word of a search term. */
export interface QueryWord {
  text: string
  /** How many typos are forgiven. None in words with a digit, because a similar number belongs to somebody else. */
  typos: 0 | 1 | 2
}

/** Splits a search term into its words, each once. */
export const queryWords = (term: string): QueryWord[] =>
  [...new Set(wordsIn(term))].map(text => ({ text, typos: forgivenTypos(text) }))

/** Returns true for words without digits. Only in these are typos forgiven. */
export const isOfLetters = (word: string): boolean => !/\p{N}/u.test(word)

function forgivenTypos(word: string): QueryWord['typos'] {
  const letters = [...word].length
  if (letters < 4 || !isOfLetters(word)) return 0
  return letters < 8 ? 1 : 2
}

const phoneNumber = /^(?=(?:\D*\d){3})\+?[\d\s().\-/]{3,40}$/

/** Splits a text into runs of letters and digits, in lower case and without accents. */
const wordsIn = (text: string): string[] =>
  // Plain ASCII only needs lower case. The Unicode rules would take three times as long.
  (beyondAscii.test(text) ? folded(text).match(/[\p{L}\p{M}\p{N}]+/gu) : text.toLowerCase().match(/[a-z\d]+/g))?.map(
    cut,
  ) ?? []

const beyondAscii = /[\u0080-\uffff]/

const cut = (word: string): string => (word.length <= maxWordLength ? word : [...word].slice(0, maxWordLength).join(''))

/** Letters that Unicode does not decompose, with what people type instead of them. */
const plain: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  ŋ: 'n',
  ŧ: 't',
  þ: 'th',
  ə: 'e',
  ς: 'σ',
  ʼ: ' ',
}

/** Accents and vowel points, which are dropped. The vowel signs of Indian and other scripts count as letters, and stay. */
const marks = /(?=\p{M})[\p{Script=Inherited}\p{Script=Arabic}\p{Script=Hebrew}]/gu

const folded = (text: string): string =>
  visibleText(text)
    .normalize('NFKD')
    .toLowerCase()
    .replace(marks, '')
    .replace(/[ßæœøđðħıłŋŧþəςʼ]/g, letter => plain[letter] ?? letter)
    // Composes Hangul syllables again, and whatever the steps above have left decomposed.
    .normalize('NFKC')
