// The cache.
import { afterEach, expect, test, vi } from 'vitest'
import { cached } from '../../runtime/load/cache.js'

afterEach(() => {
  vi.restoreAllMocks()
})

test('a change takes effect when its entry has expired, or at once when the entry is removed', async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(1)
  let value = 1
  const read = cached(async (_: string) => value, { ttlMs: 2_000 })
  expect(await read('a')).toBe(1)
  value = 2
  now.mockReturnValue(2_000)
  expect(await read('a')).toBe(1)
  now.mockReturnValue(2_001)
  expect(await read('a')).toBe(2)
  value = 3
  read.forget('a')
  expect(await read('a')).toBe(3)
})

test('the result of a read that began before its entry was removed is not given to later readers', async () => {
  const answers: ((value: number) => void)[] = []
  const read = cached((_: string) => new Promise<number>(resolve => answers.push(resolve)), { ttlMs: 60_000 })
  const before = read('a')
  read.forget('a')
  const after = read('a')
  answers[0]?.(1)
  answers[1]?.(2)
  expect([await before, await after, await read('a')]).toEqual([1, 2, 2])
})
