// Moments in extract requests.
import { expect, test } from 'vitest'
import { momentOf } from '../../server/forms/extracts/extract-request.js'

test.each([
  ['2026-03-29T12:00:00.123Z', '2026-03-29T12:00:00.123Z'],
  ['2026-03-29T12:00:00.123000Z', '2026-03-29T12:00:00.123Z'],
  ['2026-03-29T12:00:00.123000000Z', '2026-03-29T12:00:00.123Z'],
  ['2026-03-29T12:00:00.1240Z', '2026-03-29T12:00:00.124Z'],
  // Submissions have milliseconds: the first that is not before it.
  ['2026-03-29T12:00:00.123000001Z', '2026-03-29T12:00:00.124Z'],
  ['2026-03-29T12:00:00.123000002Z', '2026-03-29T12:00:00.124Z'],
  ['2026-03-29T14:00:00.123+02:00', '2026-03-29T12:00:00.123Z'],
  ['2026-03-28T23:00:00.124-13:00', '2026-03-29T12:00:00.124Z'],
  ['2026-03-29T12:00:00.123', '2026-03-29T12:00:00.123Z'],
  ['2026-03-29t12:00z', '2026-03-29T12:00:00.000Z'],
  ['2026-03-29T12:01', '2026-03-29T12:01:00.000Z'],
  // What the database can compare.
  ['0000-01-01T00:00:00+14:00', '1970-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59-14:00', '9999-12-31T23:59:59.999Z'],
  ['9999-12-31T23:59:59.999999999-14:00', '9999-12-31T23:59:59.999Z'],
])('the moment %s is compared as %s', (text, compared) => {
  expect(momentOf(text)).toBe(compared)
})

test('an absent moment stays absent', () => {
  expect(momentOf(undefined)).toBeUndefined()
})
