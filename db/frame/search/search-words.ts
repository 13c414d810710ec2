// Splits texts and search terms into words.
import { listOf, type StoredValues } from '../subjects/custom-fields.js'

/** Characters of a word that count; of longer words the beginning. */
const maxWordLength = 64

/** Words by which one subject is found; of longer texts the first ones. */
export const mostWords = 200

/**
 * The words by which a search finds a subject: those of its String values, each once. The digits of a phone number are
 * one more word. Beyond {@link mostWords} each value gives its first word, then its second, and so on.
 */
export function wordsOf(values: StoredValues): string[] {
  const texts = Object.values(values)
    .flatMap(listOf)
    .flatMap(([dataType, text]) => (dataType === 'String' ? [wordsOfText(text)] : []))
  const all = new Set(texts.flat())
  if (all.size <= mostWords) return [...all]
  const first = new Set<string>()
  for (let n = 0; ; n++) {
    for (const words of texts) {
      const word = words[n]
      if (word !== undefined) first.add(word)
      if (first.size === mostWords) return [...first]
    }
  }
}

const wordsOfText = (text: string): string[] => [
  ...wordsIn(text),
  ...(phoneNumber.test(text) ? [cut(text.replace(/\D/g, ''))] : []),
]

/** One word that is searched for. */
export interface QueryWord {
  text: string
  /** How many mistyped letters are forgiven: none in words with a digit, since another number is another person's. */
  typos: 0 | 1 | 2
}

/** The words of a search term, each once. */
export const queryWords = (term: string): QueryWord[] =>
  [...new Set(wordsIn(term))].map(text => ({ text, typos: forgivenTypos(text) }))

/** True for words that may be written with a typo: those of letters alone. */
export const isOfLetters = (word: string): boolean => !/\p{N}/u.test(word)

function forgivenTypos(word: string): QueryWord['typos'] {
  const letters = [...word].length
  if (letters < 4 || !isOfLetters(word)) return 0
  return letters < 8 ? 1 : 2
}

const phoneNumber = /^(?=(?:\D*\d){3})\+?[\d\s().\-/]{3,40}$/

/** Runs of letters and digits, whatever their case and accents. */
const wordsIn = (text: string): string[] =>
  // In ASCII there is nothing to fold but capitals, and the rules of Unicode take three times as long.
  (beyondAscii.test(text) ? folded(text).match(/[\p{L}\p{M}\p{N}]+/gu) : text.toLowerCase().match(/[a-z\d]+/g))?.map(
    cut,
  ) ?? []

const beyondAscii = /[\u0080-\uffff]/

const cut = (word: string): string => (word.length <= maxWordLength ? word : [...word].slice(0, maxWordLength).join(''))

/** Letters that Unicode does not take apart, with what people type for them. */
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

/** Accents and vowel points. The vowel signs of India's and other scripts are letters to those who write them, and stay. */
const marks = /(?=\p{M})[\p{Script=Inherited}\p{Script=Arabic}\p{Script=Hebrew}]/gu

const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(marks, '')
    .replace(/[ßæœøđðħıłŋŧþəςʼ]/g, letter => plain[letter] ?? letter)
    // Hangul in syllables again; and what lower case and the table have made.
    .normalize('NFKC')
