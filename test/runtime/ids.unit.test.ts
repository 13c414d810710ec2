// Ids that the platform issues.
import { expect, test } from 'vitest'
import { idTime, isId, newId } from '../../runtime/ids.js'

test('ids are distinct UUIDv7 in the order of their creation, also within a millisecond', () => {
  const before = Date.now()
  const ids = Array.from({ length: 10_000 }, newId)
  const after = Date.now()
  expect(ids.filter(id => !isId(id) || !/^[^-]{8}-[^-]{4}-7[^-]{3}-[89ab][^-]{3}-[^-]{12}$/.test(id))).toEqual([])
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.toSorted()).toEqual(ids)
  expect(idTime(ids[0] ?? '').getTime()).toBeGreaterThanOrEqual(before)
  expect(idTime(ids.at(-1) ?? '').getTime()).toBeLessThanOrEqual(after)
  // Their random bits are of their own.
  expect(new Set(ids.map(id => id.slice(-10))).size).toBe(ids.length)
})
