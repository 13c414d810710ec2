// Checks of texts.
import { expect, test } from 'vitest'
import { checkedAs } from '../support/form-values.js'

const single = (value: string) => ({ type: 'single-value', value })

test.each([
  ['string', 'Anna', 'Anna'],
  ['string', ' two  words ', ' two  words '],
  ['string', 5, '5'],
  ['string', true, 'true'],
  ['string', 'a\r\nb\rc\nd\te', 'a\nb\nc\nd\te'],
  ['string', `<script>alert("&amp;")</script>'; DROP`, `<script>alert("&amp;")</script>'; DROP`],
  ['string', 'Zoë 🏥 김민수', 'Zoë 🏥 김민수'],
  ['html', '<p onclick="x">Dear</p>', '<p onclick="x">Dear</p>'],
] as const)('%s: %j stays text and is kept as %j', (dataType, given, kept) => {
  expect(checkedAs(dataType, given)).toEqual(single(kept))
  expect(checkedAs(dataType, kept)).toEqual(single(kept))
})

test.each([[{}], [[]], [['a']], [null], [undefined], [{ toJSON: 'x' }]])('%j is not a text', given => {
  expect(checkedAs('string', given)).toEqual(['string', 'It is not a text.'])
  expect(checkedAs('html', given)).toEqual(['html', 'It is not a text.'])
  expect(checkedAs('translatable-text-value', given)).toEqual(['translatable-text-value', 'It is not a text.'])
})

test('a text keeps to its length, counted in characters', () => {
  const bounds = { minLength: 2, maxLength: 3 }
  expect(checkedAs('string', '🏥🏥🏥', bounds)).toEqual(single('🏥🏥🏥'))
  expect(checkedAs('string', '🏥', bounds)).toEqual(['too-short', 'It has 1 character; at least 2 are needed.'])
  expect(checkedAs('string', 'abcd', bounds)).toEqual(['too-long', 'It has 4 characters; at most 3 are allowed.'])
  expect(checkedAs('string', 'a'.repeat(10_000))).toEqual(single('a'.repeat(10_000)))
  expect(checkedAs('html', 'a'.repeat(10_001))).toEqual([
    'too-long',
    'It has 10001 characters; at most 10000 are allowed.',
  ])
  expect(checkedAs('string', 'a'.repeat(40_000_000))).toEqual([
    'too-long',
    'It has 40000000 characters; at most 10000 are allowed.',
  ])
})

test.each(['\u0000', '\u0008', '\u000b', '\u001f', '\ufffe', '\ud800', 'a\udc00b'])('%j cannot be delivered', text => {
  const fault = ['characters', 'It has invisible control characters. Type it again.']
  expect(checkedAs('string', text)).toEqual(fault)
  expect(checkedAs('translatable-text-value', text)).toEqual(fault)
})

test('a pattern must match the whole text without surrounding blanks, of at most 1,000 characters', () => {
  const more = { pattern: '[A-Z]\\d{2,3}|none' }
  expect(checkedAs('string', ' B12\t', more)).toEqual(single('B12'))
  expect(checkedAs('string', 'none', more)).toEqual(single('none'))
  for (const text of ['B1', 'xB12', 'B1234', 'non', 'B12none']) {
    expect(checkedAs('string', text, more)).toEqual(['pattern', 'It does not have the required format.'])
  }
  expect(checkedAs('string', 'a'.repeat(1_000), { pattern: '(a|a)*' })).toEqual(single('a'.repeat(1_000)))
  expect(checkedAs('string', 'a'.repeat(1_001), { pattern: 'a*' })).toEqual([
    'too-long',
    'It has 1001 characters; at most 1000 are allowed.',
  ])
})

const translatable = (more: object = {}) => ({
  type: 'translatable-text-value',
  originalText: 'Guten Tag',
  sourceLanguageCode: 'en',
  ...more,
})

test.each([
  ['Guten Tag', {}],
  [{ originalText: 'Guten Tag', sourceLanguageCode: 'de-AT' }, { sourceLanguageCode: 'de-AT' }],
  [
    {
      originalText: 'Guten Tag',
      translatedText: 'Hello',
      sourceLanguageCode: 'de',
      targetLanguageCode: 'en',
      translatedDateTime: '2026-03-31T14:30+02:00',
    },
    {
      translatedText: 'Hello',
      sourceLanguageCode: 'de',
      targetLanguageCode: 'en',
      translatedDateTime: '2026-03-31T12:30:00.000Z',
    },
  ],
  [
    { originalText: 'Guten Tag', translatedDateTime: '2026-03-31T14:30' },
    { translatedDateTime: '2026-03-31T14:30:00.000Z' },
  ],
])('translatable text: %j', (given, more) => {
  expect(checkedAs('translatable-text-value', given)).toEqual(translatable(more))
  expect(checkedAs('translatable-text-value', translatable(more))).toEqual(translatable(more))
})

test("a translatable text has its control's target language, and the pattern does not apply to the translation", () => {
  const control = { targetLanguage: 'fr', pattern: 'G.*', minLength: 3, maxLength: 9 }
  const checked = (more: object) =>
    checkedAs('translatable-text-value', { originalText: 'Guten Tag', ...more }, control)
  expect(checked({ translatedText: 'Bo' })).toEqual(translatable({ translatedText: 'Bo', targetLanguageCode: 'fr' }))
  expect(checked({ originalText: 'Hallo' })).toMatchObject(['pattern', expect.anything()])
  expect(checked({ originalText: 'Gu' })).toMatchObject(['too-short', expect.anything()])
  expect(checked({ translatedText: 'a'.repeat(10) })).toMatchObject(['too-long', expect.anything()])
})

test.each([
  [{ sourceLanguageCode: 'German!' }, 'language', 'sourceLanguageCode is not a language code such as en or pt-BR.'],
  [{ targetLanguageCode: '' }, 'language', 'targetLanguageCode is not a language code such as en or pt-BR.'],
  [{ translatedText: {} }, 'translatable-text-value', 'translatedText is not a text.'],
  [{ targetLanguageCode: [] }, 'translatable-text-value', 'targetLanguageCode is not a text.'],
  [
    { translatedDateTime: 'soon' },
    'datetime',
    'translatedDateTime: It is not a date and time, such as 2026-03-31 14:30.',
  ],
])('translatable text with %j is refused', (more, code, detail) => {
  expect(checkedAs('translatable-text-value', { originalText: 'Guten Tag', ...more })).toEqual([code, detail])
})
