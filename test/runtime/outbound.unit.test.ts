// Outbound calls.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createOutbound, type Outbound, type OutboundRequest } from '../../runtime/outbound/outbound.js'
import { type LoopbackServer, loopbackServer } from '../support/http.js'

const megabyte = 1024 * 1024
const zeros = Buffer.alloc(64 * 1024)

let site: LoopbackServer
let elsewhere: LoopbackServer
let outbound: Outbound
/** Bytes of endless answers that were written, and whether the reader hung up. */
const endless = { written: 0, closed: false }

const answers: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  '/echo': async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    response.setHeader('x-many', ['a', 'b'])
    response.end(
      JSON.stringify({ method: request.method, headers: request.headers, body: Buffer.concat(chunks).toString() }),
    )
  },
  '/hello': (_, response) => response.end('hello'),
  '/gzip': (_, response) => response.setHeader('content-encoding', 'gzip').end(gzipSync('hello')),
  '/deflate': (_, response) => response.setHeader('content-encoding', 'deflate').end(deflateSync('hello')),
  '/br': (_, response) => response.setHeader('content-encoding', 'br').end(brotliCompressSync('hello')),
  '/zstd': (_, response) => response.setHeader('content-encoding', 'zstd').end('hello'),
  '/not-gzip': (_, response) => response.setHeader('content-encoding', 'gzip').end('hello'),
  '/announced': (_, response) => response.setHeader('content-length', 2 * megabyte).write(zeros),
  '/endless': (_, response) => {
    endless.written = 0
    const write = () => {
      while (endless.written < 100 * megabyte && response.write(zeros)) endless.written += zeros.length
      response.once('drain', write)
    }
    response.on('close', () => {
      endless.closed = true
    })
    write()
  },
  '/bomb': (_, response) => {
    response.setHeader('content-encoding', 'gzip')
    const gzip = createGzip()
    gzip.pipe(response)
    for (let n = 0; n < 1600; n++) gzip.write(zeros)
    gzip.end()
  },
  '/no-headers': () => undefined,
  '/half-a-body': (_, response) => response.write('half'),
  '/cut': (_, response) => {
    response.setHeader('content-length', 100).write('half')
    setTimeout(() => response.destroy(), 20)
  },
  '/to-echo': (_, response) => response.writeHead(302, { location: '/echo' }).end(),
  '/repeat-at-echo': (_, response) => response.writeHead(307, { location: '/echo' }).end(),
  '/round': (_, response) => response.writeHead(302, { location: '/round' }).end(),
  '/to-elsewhere': (_, response) => response.writeHead(302, { location: elsewhere.url }).end(),
  '/to-metadata': (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
  '/to-https': (_, response) => response.writeHead(302, { location: site.url.replace('http', 'https') }).end(),
  '/to-nonsense': (_, response) => response.writeHead(302, { location: 'http://[' }).end(),
  '/no-content': (_, response) => response.writeHead(204).end(),
}

beforeAll(async () => {
  site = await loopbackServer((request, response) => void answers[request.url ?? '']?.(request, response))
  elsewhere = await loopbackServer((_, response) => response.end('elsewhere'))
  outbound = createOutbound({ allow: [site.host, elsewhere.host] })
})
afterAll(async () => {
  await outbound.close()
  await Promise.all([site.stop(), elsewhere.stop()])
})

const send = (path: string, more: Partial<OutboundRequest> = {}) =>
  outbound.send({ method: 'GET', url: `${site.url}${path}`, timeoutMs: 20_000, maxBytes: megabyte, ...more })

test('method, headers and body arrive, and status, headers and body come back', async () => {
  const { status, headers, body } = await send('/echo', { method: 'PUT', headers: { 'X-One': '1' }, body: 'text' })
  expect({ status, many: headers['x-many'], echo: JSON.parse(body.toString()) }).toMatchObject({
    status: 200,
    many: 'a, b',
    echo: { method: 'PUT', headers: { 'x-one': '1' }, body: 'text' },
  })
})

test.each(['/gzip', '/deflate', '/br'])('an answer in %s is unpacked', async path => {
  expect((await send(path)).body.toString()).toBe('hello')
})

test.each([
  ['an encoding that was not asked for', '/zstd', { reason: 'encoding', isFinal: true }],
  ['an answer that is not what its encoding says', '/not-gzip', { reason: 'network', isFinal: false }],
  ['an answer that breaks off', '/cut', { reason: 'network', isFinal: false }],
])('%s is a failure', async (_, path, failure) => {
  await expect(send(path)).rejects.toMatchObject(failure)
})

test.each([
  ['a header over two lines', { headers: { 'x-a': 'a\r\nx-b: b' } }],
  ['a header that only connections have', { headers: { 'transfer-encoding': 'chunked' } }],
  ['a length that is not the body’s', { method: 'POST', body: 'abc', headers: { 'content-length': '99' } }],
])('%s is refused as a request that cannot be made', async (_, more) => {
  await expect(send('/echo', more)).rejects.toMatchObject({ reason: 'request', isFinal: true })
})

describe('an answer that is too large', () => {
  const tooLarge = () => ({
    reason: 'too-large',
    isFinal: true,
    message: `${site.host}: the answer is larger than 1048576 bytes`,
  })

  test('is refused by its announced length, before the body', async () => {
    await expect(send('/announced')).rejects.toMatchObject(tooLarge())
  })

  test('is cut off at the limit: of 100 MB little more is sent, and memory stays flat', async () => {
    const before = process.memoryUsage().rss
    await expect(send('/endless')).rejects.toMatchObject(tooLarge())
    await expect.poll(() => endless.closed).toBe(true)
    expect(endless.written).toBeLessThan(30 * megabyte)
    expect(process.memoryUsage().rss - before).toBeLessThan(60 * megabyte)
  })

  test('is measured after decompression: 100 MB that travel as 100 KB are cut off', async () => {
    await expect(send('/bomb')).rejects.toMatchObject(tooLarge())
  })

  test('is taken whole when it is as large as the limit', async () => {
    expect((await send('/hello', { maxBytes: 5 })).body.toString()).toBe('hello')
    await expect(send('/hello', { maxBytes: 4 })).rejects.toMatchObject({ reason: 'too-large' })
  })
})

// A connection attempt ends by itself after 10 s: these end before.
describe('time runs out', { timeout: 8_000 }, () => {
  test.each(['/no-headers', '/half-a-body'])('at %s', async path => {
    await expect(send(path, { timeoutMs: 300 })).rejects.toMatchObject({
      reason: 'timeout',
      isFinal: false,
      message: `${site.host} took longer than 0.3 s`,
    })
  })

  test('while the server takes the connection and says nothing at all', async () => {
    const taken: Socket[] = []
    const silent = createServer(socket => taken.push(socket.on('error', () => undefined)))
    await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
    const address = silent.address()
    const host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    const other = createOutbound({ allow: [host] })
    // TLS: the handshake never comes to an end.
    const sent = other.send({ method: 'GET', url: `https://${host}/`, timeoutMs: 300, maxBytes: 10 })
    await expect(sent).rejects.toMatchObject({ reason: 'timeout' })
    for (const socket of taken) socket.destroy()
    silent.close()
  })

  test('while a name is looked up', async () => {
    const other = createOutbound({ allow: [], resolve: () => undefined })
    const sent = other.send({ method: 'GET', url: 'https://provider.example/', timeoutMs: 300, maxBytes: 10 })
    await expect(sent).rejects.toMatchObject({ reason: 'timeout' })
  })

  test('a caller that gives up gets its own reason', async () => {
    const stop = new AbortController()
    const sent = send('/no-headers', { signal: stop.signal })
    const reason = new Error('the activity was cancelled')
    stop.abort(reason)
    await expect(sent).rejects.toBe(reason)
    await expect(send('/echo', { signal: stop.signal })).rejects.toBe(reason)
  })
})

test('nobody listens there: the failure has the system’s code, not the address', async () => {
  const gone = await loopbackServer(() => undefined)
  await gone.stop()
  const other = createOutbound({ allow: ['localhost'] })
  const sent = other.send({
    method: 'GET',
    url: gone.url.replace('127.0.0.1', 'localhost'),
    timeoutMs: 5_000,
    maxBytes: 10,
  })
  const failure: unknown = await sent.catch((error: unknown) => error)
  expect(failure).toMatchObject({
    reason: 'network',
    message: `${gone.host.replace('127.0.0.1', 'localhost')}: the call failed (ECONNREFUSED)`,
  })
  expect(failure).not.toHaveProperty('cause')
})

describe('a redirect', () => {
  test('within the host is followed, as a GET without a body', async () => {
    const { body } = await send('/to-echo', { method: 'POST', body: 'x', headers: { authorization: 'Bearer t' } })
    expect(JSON.parse(body.toString())).toMatchObject({
      method: 'GET',
      headers: { authorization: 'Bearer t' },
      body: '',
    })
  })

  test('that asks for it repeats method and body', async () => {
    const { body } = await send('/repeat-at-echo', { method: 'POST', body: 'x' })
    expect(JSON.parse(body.toString())).toMatchObject({ method: 'POST', body: 'x' })
  })

  test.each(['/to-elsewhere', '/to-metadata', '/to-https', '/to-nonsense', '/round'])('is refused: %s', async path => {
    await expect(send(path)).rejects.toMatchObject({ reason: 'redirect', isFinal: true })
    expect(elsewhere.asked).toEqual([])
  })

  test('is followed at most three times in a row', async () => {
    const before = site.asked.length
    await expect(send('/round')).rejects.toMatchObject({ message: `${site.host} redirects again and again` })
    expect(site.asked.slice(before)).toEqual(Array(4).fill('GET /round'))
  })

  test('is the answer where the caller wants it so', async () => {
    expect(await send('/to-elsewhere', { redirect: 'manual' })).toMatchObject({
      status: 302,
      headers: { location: elsewhere.url },
    })
  })
})

describe('as a fetch for libraries', () => {
  test('it sends and answers like one', async () => {
    const answer = await outbound.fetch(`${site.url}/echo`, { method: 'POST', body: new URLSearchParams({ a: 'b c' }) })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' },
      body: 'a=b+c',
    })
    expect(await (await outbound.fetch(new URL(`${site.url}/no-content`))).text()).toBe('')
    expect((await outbound.fetch(`${site.url}/to-echo`, { redirect: 'manual' })).status).toBe(302)
  })

  test('it keeps the rules, and takes 1 MB at most', async () => {
    await expect(outbound.fetch('https://127.0.0.1/')).rejects.toMatchObject({ reason: 'private-address' })
    await expect(outbound.fetch(`${site.url}/endless`)).rejects.toMatchObject({ reason: 'too-large' })
    await expect(outbound.fetch(`${site.url}/to-elsewhere`)).rejects.toMatchObject({ reason: 'redirect' })
  })
})
