// The schedule of signing keys.
import { expect, test } from 'vitest'
import { schedule } from '../../db/identity/signing-keys.js'

const start = Date.parse('2026-11-01T00:00:00Z')
const at = (minutes: number) => start + minutes * 60_000
const key = (kid: string, minutes: number) => ({ kid, createdAt: new Date(at(minutes)) })
const states = (keys: Parameters<typeof schedule>[0], minutes: number) =>
  schedule(keys, at(minutes)).map(({ kid, state }) => `${kid} ${state}`)

test('the only key signs at once, and for good', () => {
  expect(states([key('a', 0)], 0)).toEqual(['a signing'])
  expect(schedule([key('a', 0)], at(100_000))).toMatchObject([{ state: 'signing', until: undefined }])
})

test.each([
  [100, ['b published', 'a signing']],
  [114, ['b published', 'a signing']],
  // Verifiers have had 15 minutes to see it.
  [115, ['b signing', 'a verifying']],
  // The last token of the old one was signed a moment before, and lives an hour.
  [115 + 60, ['b signing', 'a verifying']],
  [115 + 70, ['b signing', 'a over']],
])('the states after %i minutes of a key and of another one added after 100', (minutes, expected) => {
  expect(states([key('a', 0), key('b', 100)], minutes)).toEqual(expected)
})

test('a key that is added right after the first one waits its 15 minutes too', () => {
  expect(states([key('a', 0), key('b', 1)], 2)).toEqual(['b published', 'a signing'])
})

test('each of several keys is removed once the next one has signed for long enough', () => {
  const keys = [key('a', 0), key('b', 100), key('c', 130)]
  expect(states(keys, 135)).toEqual(['c published', 'b signing', 'a verifying'])
  expect(states(keys, 190)).toEqual(['c signing', 'b verifying', 'a over'])
})

test('the next key signs at once where an operator has deleted the one that did', () => {
  expect(states([key('b', 100)], 101)).toEqual(['b signing'])
})
