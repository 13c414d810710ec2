// Limits of bodies.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { describe, expect, inject, test } from 'vitest'
import { type Api, newTenant } from '../support/api.js'
import { problem, send, sendBytes } from '../support/http.js'

const megabyte = 1024 * 1024
const one = '/api/v1/group'
const bulk = '/api/v1/structuralEntity/bulk'
const group = '{"Key":"a","Name":"a"}'

const tenant = await newTenant(inject('baseUrl'))

/** JSON of exactly so many bytes: blanks say nothing. */
const padded = (json: string, bytes: number) => json.padEnd(bytes, ' ')
const tooLarge = (path: string) =>
  problem(413, 'body-too-large', path, {
    detail: `The body is larger than ${path === bulk ? 32 : 1} MB.`,
  })
const headers = (more: Record<string, string> = {}) => ({
  authorization: `Bearer ${tenant.token}`,
  'content-type': 'application/json',
  ...more,
})

describe.each([
  [one, 1],
  [bulk, 32],
])('%s takes %i MB', (path, limit) => {
  test('a body one byte above the limit is refused, whether its length is announced or not', async () => {
    const body = padded('[]', limit * megabyte + 1)
    expect((await tenant.put(path, body)).body).toEqual(tooLarge(path))
    const pieces = body.match(/.{1,65536}/gs) ?? []
    const chunked = await send(inject('baseUrl'), path, { method: 'PUT', headers: headers(), body: pieces })
    expect(JSON.parse(chunked.text)).toEqual(tooLarge(path))
  })

  test('a body of exactly the limit is accepted', async () => {
    // Read and judged: the fault is in what it says.
    expect((await tenant.put(path, padded('7', limit * megabyte))).body).toMatchObject({
      status: 400,
      errors: [{ pointer: '', code: 'wrong-type' }],
    })
  })

  test('the limit counts after decompression', async () => {
    // Half of it is noise: then it inflates to twice its size.
    const noise = randomBytes((limit / 4 + 1) * megabyte).toString('hex')
    const answer = await inGzip(path, padded(`["${noise}"]`, (limit + 8) * megabyte))
    expect(JSON.parse(answer.text)).toEqual(tooLarge(path))
  })
})

const inGzip = (path: string, body: string) =>
  send(inject('baseUrl'), path, {
    method: 'PUT',
    headers: headers({ 'content-encoding': 'gzip' }),
    body: [gzipSync(body)],
  })

test('a body over 1 MB that inflates to over a hundred times its size is refused as soon as that is seen', async () => {
  expect(JSON.parse((await inGzip(bulk, padded('[]', 2 * megabyte))).text)).toEqual(
    problem(413, 'body-too-large', bulk, { detail: 'The body inflates to over 100 times its compressed size.' }),
  )
  // Honest bulks repeat themselves too.
  const item = (n: number) => `{"Key":"entity-${n}","Name":"Ward ${n}","StructureTypeKey":"unit","ParentKey":"root"}`
  const honest = await inGzip(bulk, `[${Array.from({ length: 20_000 }, (_, n) => item(n)).join()},7]`)
  expect(JSON.parse(honest.text)).toMatchObject({ status: 400, type: '/problems/validation' })
})

describe('bodies over 1 MB take turns', () => {
  const large = padded('[]', 1.2 * megabyte)
  /** Sends all but the last byte. @returns a function that sends that too, and waits for the answer. */
  async function begun(token: string) {
    const { hostname, port } = new URL(inject('baseUrl'))
    const lines = { ...headers(), authorization: `Bearer ${token}`, 'content-length': String(large.length) }
    const outgoing = request({ hostname, port, path: bulk, method: 'PUT', agent: false, headers: lines })
    const answer = once(outgoing, 'response')
    let isAnswered = false
    answer.then(() => {
      isAnswered = true
    })
    await new Promise(resolve => outgoing.write(large.slice(1), resolve))
    return {
      isAnswered: () => isAnswered,
      async ends() {
        outgoing.end(' ')
        const [reply]: [IncomingMessage] = (await answer) as [IncomingMessage]
        return JSON.parse(await text(reply)).status
      },
    }
  }

  /** Sends bodies until one waits: a body has its turn at once until the API has read of those begun before it. */
  async function waiting(token: string, others: Api) {
    for (;;) {
      const { ends, isAnswered } = await begun(token)
      const ended = ends()
      // Later bodies that need not wait are answered before it.
      for (let n = 0; n < 3; n++) expect((await others.put(bulk, large)).status).toBe(400)
      if (!isAnswered()) return { ended, isAnswered }
    }
  }

  test('two of a tenant at once; small ones and other tenants do not wait', async () => {
    const [first, second] = [await begun(tenant.token), await begun(tenant.token)]
    const third = await waiting(tenant.token, await newTenant(inject('baseUrl')))
    expect((await tenant.put(one, '[]')).status).toBe(400)
    expect(third.isAnswered()).toBe(false)
    expect(await first.ends()).toBe(400)
    expect(await third.ended).toBe(400)
    expect(await second.ends()).toBe(400)
  })
})

const head = (path: string, lines: string[]) =>
  [`PUT ${path} HTTP/1.1`, 'Host: x', 'Content-Type: application/json', ...lines, '', ''].join('\r\n')

function* blanks(megabytes: number) {
  for (let n = 0; n < megabytes; n++) yield ' '.repeat(megabyte)
}

describe('a caller that writes all of 33 MB before it reads', () => {
  test('gets the 413, and the connection serves its next request', async () => {
    const first = head(bulk, [`Authorization: Bearer ${tenant.token}`, `Content-Length: ${33 * megabyte}`])
    const next = 'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
    const answers = await sendBytes(inject('baseUrl'), [first, ...blanks(33), next])
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200'])
    expect(answers).toContain('/problems/body-too-large')
  })

  test('gets it for a compressed body too, of which most is not even looked at', async () => {
    const bomb = gzipSync(padded('[]', 40 * megabyte))
    const lines = [`Authorization: Bearer ${tenant.token}`, 'Content-Encoding: gzip', 'Connection: close']
    const first = head(bulk, [...lines, `Content-Length: ${33 * megabyte}`])
    const filler = Buffer.alloc(33 * megabyte - bomb.length)
    const answer = await sendBytes(inject('baseUrl'), [first, bomb, filler])
    expect(answer).toMatch(/^HTTP\/1.1 413/)
  })

  test('gets 401 when it has no token', async () => {
    const first = head(bulk, [`Content-Length: ${33 * megabyte}`])
    const next = 'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
    const answers = await sendBytes(inject('baseUrl'), [first, ...blanks(33), next])
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200'])
  })
})

test('a length that is too large is refused before the body comes', async () => {
  const { hostname, port } = new URL(inject('baseUrl'))
  const outgoing = request({
    hostname,
    port,
    path: bulk,
    method: 'PUT',
    agent: false,
    headers: headers({ 'content-length': '99999999999', connection: 'keep-alive' }),
  })
  outgoing.on('error', () => undefined)
  outgoing.flushHeaders()
  const [answer]: [IncomingMessage] = (await once(outgoing, 'response')) as [IncomingMessage]
  expect(JSON.parse(await text(answer))).toEqual(tooLarge(bulk))
  outgoing.destroy()
})

test('the process lives on, and small bodies are served', async () => {
  expect((await tenant.put(one, group)).status).toBe(201)
})
