// Bulkheads.
import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, test } from 'vitest'
import { createBulkheads } from '../../runtime/load/bulkheads.js'

test('a limited number of tasks of a key run at once, in the order of the calls; tasks of other keys do not wait', async () => {
  const bulkheads = createBulkheads<string>(1)
  const begun: string[] = []
  let finish: () => void = () => undefined
  const first = bulkheads.run('a', async () => {
    begun.push('first')
    await new Promise<void>(resolve => {
      finish = resolve
    })
  })
  const second = bulkheads.run('a', async () => begun.push('second'))
  await bulkheads.run('b', async () => begun.push('other'))
  expect(begun).toEqual(['first', 'other'])
  finish()
  await Promise.all([first, second])
  expect(begun).toEqual(['first', 'other', 'second'])
})

test('a task that fails gives its place to the next, and a key without tasks takes no memory', async () => {
  const bulkheads = createBulkheads<number>(1)
  const failing = bulkheads.run(1, () => Promise.reject(new Error('failed')))
  const next = bulkheads.run(1, async () => 'next')
  expect(bulkheads.keys).toBe(1)
  await expect(failing).rejects.toThrow('failed')
  expect(await next).toBe('next')
  expect(bulkheads.keys).toBe(0)
})

test('a task runs in the async context of its own caller', async () => {
  const bulkheads = createBulkheads<number>(1)
  const caller = new AsyncLocalStorage<string>()
  const all = ['a', 'b', 'c'].map(name => caller.run(name, () => bulkheads.run(1, async () => caller.getStore())))
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c'])
})
