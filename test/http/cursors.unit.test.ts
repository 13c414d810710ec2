// Cursors of lists.
import { expect, test } from 'vitest'
import { listing } from '../../server/paging.js'

const orders = { Key: 'key' }
const cursor = (filter: object) => listing({}, orders, ['list', 1, filter, undefined]).cursorOf({ sort: 'a', key: 'a' })

const filter = { keys: ['a', 'b'], values: { hashes: ['1', '2'] }, from: new Date(0), term: 'x' }

test.each([
  ['in another order', { ...filter, keys: ['b', 'a'] }],
  ['given twice', { ...filter, keys: ['a', 'b', 'a'] }],
  ['of a nested member in another order', { ...filter, values: { hashes: ['2', '1', '2'] } }],
])('a cursor fits the same filter with its values %s', (_, same) => {
  expect(cursor(same)).toBe(cursor(filter))
})

test.each([
  ['a value less', { ...filter, keys: ['a'] }],
  ['values of another member', { ...filter, keys: ['1', '2'], values: { hashes: ['a', 'b'] } }],
  ['another time', { ...filter, from: new Date(1) }],
  ['another text', { ...filter, term: 'y' }],
])('a cursor does not fit a filter with %s', (_, other) => {
  expect(cursor(other)).not.toBe(cursor(filter))
})
