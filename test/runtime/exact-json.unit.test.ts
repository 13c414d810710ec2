// JSON with exact numbers.
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseExactJson, parseLosslessJson, stringifyExactJson } from '../../runtime/json/exact-json.js'
import { ExactNumber, parseExactNumber } from '../../runtime/json/exact-number.js'

describe('a number', () => {
  test.each(['0', '-1', '72.5', '123456789012345', '0.1', '1.5E+3'])(
    '%s is a number: a double holds it as it is',
    text => {
      expect(parseExactJson(text)).toBe(Number(text))
      expect(parseExactJson(`{"a":[ ${text}\n]}`)).toEqual({ a: [Number(text)] })
    },
  )

  test.each([
    ['71.50', '71.50'],
    ['-0', '-0'],
    ['1.0', '1.0'],
    ['123456789012345678', '123456789012345678'],
    ['0.1234567890123456789', '0.1234567890123456789'],
    ['1.25e-7', '0.000000125'],
  ])('%s keeps its digits', (text, digits) => {
    expect(parseExactJson(text)).toEqual(new ExactNumber(digits))
  })

  test('beyond all doubles is none', () => expect(parseExactJson('[1e999]')).toEqual([Number.NaN]))
})

test.each(['{1.50:1}', '{"a":01.50}', '[1.50.1]', '[1.50', '{"a":1.50,}', '1.50"', '"1.50', '"\\', '1.5e', '-', ''])(
  '%s is no JSON, whatever digits it has',
  text => expect(() => parseExactJson(text)).toThrow(SyntaxError),
)

test('a number 100,000 deep keeps its digits', () => {
  const text = `${'['.repeat(100_000)}1.50${']'.repeat(100_000)}`
  let inner = parseExactJson(text)
  while (Array.isArray(inner)) inner = inner[0]
  expect(inner).toEqual(new ExactNumber('1.50'))
})

const number = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.bigInt({ min: 0n, max: 10n ** 20n }),
    fc.constantFrom('', '.0', '.5', '.50', '.12345678901234567', 'e3', 'E-9'),
  )
  .map(parts => parts.join(''))
/** Texts and names with what a text ends with, and digits. */
const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom('"', '\\', '1.50', ':', ',', '[', '{', 'é', '🏥', '\n', '\u2028'),
    fc.string({ minLength: 1, maxLength: 1 }),
  ),
  maxLength: 6,
})
/**
 * After a name that ends with a backslash, V8 reads a later name that is an escape, such as "\\n", as that backslash
 * (nodejs/node issue 63785).
 */
const isReadRight = (name: string) => !name.endsWith('\\')
const name = fc.oneof(
  { weight: 5, arbitrary: text.filter(isReadRight) },
  fc.constantFrom('__proto__', 'constructor', '7'),
)

/** JSON as it is written, and what it means. */
type Written = [json: string, value: unknown]
const { tree } = fc.letrec<{ tree: Written }>(tie => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    number.map((json): Written => [json, parseExactNumber(json)]),
    text.map((value): Written => [JSON.stringify(value), value]),
    fc.constantFrom(true, false, null).map((value): Written => [String(value), value]),
    fc
      .array(tie('tree'), { maxLength: 4 })
      .map((all): Written => [`[ ${all.map(([json]) => json).join(' ,\n')}]`, all.map(([, value]) => value)]),
    fc
      .uniqueArray(fc.tuple(name, tie('tree')), { selector: ([own]) => own, maxLength: 4 })
      .map(
        (all): Written => [
          `{${all.map(([own, [json]]) => `${JSON.stringify(own)} : ${json}`).join(',')} }`,
          Object.fromEntries(all.map(([own, [, value]]) => [own, value])),
        ],
      ),
  ),
}))

test('texts and structure stay as written, whatever stands around the numbers', () => {
  fc.assert(
    // By node, which does not look at members called constructor for what things are.
    fc.property(tree, ([json, value]) => isDeepStrictEqual(parseExactJson(json), value)),
    { numRuns: 1_000 },
  )
})

describe('a number to calculate with', () => {
  test.each(['0', '-0.0', '77.50', '1.0', '9007199254740991', '0.30000000000000004', '1.50E+3', '5e-324'])(
    '%s is a number: a double has its value',
    text => expect(parseLosslessJson(`[${text}]`)).toEqual([Number(text)]),
  )

  test.each([
    '9007199254740993',
    '-12345678901234567890',
    '72.666666666666666666667',
    '1e-400',
    '9007199254740992',
    '1e22',
    '12345678901234567890E2',
  ])('%s keeps its digits, and is written with them', text => {
    const json = `{"a":["\\"${text}",${text}],"${text}":-1}`
    expect(parseLosslessJson(json)).toEqual({ a: [`"${text}`, new ExactNumber(text)], [text]: -1 })
    expect(stringifyExactJson(parseLosslessJson(json))).toBe(json)
    expect(JSON.stringify(parseLosslessJson(text))).toBe(`"${text}"`)
  })

  test('beyond all doubles is refused', () => expect(() => parseLosslessJson('[1e999]')).toThrow(RangeError))

  test('whatever has been parsed is written with the same values', () => {
    const digits = fc.stringMatching(/^-?(0|[1-9]\d{0,25})(\.\d{1,25})?(e[+-]?\d{1,2})?$/)
    fc.assert(
      fc.property(digits, text => {
        const again = stringifyExactJson(parseLosslessJson(text))
        expect(stringifyExactJson(parseLosslessJson(again))).toBe(again)
        expect(Number(again)).toBe(Number(text) || 0)
      }),
    )
  })
})

test('numbers that expand to many digits are limited, because a short text of them could fill the memory', () => {
  const list = (written: string, times: number) => `[${Array(times).fill(written).join()}]`
  expect(() => parseExactJson(list('1e-400', 300_001))).toThrow(/^The body has over 300000 numbers/)
  expect(() => parseExactJson(list('1.50', 300_001))).toThrow(/^The body has over 300000 numbers/)
  expect(parseExactJson(list('12.5', 300_001))).toHaveLength(300_001)
})
