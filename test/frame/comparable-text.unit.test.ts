// The comparison of texts.
import { expect, test } from 'vitest'
import { comparableText } from '../../db/frame/fields/comparable-text.js'

test.each([
  ['composed and decomposed', ['Zoë-Ngọc', 'Zoe\u0308-Ngo\u0323c', 'Zoë-Ngo\u0323c']],
  ['marks in another order', ['ọ\u0302', 'ô\u0323', 'o\u0302\u0323']],
  ['Hangul in syllables and in letters', ['한', '\u1112\u1161\u11ab']],
  ['a sign and the letter that it stands for', ['5 Å', '5 \u212b', '5 A\u030a']],
  ['blanks at the ends', ['x', 'x ', '  x', ' x  ']],
  [
    'characters that nobody sees',
    ['xy', 'x\u200by', 'x\u00ady', '\ufeffxy', 'x\u2060y\u200d', '\u202axy\u202c', 'x\ufe0fy'],
  ],
  ['other white space at the ends', ['y', 'y\u00a0', '\u3000y', '\ty\r\n', '\ufeffy', 'y\u2028', '\u2003y']],
])('%s make no difference', (_, texts) => {
  expect(new Set(texts.map(comparableText)).size).toBe(1)
})

test.each([
  ['letter case', ['Ab1', 'ab1', 'AB1']],
  ['accents', ['e', 'é', 'è']],
  ['blanks inside', ['x y', 'x  y', 'xy', 'x\u00a0y']],
  ['forms that only look alike', ['ﬁ1', 'fi1', '①1', '11']],
  ['what is no white space', ['x', 'x\u0000', "x'"]],
])('%s make a difference', (_, texts) => {
  expect(new Set(texts.map(comparableText)).size).toBe(texts.length)
})
