// Bodies that nobody reads.
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pass } from 'node:timers/promises'
import Koa from 'koa'
import { expect, onTestFinished, test } from 'vitest'
import { unreadBody } from '../../server/middleware/unread-body.js'
import { loopbackServer } from '../support/http.js'

const megabyte = 1024 * 1024
const quietMs = 1_000

test('a process that was too busy to read does not time its caller out', async () => {
  const app = new Koa()
  app.use(unreadBody)
  const answered = new Promise<void>(resolve => {
    app.use(ctx => {
      ctx.status = 413
      resolve()
    })
  })
  const server = await loopbackServer(app.callback())
  onTestFinished(() => server.stop())
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  socket.write(`PUT / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${2 * megabyte}\r\n\r\n`)
  await answered
  await pass(50)
  socket.write(Buffer.alloc(megabyte))
  // Nothing of this process runs meanwhile: what was sent is there, and not read.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, quietMs + 500)
  await pass(50)
  socket.write(Buffer.alloc(megabyte))
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 413 /)
})
