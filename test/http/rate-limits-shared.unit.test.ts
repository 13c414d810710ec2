// Counts of requests that several processes share.
import { expect, test } from 'vitest'
import type { RateCounts } from '../../db/admin/rate-counts.js'
import { createRateLimits } from '../../server/rate-limits.js'

const silent = { warn: () => undefined }

/** One sum for all processes, and how often it was asked for. */
function shared() {
  const sums = new Map<string, number>()
  let calls = 0
  const counts: RateCounts = async points => {
    calls += 1
    await new Promise(setImmediate)
    for (const [name, more] of points) sums.set(name, (sums.get(name) ?? 0) + more)
    return new Map([...points.keys()].map(name => [name, { points: sums.get(name) ?? 0, msLeft: 60_000 }]))
  }
  return { counts, calls: () => calls }
}

test.each([1, 2, 5])('%i processes keep a limit in a burst, but for a tenth of each further one', async processes => {
  const { counts } = shared()
  const all = Array.from({ length: processes }, () => createRateLimits({ counts, log: silent }))
  for (const limit of [1, 3, 9, 100]) {
    const answers = await Promise.all(
      all.flatMap(each => Array.from({ length: limit }, () => each.take(`client of ${limit}`, limit))),
    )
    const passed = answers.filter(seconds => seconds === 0).length
    expect(passed).toBeGreaterThanOrEqual(limit)
    expect(passed).toBeLessThanOrEqual(limit + (processes - 1) * Math.floor(limit / 10))
  }
})

test('a hundred requests to two processes in turn are exactly as many as the limit', async () => {
  const { counts } = shared()
  const [a, b] = [createRateLimits({ counts, log: silent }), createRateLimits({ counts, log: silent })]
  const answers: number[] = []
  for (let n = 0; n < 60; n++) answers.push(await a.take('client', 100), await b.take('client', 100))
  expect(answers.filter(seconds => seconds === 0)).toHaveLength(100)
})

test('a request far below the limit waits for no statement; one above it causes none', async () => {
  const { counts, calls } = shared()
  const limits = createRateLimits({ counts, log: silent })
  for (let n = 0; n < 10; n++) expect(await limits.take('client', 100)).toBe(0)
  expect(calls()).toBe(0)
  while ((await limits.take('client', 100)) === 0);
  const before = calls()
  expect(await limits.take('client', 100)).toBe(60)
  expect(calls()).toBe(before)
})

test('many names at once are written with few statements', async () => {
  const { counts, calls } = shared()
  const limits = createRateLimits({ counts, log: silent })
  await Promise.all(Array.from({ length: 1_000 }, (_, n) => limits.take(`address ${n}`, 3)))
  expect(calls()).toBeLessThanOrEqual(2)
})

test('while the database is away, a process keeps the limit alone', async () => {
  const limits = createRateLimits({ counts: () => Promise.reject(new Error('away')), log: silent })
  const answers = await Promise.all(Array.from({ length: 5 }, () => limits.take('client', 3)))
  expect(answers.map(seconds => seconds === 0)).toEqual([true, true, true, false, false])
})
