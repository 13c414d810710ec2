// Streamed answers.
import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import pino from 'pino'
import { beforeEach, expect, test } from 'vitest'
import { begun } from '../../server/streamed.js'

const lines: string[] = []
const log = pino({}, { write: line => lines.push(line) })
beforeEach(() => lines.splice(0))

/** A hundred blocks, and what became of them. */
function source(failsAt = Number.POSITIVE_INFINITY) {
  const seen = { made: 0, isClosed: false }
  async function* blocks() {
    try {
      while (seen.made < 100) {
        if (seen.made === failsAt) throw new Error('It is gone')
        yield Buffer.from([seen.made++])
      }
    } finally {
      seen.isClosed = true
    }
  }
  return { seen, blocks: blocks() }
}

test('only few blocks are made ahead of the reader, and the source is closed if the caller disconnects', async () => {
  const { seen, blocks } = source()
  const stream = await begun(blocks, log)
  stream.once('readable', () => undefined)
  await once(stream, 'readable')
  for (let n = 0; n < 10; n++) await nextTurn()
  expect(seen.made).toBeLessThan(6)
  stream.destroy()
  await once(stream, 'close')
  await nextTurn()
  expect(seen.isClosed).toBe(true)
  expect(lines).toEqual([])
})

test('a reader gets all blocks, and then the source is closed', async () => {
  const { seen, blocks } = source()
  const read: Buffer[] = []
  for await (const block of await begun(blocks, log)) read.push(block)
  expect(Buffer.concat(read)).toEqual(Buffer.from(Array.from({ length: 100 }, (_, n) => n)))
  expect([seen.isClosed, lines]).toEqual([true, []])
})

test('an error at the first block is thrown; a later one is logged and ends the stream', async () => {
  await expect(begun(source(0).blocks, log)).rejects.toThrow('It is gone')
  expect(lines).toEqual([])
  const stream = await begun(source(7).blocks, log)
  const read = async () => {
    for await (const _ of stream);
  }
  await expect(read()).rejects.toThrow('It is gone')
  expect(lines.map(line => JSON.parse(line))).toEqual([
    expect.objectContaining({
      level: 50,
      msg: 'an answer was aborted',
      err: expect.objectContaining({ message: 'It is gone' }),
    }),
  ])
})
