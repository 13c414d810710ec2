// How requests and answers pass through the router.
import { once } from 'node:events'
import { type IncomingHttpHeaders, type RequestListener, request } from 'node:http'
import { connect, createServer } from 'node:net'
import { setImmediate as pass } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { problem, send } from '../support/http.js'
import { fakeCell, startRouter } from '../support/router.js'
import { until } from '../support/until.js'

async function oneCell(answer: RequestListener, trusted: string[] = []) {
  const cell = await fakeCell(answer)
  return { cell, ...(await startRouter({ a: cell }, { trusted })) }
}

/** Answers the headers and the body of each request as JSON. */
const mirror: RequestListener = async (request, response) => {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece)
  const body = Buffer.concat(pieces).toString('latin1')
  response.end(JSON.stringify({ method: request.method, raw: request.rawHeaders, headers: request.headers, body }))
}

interface Mirrored {
  method: string
  raw: string[]
  headers: IncomingHttpHeaders
  body: string
}

const mirrored = async (reply: Promise<{ text: string }>): Promise<Mirrored> => JSON.parse((await reply).text)

test('headers of a request reach the cell, those of the connection do not', async () => {
  const { baseUrl } = await oneCell(mirror)
  const sent = {
    Authorization: 'Bearer x',
    'X-Latin': 'caf\u00e9',
    Connection: 'keep-alive, X-Mine',
    'X-Mine': 'of this connection',
    'Keep-Alive': 'timeout=5',
    TE: 'trailers',
    Upgrade: 'websocket',
    'Proxy-Authorization': 'Basic x',
    'Proxy-Connection': 'keep-alive',
  }
  const { headers, raw } = await mirrored(send(baseUrl, '/x', { headers: sent }))
  expect(headers).toMatchObject({ authorization: 'Bearer x', 'x-latin': 'caf\u00e9', connection: 'keep-alive' })
  expect(raw).toEqual(expect.arrayContaining(['Authorization', 'X-Latin']))
  for (const name of ['x-mine', 'keep-alive', 'te', 'upgrade', 'proxy-authorization', 'proxy-connection'])
    expect(headers[name], name).toBeUndefined()
})

const claimed = {
  'X-Forwarded-For': '203.0.113.7',
  'X-Forwarded-Proto': 'https',
  'X-Forwarded-Host': 'armature.example',
  Forwarded: 'for=203.0.113.7',
}

test('a stranger’s X-Forwarded-* are replaced', async () => {
  const { baseUrl } = await oneCell(mirror)
  const { headers } = await mirrored(send(baseUrl, '/', { headers: claimed }))
  expect(headers).toMatchObject({
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-proto': 'http',
    'x-forwarded-host': new URL(baseUrl).host,
  })
  expect(headers.forwarded).toBeUndefined()
})

test('those of a trusted proxy stay, and its address is added', async () => {
  const { baseUrl } = await oneCell(mirror, ['127.0.0.1'])
  const { headers } = await mirrored(send(baseUrl, '/', { headers: claimed }))
  expect(headers).toMatchObject({
    'x-forwarded-for': '203.0.113.7, 127.0.0.1',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'armature.example',
    forwarded: 'for=203.0.113.7',
  })
})

test('the cell gets the request id that the caller hears', async () => {
  const { baseUrl } = await oneCell(mirror)
  for (const headers of [{}, { 'X-Request-Id': 'mine-1' }, { 'X-Request-Id': 'no id' }]) {
    const reply = send(baseUrl, '/', { headers })
    expect((await mirrored(reply)).headers['x-request-id']).toBe((await reply).headers['x-request-id'])
  }
})

test.each([
  ['GET', [], undefined],
  ['POST', [], '0'],
  ['PUT', ['{"a":', '1}'], '7'],
  ['DELETE', ['x'], '1'],
  ['PATCH', ['\u00ff'.repeat(3)], '6'],
])('a small body of a %s in chunks arrives with its length', async (method, body, length) => {
  const { baseUrl } = await oneCell(mirror)
  const seen = await mirrored(send(baseUrl, '/', { method, body, headers: { 'Transfer-Encoding': 'chunked' } }))
  expect(seen).toMatchObject({ method, body: Buffer.from(body.join('')).toString('latin1') })
  expect([seen.headers['content-length'], seen.headers['transfer-encoding']]).toEqual([length, undefined])
})

test('a large body is passed on while it arrives, with its length or in chunks', async () => {
  const { baseUrl } = await oneCell(mirror)
  const body = Array.from({ length: 10 }, (_, n) => String(n).repeat(20_000))
  const whole = await mirrored(send(baseUrl, '/', { method: 'POST', body, headers: { 'Content-Length': '200000' } }))
  const chunked = await mirrored(send(baseUrl, '/', { method: 'POST', body }))
  expect([whole.body, chunked.body].map(text => text === body.join(''))).toEqual([true, true])
  expect([whole.headers['content-length'], chunked.headers['transfer-encoding']]).toEqual(['200000', 'chunked'])
})

test('an answer passes with its status, its headers, several of one name too, and its bytes', async () => {
  const packed = gzipSync('packed')
  const { baseUrl } = await oneCell((_, response) => {
    response.setHeader('Set-Cookie', ['a=1', 'b=2'])
    response.setHeader('Content-Encoding', 'gzip')
    response.setHeader('ETag', '"1"')
    response.setHeader('X-Latin', 'caf\u00e9')
    response.setHeader('X-Mine', 'of this connection')
    response.setHeader('Connection', 'close, X-Mine')
    response.writeHead(207, { 'Content-Length': packed.length }).end(packed)
  })
  const answer = await fetch(baseUrl)
  expect([answer.status, await answer.text()]).toEqual([207, 'packed'])
  expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  expect(['etag', 'x-latin', 'content-length', 'x-mine'].map(name => answer.headers.get(name))).toEqual([
    '"1"',
    'caf\u00e9',
    String(packed.length),
    null,
  ])
  expect(answer.headers.get('connection')).toBe('keep-alive')
})

test.each([
  ['HEAD', 200, { 'Content-Length': '42' }],
  ['GET', 304, { ETag: '"1"' }],
  ['DELETE', 204, {}],
])('a %s that is %s has no body', async (method, status, headers) => {
  const { baseUrl } = await oneCell((_, response) => response.writeHead(status, headers).end())
  const answer = await send(baseUrl, '/', { method })
  expect([answer.status, answer.text]).toEqual([status, ''])
  expect(answer.headers).toMatchObject(
    Object.fromEntries(Object.entries(headers).map(([n, v]) => [n.toLowerCase(), v])),
  )
})

/** Waits until a count was the same ten times. */
async function standsStill(count: () => number): Promise<void> {
  let [last, times] = [0, 0]
  await until('a count stands still', async () => {
    times = count() > 0 && count() === last ? times + 1 : 0
    last = count()
    return times === 10
  })
}

test('a large answer waits for a caller that reads slowly', async () => {
  let written = 0
  let isDone = false
  const piece = Buffer.alloc(1024 * 1024)
  const { baseUrl } = await oneCell(async (_, response) => {
    while (written < 100 && !response.destroyed) {
      if (!response.write(piece)) await once(response, 'drain').catch(() => undefined)
      written++
    }
    isDone = true
    response.end()
  })
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  // As much as the buffers between take; then nothing more.
  await standsStill(() => written)
  expect([isDone, written < 60]).toEqual([false, true])
  let size = 0
  socket.on('data', bytes => (size += bytes.length))
  socket.resume()
  await once(socket, 'end')
  expect(size).toBeGreaterThan(100 * piece.length)
})

test('a large upload waits for a cell that reads slowly', async () => {
  const { baseUrl, cell } = await oneCell(() => undefined)
  const upload = request(baseUrl, { method: 'POST' })
  upload.on('error', () => undefined)
  onTestFinished(() => void upload.destroy())
  let accepted = 0
  const write = () => {
    while (upload.write(Buffer.alloc(1024 * 1024))) accepted++
    accepted++
  }
  upload.on('drain', write)
  write()
  await until('the cell has the call', async () => cell.asked.length === 1)
  await standsStill(() => accepted)
  expect(accepted).toBeLessThan(60)
})

test('a caller that hangs up ends the call of the cell', async () => {
  let ended: Promise<unknown> | undefined
  const { baseUrl, cell } = await oneCell((_, response) => {
    ended = once(response, 'close')
  })
  const leaving = new AbortController()
  const call = fetch(`${baseUrl}/slow`, { signal: leaving.signal })
  await until('the cell has the call', async () => cell.asked.length === 1)
  leaving.abort()
  await expect(call).rejects.toThrow()
  await ended
})

test('a caller that breaks off its upload ends the call of the cell', async () => {
  let ended: Promise<unknown> | undefined
  const { baseUrl, cell, lines } = await oneCell((request, response) => {
    ended = once(response, 'close')
    request.resume()
  })
  const upload = request(baseUrl, { method: 'POST', headers: { 'Content-Length': 1_000_000 } })
  upload.on('error', () => undefined)
  upload.write(Buffer.alloc(200_000))
  await until('the cell has the call', async () => cell.asked.length === 1)
  upload.destroy()
  await ended
  await until('the router has noted it', async () => lines.some(line => JSON.parse(line).status === 499))
  expect(lines.filter(line => JSON.parse(line).level >= 50)).toEqual([])
})

test('an answer that comes before the whole body reaches its caller', async () => {
  const { baseUrl } = await oneCell((request, response) => {
    response.writeHead(413, { 'Content-Type': 'text/plain' }).end('too large')
    request.resume()
  })
  const body = Array.from({ length: 20 }, () => Buffer.alloc(100_000))
  const answer = await send(baseUrl, '/', { method: 'POST', body })
  expect([answer.status, answer.text]).toEqual([413, 'too large'])
})

test('a cell that breaks off breaks off for its caller', async () => {
  const { baseUrl, lines } = await oneCell(async (_, response) => {
    response.writeHead(200, { 'Content-Length': 100 }).write('half')
    await pass()
    response.destroy()
  })
  const answer = await fetch(baseUrl)
  await expect(answer.text()).rejects.toThrow()
  await until('the router has noted it', async () => lines.join('').includes('the answer of the cell broke off'))
})

test('a write whose cell breaks off is 503 and is not repeated; a read is, once', async () => {
  const { baseUrl, cell } = await oneCell((request, response) => {
    const isFirst = cell.asked.length === 1
    if (request.method === 'POST' || isFirst) request.socket.destroy()
    else response.end('there')
  })
  const read = await fetch(`${baseUrl}/read`)
  expect([await read.text(), cell.asked]).toEqual(['there', ['GET /read', 'GET /read']])
  const write = await fetch(`${baseUrl}/write`, { method: 'POST', body: 'x' })
  expect([write.status, write.headers.get('retry-after')]).toEqual([503, '5'])
  const body: unknown = await write.json()
  expect(body).toEqual(problem(503, 'unavailable', '/write'))
  expect(body).toMatchObject({ detail: expect.stringContaining('outcome is not known') })
  expect(cell.asked.filter(asked => asked === 'POST /write')).toHaveLength(1)
})

test('a cell that nobody can reach is 503 for its tenants; what names none goes to the next one', async () => {
  const gone = await fakeCell(() => undefined, { ann: 'served' })
  await gone.stop()
  const b = await fakeCell((_, response) => response.end('b'))
  const { baseUrl } = await startRouter({ gone, b })
  const ofTenant = await fetch(`${baseUrl}/glue/ann/x`, { method: 'POST', body: 'x' })
  expect([ofTenant.status, ofTenant.headers.get('retry-after')]).toEqual([503, '5'])
  expect(await ofTenant.json()).toMatchObject({ detail: expect.stringContaining('Nothing was changed') })
  expect(await (await fetch(`${baseUrl}/openapi.json`)).text()).toBe('b')
  expect(await (await fetch(`${baseUrl}/unknown`, { method: 'POST', body: 'x' })).text()).toBe('b')
})

test('a cell that is silent does not hold up what another one can answer', async () => {
  const silent = await fakeCell(() => undefined, { ann: 'served' })
  const b = await fakeCell((_, response) => response.end('b'))
  const { baseUrl } = await startRouter({ silent, b })
  const metadata = '/identity/.well-known/openid-configuration'
  expect(await (await fetch(baseUrl + metadata)).text()).toBe('b')
  expect(silent.asked).toEqual([`GET ${metadata}`])
})

test('Expect: 100-continue is answered, and stays here', async () => {
  const { baseUrl } = await oneCell(mirror)
  const upload = request(baseUrl, { method: 'PUT', headers: { Expect: '100-continue', 'Content-Length': 5 } })
  upload.flushHeaders()
  await once(upload, 'continue')
  upload.end('hello')
  const [answer] = await once(upload, 'response')
  const seen: Mirrored = JSON.parse(String(await answer.toArray()))
  expect([seen.body, seen.headers.expect]).toEqual(['hello', undefined])
})

test.each([
  [
    'both lengths',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n',
  ],
  [
    'both, the other way round',
    'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n',
  ],
  ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcde'],
  ['an encoding that is not chunked', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
  ['a blank before the colon', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length : 4\r\n\r\nabcd'],
  ['a folded header', 'GET / HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n'],
  ['a bare line feed', 'GET / HTTP/1.1\nHost: x\n\n'],
  ['no host', 'GET / HTTP/1.1\r\n\r\n'],
])('a request that is read in two ways is refused, and reaches no cell: %s', async (_, bytes) => {
  const { cell, raw } = await oneCell(mirror)
  expect(await raw(bytes)).toMatch(/^HTTP\/1\.1 400 /)
  expect(cell.asked).toEqual([])
})

test('headers of more than 16 KB are refused', async () => {
  const { cell, raw } = await oneCell(mirror)
  const answer = await raw(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`)
  expect(answer).toMatch(/^HTTP\/1\.1 431 /)
  expect(cell.asked).toEqual([])
})

test('an answer that is no HTTP is a 503', async () => {
  const server = createServer(socket => socket.end('SSH-2.0-x\r\n'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const { baseUrl } = await startRouter({ a: { address: `http://127.0.0.1:${port}`, read: async () => [] } })
  const answer = await fetch(`${baseUrl}/x`)
  expect([answer.status, await answer.json()]).toEqual([503, problem(503, 'unavailable', '/x')])
})

test('neither tokens nor queries stand in the log', async () => {
  const { baseUrl, lines } = await oneCell((request, response) => {
    if (request.method === 'POST') request.socket.destroy()
    else response.end()
  })
  const init = { headers: { authorization: 'Bearer s3cret.token.x' } }
  await fetch(`${baseUrl}/x?name=s3cret-person`, init)
  await fetch(`${baseUrl}/x?name=s3cret-person`, { ...init, method: 'POST', body: 's3cret-body' })
  expect(lines.join('')).toContain('"path":"/x"')
  expect(lines.join('')).not.toContain('s3cret')
})
