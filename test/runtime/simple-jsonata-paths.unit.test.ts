// Simple JSONata paths.
import jsonata from 'jsonata'
import { describe, expect, test } from 'vitest'
import { followed } from '../../runtime/expressions/simple-jsonata-paths.js'
import { ExactNumber } from '../../runtime/json/exact-number.js'

const exact = new ExactNumber('0.12345678901234567890')
const scope = {
  request: { query: { p: 'x', constructor: 1 } },
  steps: {
    none: null,
    register: {
      body: [{ a: 1 }, { a: 2 }],
      one: [{ a: 1 }],
      empty: [],
      nested: [[1]],
      zero: 0,
      no: false,
      text: 'abc',
      exact,
    },
  },
}

describe('a path of names through objects is what JSONata makes of it', () => {
  test.each([
    ...[
      'body',
      'one',
      'empty',
      'nested',
      'zero',
      'no',
      'text',
      'missing',
      'length',
      'toString',
      'text.length',
      'zero.a',
    ],
    'missing.a',
  ])('steps.register.%s', async member => {
    const text = `steps.register.${member}`
    expect(followed(text, scope)).toEqual({ value: (await jsonata(text).evaluate(scope)) ?? null })
  })
  test.each([
    'request.query',
    ' request\n. query.\tp ',
    'request.query.constructor',
    'steps.none',
    'steps.none.a',
    'steps.hasOwnProperty',
  ])('%j', async text => {
    expect(followed(text, scope)).toEqual({ value: (await jsonata(text).evaluate(scope)) ?? null })
  })
  test('an exact number keeps its digits', () => {
    expect(followed('steps.register.exact', scope)?.value).toBe(exact)
  })
})

test.each([
  ...[
    'steps.register.body.a',
    'steps.register.one.a',
    'steps.register.exact.text',
    'steps.register.body[0]',
    'steps.*',
  ],
  ...[
    '$',
    '$$.steps',
    'true',
    'steps.null',
    'a.function',
    'steps . and',
    '1.5',
    '"a"',
    '`steps`',
    '',
    '.',
    'a..b',
    'a.',
  ],
  ...['a b', 'steps', 'steps\u00a0.a', '/* x */ steps', 'steps.register.zero + 1', 'é', 'steps.%'],
])('the expression %j is left to JSONata', text => {
  expect(followed(text, scope)).toBeUndefined()
})
