// How much of posted forms may be in memory at once.
import { EventEmitter } from 'node:events'
import type { Context } from 'koa'
import { expect, test } from 'vitest'
import { heldForms } from '../../server/middleware/held-forms.js'

const megabyte = 1024 * 1024

/** A request from an address, as far as forms are counted by it. */
const from = (remoteAddress: string) => {
  const res = new EventEmitter()
  const ctx: unknown = { req: { socket: { remoteAddress }, headers: {} }, state: {}, res }
  return { ctx: ctx as Context, ends: () => res.emit('close') }
}

test('forms from one address, and all together, hold no more than they may; what has ended makes room', () => {
  const begin = heldForms({ ofAll: 10 * megabyte, ofAddress: 6 * megabyte })
  const [first, second, third] = [from('10.0.0.1'), from('10.0.0.1'), from('10.0.0.2')]
  const [a, b, c] = [first, second, third].map(({ ctx }) => begin(ctx))
  // The first megabyte of each is free.
  expect(a?.(5 * megabyte)).toBe(true)
  expect(b?.(3 * megabyte)).toBe(true)
  expect(b?.(1), 'its address has 6 MB').toBe(false)
  expect(c?.(5 * megabyte)).toBe(true)
  expect(c?.(1), 'there are 10 MB').toBe(false)
  first.ends()
  expect(c?.(2 * megabyte)).toBe(true)
  expect(b?.(2 * megabyte)).toBe(true)
  expect(b?.(1)).toBe(false)
  for (const each of [second, third]) each.ends()
  const last = from('10.0.0.2')
  expect(begin(last.ctx)(7 * megabyte)).toBe(true)
})

test('small forms are never refused', () => {
  const begin = heldForms({ ofAll: 0, ofAddress: 0 })
  for (let n = 0; n < 100; n++) expect(begin(from('10.0.0.1').ctx)(megabyte)).toBe(true)
})
