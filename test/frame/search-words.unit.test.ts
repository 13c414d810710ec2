// Words of a search.
import { expect, test } from 'vitest'
import { maxWords, queryWords, wordsOf } from '../../db/frame/search/search-words.js'
import { remnantsOf, typosBetween } from '../../db/frame/search/typos.js'
import { randomOf } from '../support/random.js'

test.each([
  ['José ÅNGSTRÖM', 'jose angstrom'],
  ['Straße STRASSE ẞ', 'strasse ss'],
  ['Ærø Łukasz Đorđe Þór İstanbul ılık', 'aero lukasz dorde thor istanbul ilik'],
  ['ΌΔΥΣΣΕΎΣ Οδυσσεύς', 'οδυσσευσ'],
  ['Ёлка ЙОД', 'елка иод'],
  ['مُحَمَّد שָׁלוֹם', 'محمد שלום'],
  ['김민수 山田太郎 हिन्दी', '김민수 山田太郎 हिन्दी'],
  [`O'Neill O’Neill Oʼneill`, 'o neill'],
  ['ﬁne ① x²', 'fine 1 x2'],
  ['jean-luc_picard@example.org', 'jean luc picard example org'],
  ['%_\\ "\' 🏥 \u0000', ''],
  ['lone \ud800 surrogate', 'lone surrogate'],
  ['', ''],
])('%s is searched for as %s', (term, words) => {
  expect(queryWords(term).map(({ text }) => text)).toEqual(words === '' ? [] : words.split(' '))
})

test.each([
  ['ana', 0],
  ['anna', 1],
  ['johanna', 1],
  ['johannes', 2],
  ['anna1', 0],
  ['johannes٣', 0],
  ['иван', 1],
  ['𐐨𐐩𐐪', 0],
] as const)('%s may have %i typos', (term, typos) => {
  expect(queryWords(term)).toEqual([{ text: term.normalize('NFKC'), typos }])
})

test('the values of type String are searched, each word once, in arrays too', () => {
  const words = wordsOf({
    name: ['String', 'Anna Anna-Maria'],
    languages: [
      ['String', 'nb'],
      ['String', 'EN'],
    ],
    born: ['Date', '1985-03-02'],
    weight: ['Decimal', '71.5'],
    worker: ['UserIdentifier', 'user-1'],
    consent: ['Boolean', 'true'],
  })
  expect(words).toEqual(['anna', 'maria', 'annaannamaria', 'annamaria', 'nb', 'en'])
})

test.each([
  ['van der Berg', ['van', 'der', 'berg', 'vanderberg', 'derberg']],
  ["Mary-Jane O'Neill", ['mary', 'jane', 'o', 'neill', 'maryjaneoneill', 'janeoneill', 'oneill']],
  ['Ada', ['ada']],
  ['ada.okafor@example.org', ['ada', 'okafor', 'example', 'org']],
  ['12 High Street', ['12', 'high', 'street']],
  ['came to the ward on foot', ['came', 'to', 'the', 'ward', 'on', 'foot']],
])('%s is also found by its words typed as one, if it may be a name', (text, words) => {
  expect(wordsOf({ text: ['String', text] })).toEqual(words)
})

test('a phone number is found by its parts and by all its digits', () => {
  expect(wordsOf({ phone: ['String', '+47 (912) 34-567'] })).toEqual(['47', '912', '34', '567', '4791234567'])
})

test('a subject with too many words is found by the first ones of each value', () => {
  const text = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}${n}`).join(' ')
  const found = wordsOf({
    notes: ['String', text('long', 5_000)],
    more: ['String', text('other', 5_000)],
    name: ['String', 'Anna Nordmann'],
    phone: ['String', '+47 912 34 567'],
  })
  expect(found).toHaveLength(maxWords)
  expect(found).toEqual(
    expect.arrayContaining(['long0', 'other0', 'anna', 'nordmann', '4791234567', 'long90', 'other90']),
  )
  expect(found).not.toContain('long200')
})

test('only the first 64 letters of a word count, in the subject and in the term', () => {
  const long = '𐐨'.repeat(70)
  expect(wordsOf({ notes: ['String', long] })).toEqual(['𐐨'.repeat(64)])
  expect(queryWords(long)).toEqual([{ text: '𐐨'.repeat(64), typos: 2 }])
})

test.each([
  ['garcia', 'garcia', 0],
  ['garcia', 'gracia', 1],
  ['garcia', 'garca', 1],
  ['garcia', 'garciaa', 1],
  ['garcia', 'garzia', 1],
  ['johansson', 'jonahson', 3],
  ['johansson', 'johnson', 2],
  // A swapped pair is not changed further: three, where an unrestricted distance is two.
  ['ca', 'abc', 3],
])('from %s to %s it is %i typos', (one, other, typos) => {
  expect(typosBetween(one, other, 3)).toBe(typos)
  expect(typosBetween(other, one, 3)).toBe(typos)
  if (typos > 1) expect(typosBetween(one, other, typos - 1)).toBeGreaterThan(typos - 1)
})

test('two words within one or two typos have a remnant in common', () => {
  const random = randomOf(20261121)
  const word = () => Array.from({ length: random.between(2, 12) }, () => 'abc'[random.between(0, 3)]).join('')
  let near = 0
  for (let n = 0; n < 100_000; n++) {
    const [one, other] = [word(), word()]
    const typos = typosBetween(one, other, 2)
    if (typos > 2) continue
    near++
    const remnants = new Set(remnantsOf(one, typos))
    expect(
      remnantsOf(other, typos).some(remnant => remnants.has(remnant)),
      `${one} and ${other}`,
    ).toBe(true)
  }
  expect(near).toBeGreaterThan(1_000)
})
