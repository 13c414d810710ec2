// Turns of writers.
import { expect, test } from 'vitest'
import { createKeyedQueue, type QueueLimits } from '../../runtime/load/keyed-queue.js'
import { Problem } from '../../runtime/problems/problem.js'
import type { ProblemCode } from '../../runtime/problems/problem-codes.js'

const problem = (code: ProblemCode) => () => new Problem(code, code, [], { 'Retry-After': '5' })

const turnsOf = (limits: Pick<QueueLimits, 'atOnce' | 'ofAll' | 'waitTimeoutMs'> & Partial<QueueLimits>) =>
  createKeyedQueue<number>({ maxWaiting: 9, late: problem('busy'), tooMany: problem('too-many-writes'), ...limits })

/** Work that goes on until it is let go, with a note of what began. */
function workshop() {
  const begun: string[] = []
  const letGo: (() => void)[] = []
  const work = (name: string) => async () => {
    begun.push(name)
    await new Promise<void>(resolve => letGo.push(resolve))
    return name
  }
  return { begun, work, finishNext: () => letGo.shift()?.() }
}

const settled = () => new Promise<void>(resolve => setImmediate(resolve))

test("a limited number of a tenant's writers run at once, and the others in the order of their calls", async () => {
  const turns = turnsOf({ atOnce: 2, ofAll: 9, waitTimeoutMs: 60_000 })
  const { begun, work, finishNext } = workshop()
  const all = ['a', 'b', 'c', 'd', 'e'].map(name => turns.run(1, work(name)))
  await settled()
  expect(begun).toEqual(['a', 'b'])
  for (let n = 0; n < 5; n++) {
    finishNext()
    await settled()
  }
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(await Promise.all(all)).toEqual(begun)
})

test('another tenant waits for no turn of this one', async () => {
  const turns = turnsOf({ atOnce: 1, ofAll: 9, waitTimeoutMs: 60_000 })
  const { work, finishNext } = workshop()
  const first = turns.run(1, work('first'))
  expect(await turns.run(2, async () => 'other')).toBe('other')
  finishNext()
  await first
})

test('a writer that waits too long is answered 503 with Retry-After and never runs', async () => {
  const turns = turnsOf({ atOnce: 1, ofAll: 9, waitTimeoutMs: 20 })
  const { begun, work, finishNext } = workshop()
  const first = turns.run(1, work('first'))
  await expect(turns.run(1, work('late'))).rejects.toMatchObject({
    status: 503,
    code: 'busy',
    headers: { 'Retry-After': '5' },
  })
  finishNext()
  await first
  expect(await turns.run(1, async () => 'next')).toBe('next')
  expect(begun).toEqual(['first'])
})

test('a writer is answered 429 with Retry-After at once if the queue is full', async () => {
  const turns = turnsOf({ atOnce: 1, ofAll: 9, waitTimeoutMs: 60_000, maxWaiting: 1 })
  const { work, finishNext } = workshop()
  const two = [turns.run(1, work('first')), turns.run(1, work('second'))]
  await expect(turns.run(1, work('third'))).rejects.toMatchObject({
    status: 429,
    code: 'too-many-writes',
    headers: { 'Retry-After': '5' },
  })
  for (let n = 0; n < 2; n++) {
    finishNext()
    await settled()
  }
  expect(await Promise.all(two)).toEqual(['first', 'second'])
})

test('inside its turn a writer waits for no other turn of the tenant', async () => {
  const turns = turnsOf({ atOnce: 1, ofAll: 9, waitTimeoutMs: 60_000 })
  expect(await turns.run(1, () => turns.run(1, async () => 'inner'))).toBe('inner')
})

test('a writer that fails gives its turn to the next, and a tenant without writers takes no memory', async () => {
  const turns = turnsOf({ atOnce: 1, ofAll: 9, waitTimeoutMs: 60_000 })
  const failing = turns.run(1, () => Promise.reject(new Error('failed')))
  const next = turns.run(1, async () => 'next')
  expect(turns.keys).toBe(1)
  await expect(failing).rejects.toThrow('failed')
  expect(await next).toBe('next')
  expect(turns.keys).toBe(0)
})

test('writers of all tenants together are limited too, and a waiting tenant comes next', async () => {
  const turns = turnsOf({ atOnce: 2, ofAll: 3, waitTimeoutMs: 60_000 })
  const { begun, work, finishNext } = workshop()
  const all = [turns.run(1, work('a')), turns.run(1, work('b')), turns.run(2, work('c')), turns.run(2, work('d'))]
  all.push(turns.run(3, work('e')), turns.run(1, work('f')))
  await settled()
  expect(begun).toEqual(['a', 'b', 'c'])
  for (let n = 0; n < 6; n++) {
    finishNext()
    await settled()
  }
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
  await Promise.all(all)
})
