// Texts that stand in the order of values.
import { expect, test } from 'vitest'
import { sortTextOf } from '../../db/frame/orders/sort-text.js'

const numbers = [
  '-12345678901234567890.5',
  '-12345678901234567890',
  '-100',
  '-99.5',
  '-10',
  '-1.01',
  '-1',
  '-0.5',
  '-0.05',
  '-0.0499',
  '0',
  '0.000001',
  '0.05',
  '0.5',
  '1',
  '1.01',
  '9',
  '10',
  '99.999',
  '100',
  '12345678901234567890',
  '12345678901234567890.5',
  '1e300',
]

test('sort texts of numbers have the order of the numbers, whatever their digits', () => {
  const texts = numbers.map(text => sortTextOf({ n: ['Decimal', text] }, 'n') ?? '')
  expect(texts.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(texts)
  expect(new Set(texts).size).toBe(numbers.length)
})

test.each([
  ['1', '+1.0'],
  ['0', '-0.0'],
  ['1000', '1e3'],
])('%s and %s have the same sort text', (a, b) => {
  expect(sortTextOf({ n: ['Decimal', a] }, 'n')).toBe(sortTextOf({ n: ['Decimal', b] }, 'n'))
})

test('no value and several values have no sort text; that of a long text is its first 100 characters', () => {
  expect(sortTextOf({}, 'constructor')).toBeUndefined()
  expect(sortTextOf({ n: [['String', 'a']] }, 'n')).toBeUndefined()
  expect(sortTextOf({ n: ['String', ` ${'é'.repeat(150)}`] }, 'n')).toBe('é'.repeat(100))
})
