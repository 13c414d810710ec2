// Large bodies give way while they are read.
import { Readable } from 'node:stream'
import { setImmediate as nextPass } from 'node:timers/promises'
import type { Context } from 'koa'
import { expect, test } from 'vitest'
import { readBody } from '../../server/middleware/body.js'

const piece = Buffer.alloc(64 * 1024, '1,')
const pieces = 64

/** A request whose bytes are all there. */
function requestOf(tenantId: number, taken: () => void): Context {
  let given = 0
  const req = new Readable({
    read() {
      if (given === 0) this.push('[')
      this.push(given++ < pieces ? piece : given === pieces + 1 ? '1]' : null)
    },
  })
  Object.assign(req, { headers: {} }).on('data', taken).pause()
  const ctx = { req, request: { charset: '' }, is: () => 'json', get: () => '', state: { caller: { tenantId } } }
  return ctx as unknown as Context
}

test('behind their first megabytes, no two pieces of large bodies are looked at in one pass of the event loop', async () => {
  let inPass = 0
  let all = 0
  let isOver = false
  const max: number[] = []
  const taken = () => {
    inPass++
    all++
  }
  const bodies = [1, 2].map(async tenantId => {
    const ctx = requestOf(tenantId, taken)
    await readBody('32mb')(ctx, async () => undefined)
    expect(ctx.state.body).toHaveLength((pieces * piece.length) / 2 + 1)
  })
  const watch = (async () => {
    while (!isOver) {
      inPass = 0
      await nextPass()
      max.push(inPass)
    }
  })()
  await Promise.all(bodies)
  isOver = true
  await watch
  expect(all).toBeGreaterThan(pieces)
  // The first megabytes come at once.
  const together = max.filter(count => count > 1).reduce((sum, count) => sum + count, 0)
  expect(together).toBeLessThan(pieces)
})
