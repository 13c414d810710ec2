import { afterEach, expect, test, vi } from 'vitest'
import { remembered } from '../../runtime/remembered.js'

afterEach(() => {
  vi.useRealTimers()
})

test('what has changed counts when the memory is over, and at once when it is forgotten', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  let value = 1
  const read = remembered(async (_: string) => value, { ttlMs: 2_000 })
  expect(await read('a')).toBe(1)
  value = 2
  vi.setSystemTime(Date.now() + 1_999)
  expect(await read('a')).toBe(1)
  vi.setSystemTime(Date.now() + 1)
  expect(await read('a')).toBe(2)
  value = 3
  read.forget('a')
  expect(await read('a')).toBe(3)
})

test('a reading that was under way when the key was forgotten is not given to later readers', async () => {
  const answers: ((value: number) => void)[] = []
  const read = remembered((_: string) => new Promise<number>(resolve => answers.push(resolve)), { ttlMs: 60_000 })
  const before = read('a')
  read.forget('a')
  const after = read('a')
  answers[0]?.(1)
  answers[1]?.(2)
  expect([await before, await after, await read('a')]).toEqual([1, 2, 2])
})
