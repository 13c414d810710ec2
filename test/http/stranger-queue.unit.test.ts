// Turns of strangers.
import { once } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import { connect, Socket } from 'node:net'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate as nextPass } from 'node:timers/promises'
import Koa from 'koa'
import { expect, onTestFinished, test } from 'vitest'
import { createEventLoopQueue } from '../../runtime/load/event-loop-queue.js'
import { createLog } from '../../runtime/observe/log.js'
import { tellBasePath } from '../../server/base-path.js'
import { readBody } from '../../server/middleware/body.js'
import { problems } from '../../server/middleware/problem.js'
import { inSlices, queueStrangers } from '../../server/middleware/stranger-queue.js'
import { trace } from '../../server/middleware/trace.js'
import { loopbackServer } from '../support/http.js'

test('one piece of work begins in each pass of the event loop, in the order of the calls', async () => {
  const { turn, waiting } = createEventLoopQueue()
  let pass = 0
  const begun: [n: number, pass: number][] = []
  const pieces = [0, 1, 2, 3].map(n => turn().then(() => begun.push([n, pass])))
  expect(waiting()).toBe(4)
  while (waiting() > 0) {
    await nextPass()
    pass++
  }
  await Promise.all(pieces)
  expect(begun.map(([n]) => n)).toEqual([0, 1, 2, 3])
  expect(new Set(begun.map(([, pass]) => pass)).size).toBe(4)
})

test('strangers wait for their turn and get 503 if too many do; known callers do not wait', async () => {
  const app = new Koa()
  app.use(trace(createLog('test', 'silent')))
  app.use(tellBasePath('http://127.0.0.1'))
  app.use(problems)
  app.use(queueStrangers(ctx => ctx.get('authorization') === '', createEventLoopQueue(), { ofAll: 1000, ofAddress: 0 }))
  app.use(ctx => {
    ctx.body = String(ctx.state.turn)
  })
  const server = await loopbackServer(app.callback())
  onTestFinished(() => server.stop())
  const known = await fetch(server.url, { headers: { authorization: 'Bearer known' } })
  expect([known.status, await known.text()]).toEqual([200, 'undefined'])
  const stranger = await fetch(server.url)
  expect([stranger.status, stranger.headers.get('retry-after')]).toEqual([503, '2'])
  expect(await stranger.json()).toMatchObject({ type: '/problems/busy' })
})

/** A socket that says from which address it is. */
class SocketFrom extends Socket {
  override readonly remoteAddress: string
  constructor(remoteAddress: string) {
    super()
    this.remoteAddress = remoteAddress
  }
}

test('one address leaves room for strangers elsewhere, whether or not their requests have bodies', async () => {
  const limited = queueStrangers(() => true, createEventLoopQueue(), { ofAll: 1000, ofAddress: 2 })
  const from = (address: string) => {
    const request = new IncomingMessage(new SocketFrom(address))
    return limited(new Koa().createContext(request, new ServerResponse(request)), async () => undefined)
  }
  const waiting = [from('192.0.2.1'), from('192.0.2.1')]
  await expect(from('192.0.2.1')).rejects.toMatchObject({ code: 'busy' })
  const elsewhere = from('192.0.2.2')
  await Promise.all([...waiting, elsewhere])
  await from('192.0.2.1')
})

test.each([
  ['costs nothing', 0],
  ['costs 2 ms for each slice', 2],
])('16 KB that a parser takes: %s', async (_, ms) => {
  const { turn } = createEventLoopQueue()
  let turns = 0
  const counted = () => {
    turns++
    return turn()
  }
  const taken: Buffer[] = []
  const parser = new Writable({
    write(piece: Buffer, _, done) {
      busyFor(ms)
      taken.push(piece)
      done()
    },
  })
  const bytes = Buffer.from('abcdefgh'.repeat(2 * 1024))
  await pipeline(Readable.from([bytes]), inSlices(counted), parser)
  expect(Buffer.concat(taken).equals(bytes)).toBe(true)
  // A slice that waited for a processor counts as one that costs.
  if (ms === 0) expect(turns).toBeLessThan(16)
  else expect(turns).toBeGreaterThanOrEqual(16)
})

test('JSON bodies over 16 KB that arrive together are parsed one in each pass', async () => {
  let pass = 0
  let isDone = false
  const passes: number[] = []
  const app = new Koa()
  app.use(readBody('1mb'))
  app.use(ctx => {
    passes.push(pass)
    ctx.body = ''
  })
  const server = await loopbackServer(app.callback())
  onTestFinished(() => server.stop())
  const count = () => {
    pass++
    if (!isDone) setImmediate(count)
  }
  const body = `[${' '.repeat(20 * 1024)}]`
  const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  const sockets = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
      await once(socket, 'connect')
      return socket
    }),
  )
  for (let n = 0; n < 5; n++) await nextPass()
  count()
  const answers = sockets.map(socket => once(socket, 'data'))
  for (const socket of sockets) socket.write(head + body)
  await Promise.all(answers)
  isDone = true
  for (const socket of sockets) socket.destroy()
  // The first may begin in the pass in which the second one's turn comes.
  expect(new Set(passes).size).toBeGreaterThanOrEqual(4)
})

function busyFor(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}
