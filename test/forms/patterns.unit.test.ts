// Patterns of texts.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matches, patternFault } from '../../forms/patterns.js'

const native = (pattern: string, text: string) => new RegExp(`^(?:${pattern})$`, 'u').test(text)

test.each([
  ['', ['', 'a']],
  ['[A-Z]{2}\\d{6}[A-D]?', ['AB123456', 'AB123456C', 'AB12345', 'ab123456', 'AB123456E']],
  ['\\w+( \\w+)*', ['one', 'one two three', 'one  two', 'one ']],
  ['a|bc|', ['a', 'bc', '', 'ab', 'abc']],
  ['^(?:a|b)$', ['a', 'ab']],
  ['a^b|a$b|a\\$', ['ab', 'a$', 'a^b']],
  ['x*?y+?z??', ['y', 'xxyyz', 'xz', 'yzz']],
  ['(?<year>\\d{4})(-\\d\\d){0,2}', ['2026', '2026-03-31', '2026-03-31-01', '20260']],
  ['a{3}|b{2,}|c{0}', ['aaa', 'aa', 'b', 'bbbb', '', 'c']],
  ['[^\\]a\\-]+[\\p{L}\\u{1F600}-\\u{1F64F}]', ['xü', 'x😀', ']x', '-x', 'x1']],
  ['\\u00fc\\x41\\u{1F600}\\ud83d\\ude00\\.\\t', ['üA😀😀.\t', 'üA😀.\t']],
  ['.', ['a', '😀', '\n', 'ab']],
  ['()*a', ['a', '']],
  ['(a*)*b', ['aaab', 'b', 'aa']],
  ['((a?){3}b?){2}', ['aaabaaab', 'aaaaaaa', 'ab', 'bab']],
])('%s matches what it matches in JavaScript', (pattern, texts) => {
  expect(patternFault(pattern)).toBeUndefined()
  for (const text of texts) expect([text, matches(pattern, text)]).toEqual([text, native(pattern, text)])
})

const reaching = 'looking ahead or back, \\b and references to groups are not known.'
const large = 'The pattern is too large: with all repetitions it has over 500 characters.'
test.each([
  ['a(?=b)', `The pattern has (?=: ${reaching}`],
  ['(?<!a)b', `The pattern has (?<!: ${reaching}`],
  ['(a)\\1', `The pattern has \\1: ${reaching}`],
  ['(?<n>a)\\k<n>', `The pattern has \\k<n>: ${reaching}`],
  ['\\ba', `The pattern has \\b: ${reaching}`],
  ['a{600}', large],
  ['(a{1,30}){30}', large],
  ['(?:){1000000000}', large],
  ['(((){500}){500}){500}', large],
  ['a{0,1000000000}', large],
  ['(?:a{0}){1000000000}', large],
  ['((((a{0}){900}){900}){900}){900}', large],
])('%s is refused', (pattern, fault) => {
  expect(patternFault(pattern)).toBe(fault)
})

test.each(['[', '(', 'a)|(b', '*', 'a**', '\\', 'a{2,1}', '\\q', '[b-a]', '{'])('%s is no pattern at all', pattern => {
  expect(patternFault(pattern)).toMatch(/^Invalid regular expression: /)
})

test("patterns that take JavaScript's engine hours are decided at once", () => {
  const text = `${'a'.repeat(999)}!`
  for (const pattern of ['(a|a)*b', '(a+)+b', '(\\w*)*\\d', 'a*a*a*a*a*a*b', '(.*)*x(.*)*y']) {
    expect([pattern, patternFault(pattern), matches(pattern, text)]).toEqual([pattern, undefined, false])
  }
})

/** Patterns of what is known, few letters, not too deep. */
const { node } = fc.letrec<{ node: string }>(tie => ({
  node: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\w', '\\d', 'ü', ''),
    fc.tuple(tie('node'), tie('node')).map(([one, other]) => `${one}${other}`),
    fc.tuple(tie('node'), tie('node')).map(([one, other]) => `(?:${one}|${other})`),
    fc
      .tuple(tie('node'), fc.constantFrom('*', '+', '?', '{2}', '{1,}', '{0,2}', '*?', '+?', '??'))
      .map(([inner, times]) => `(${inner})${times}`),
  ),
}))

test('random patterns match the same texts as in JavaScript', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', 'ü', '\n', '😀'), maxLength: 8 })
  fc.assert(
    fc.property(node, fc.array(text, { minLength: 5, maxLength: 5 }), (pattern, texts) => {
      if (patternFault(pattern) !== undefined) return
      for (const each of texts) expect(matches(pattern, each)).toBe(native(pattern, each))
    }),
    { numRuns: 500 },
  )
})
