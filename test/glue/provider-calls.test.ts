// Calls to providers.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRunSteps } from '../../activities/glue/endpoints/run-steps.js'
import { retryAfterMs } from '../../activities/providers/provider-failed.js'
import { noGlueSettings } from '../../db/glue/endpoints/settings.js'
import { unavailable } from '../../runtime/problems/problem.js'
import { sharedEvaluator } from '../support/expressions.js'
import { type LoopbackServer, loopbackServer } from '../support/http.js'
import { providerAt, providerCalls, secretValue } from '../support/provider-calls.js'

let site: LoopbackServer
let other: LoopbackServer
/** Takes connections and says nothing. */
let silent: Awaited<ReturnType<typeof silentServer>>
let calls: ReturnType<typeof providerCalls>

/** `/status/<n>?<Retry-After>`; everything else as its name says. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  const [, kind, value] = new URL(request.url ?? '', 'http://x').pathname.split('/')
  const retryAfter = new URL(request.url ?? '', 'http://x').searchParams.get('after')
  if (kind === 'status') {
    if (retryAfter !== null) response.setHeader('retry-after', retryAfter)
    response.writeHead(Number(value)).end('what the provider says')
  } else if (kind === 'large') response.end(Buffer.alloc(Number(value) * 1024 * 1024 + 1))
  else if (kind === 'redirect') response.writeHead(302, { location: other.url }).end()
  else if (kind === 'cut') response.destroy()
  else if (kind === 'half') response.writeHead(200, { 'content-length': 9 }).write('half', () => response.destroy())
  else if (kind === 'to-429') response.writeHead(302, { location: '/status/429' }).end()
  else if (kind === 'echo') response.end(JSON.stringify(request.headers))
}

async function silentServer() {
  const taken: Socket[] = []
  const server = createServer(socket => taken.push(socket.on('error', () => undefined)))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  return {
    url: `http://${host}`,
    host,
    async stop() {
      for (const socket of taken) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

beforeAll(async () => {
  site = await loopbackServer(answer)
  other = await loopbackServer((_, response) => response.end())
  silent = await silentServer()
  calls = providerCalls({ allow: [site.host, other.host, silent.host, '127.0.0.1:9', 'nowhere.invalid'] })
})
afterAll(async () => {
  // At once: the client waits for the handshake that the silent server never ends.
  await Promise.all([calls.stop(), site.stop(), other.stop(), silent.stop()])
})

test.each([408, 425, 429, 500, 503])('a status of %i is a temporary failure without Retry-After too', async status => {
  const url = `${site.url}/status/${status}`
  expect(await calls.failure({ provider: providerAt(site.url), url })).toMatchObject({
    reason: 'status',
    retryable: true,
  })
})

test('Retry-After changes nothing about a success', async () => {
  const url = `${site.url}/status/202?after=7`
  expect(await calls.call({ provider: providerAt(site.url), url })).toMatchObject({ status: 202 })
})

test.each([200, 201, 204, 304, 400, 401, 403, 404, 409, 410, 422])('a status of %i is an answer', async status => {
  const answered = await calls.call({ provider: providerAt(site.url), url: `${site.url}/status/${status}` })
  expect({ status: answered.status, text: answered.body.toString() }).toEqual({
    status,
    text: status === 204 || status === 304 ? '' : 'what the provider says',
  })
})

test.each([400, 401, 403, 404, 408, 409, 425, 429, 500, 502, 503, 504, 599])(
  'a status of %i with Retry-After is a temporary failure',
  async status => {
    const provider = providerAt(site.url)
    expect(await calls.failure({ provider, url: `${site.url}/status/${status}?after=7` })).toMatchObject({
      reason: 'status',
      retryable: true,
      status,
      retryAfterMs: 7_000,
      message: `The provider '${provider.key}' answered ${status}`,
    })
  },
)

describe('a call that is not idempotent', () => {
  const unheard = 'http://127.0.0.1:9'
  const post = (url: string, more: object = {}) =>
    calls.failure({ provider: providerAt(new URL(url).origin, { timeoutSeconds: 0.5 }), method: 'POST', url, ...more })

  test.each([
    ['408', '/status/408'],
    ['408 with Retry-After', '/status/408?after=1'],
    ['500', '/status/500?after=1'],
    ['502', '/status/502'],
    ['503 without Retry-After', '/status/503'],
    ['504', '/status/504'],
    ['a connection that is cut', '/cut'],
    ['nothing in time', '/never'],
    ['an answer that is cut', '/half'],
    ['429 where a redirect led', '/to-429'],
  ])('is not repeated after %s: it may have been carried out', async (_, path) => {
    const requests = [
      {},
      { method: 'PATCH' },
      { method: 'PUT' },
      { idempotent: true },
      { method: 'GET', idempotent: false },
    ]
    const failures = await Promise.all(requests.map(each => post(`${site.url}${path}`, each)))
    expect(failures.map(({ isTransient }) => isTransient)).toEqual(Array(5).fill(true))
    expect(failures.map(({ retryable }) => retryable)).toEqual([false, false, true, true, false])
  })

  test.each([
    ['429', () => `${site.url}/status/429`],
    ['403 with Retry-After', () => `${site.url}/status/403?after=1`],
    ['425', () => `${site.url}/status/425`],
    ['503 with Retry-After', () => `${site.url}/status/503?after=1`],
    ['nobody who listens', () => unheard],
    ['a name that is none', () => 'http://nowhere.invalid'],
    ['a connection without TLS', () => site.url.replace('http', 'https')],
    ['a handshake that never ends', () => silent.url.replace('http', 'https')],
  ])('is repeated after %s: it was not carried out', async (_, url) => {
    expect(await post(url())).toMatchObject({ retryable: true, isTransient: true })
  })
})

test('a failure after a call that is not idempotent is not retried, because a retry would repeat the call', async () => {
  const runSteps = createRunSteps({ calls: calls.calls, evaluator: sharedEvaluator })
  const failure = (idempotent: boolean): Promise<unknown> => {
    const call = { method: 'POST', idempotent, url: `${site.url}/status/200`, headers: {}, query: {}, accept: [] }
    const answer = { status: 200, headers: {}, body: '{{ request.userToken }}' }
    const steps = [
      { name: 'post', httpRequest: call },
      { name: 'answer', respond: answer },
    ]
    const settings = { ...noGlueSettings, endpoints: [{ key: 'e', authentication: [], steps }] }
    const run = {
      ...{ tenantKey: 't', tenantId: 4_000_000_000, endpointKey: 'e', traceId: 'x' },
      request: { method: 'POST', query: {}, userToken: 'e30.e30.' },
      recheck: () => Promise.reject(unavailable('The authority')),
    }
    return runSteps({ settings, secrets: {} }, run, { next: 0, outputs: {} }, 'request').catch(error => error)
  }
  expect(await failure(false)).toMatchObject({ name: 'FailedAfterCall', cause: { status: 503 } })
  expect(await failure(true)).toMatchObject({ status: 503 })
})

describe('Retry-After', () => {
  const now = Date.parse('2026-11-21T10:00:00Z')
  test.each([
    ['0', 0],
    ['120', 120_000],
    [' 5 ', 5_000],
    ['86400', 3_600_000],
    ['Sat, 21 Nov 2026 10:00:30 GMT', 30_000],
    ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
    ['Sun, 22 Nov 2026 10:00:00 GMT', 3_600_000],
    ['-1', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['2026-11-21', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('of %j means %j ms', (value, expected) => {
    expect(retryAfterMs(value, now)).toBe(expected)
  })

  test('as a date is understood in an answer', async () => {
    const date = new Date(Date.now() + 600_000).toUTCString()
    const url = `${site.url}/status/503?after=${encodeURIComponent(date)}`
    const { retryAfterMs: wait = 0 } = await calls.failure({ provider: providerAt(site.url), url })
    expect(wait).toBeGreaterThan(500_000)
    expect(wait).toBeLessThanOrEqual(600_000)
  })
})

describe('a call that gets no answer', () => {
  test.each([
    ['cut off', '/cut', { reason: 'network', retryable: true }],
    ['too slow', '/never', { reason: 'timeout', retryable: true }],
    ['too large', '/large/1', { reason: 'too-large', retryable: false }],
    ['a redirect to another host', '/redirect', { reason: 'redirect', retryable: false }],
  ])('because it is %s is a failure that says so', async (_, path, failure) => {
    const provider = providerAt(site.url, { timeoutSeconds: 0.5 })
    expect(await calls.failure({ provider, url: `${site.url}${path}` })).toMatchObject(failure)
    expect(other.asked).toEqual([])
  })

  test('because the caller gave up has the caller’s reason', async () => {
    const stop = new AbortController()
    const call = calls.call({ provider: providerAt(site.url), url: `${site.url}/never`, signal: stop.signal })
    const reason = new Error('cancelled')
    stop.abort(reason)
    await expect(call).rejects.toBe(reason)
  })
})

describe('the size of an answer', () => {
  test('is what the provider allows', async () => {
    const provider = providerAt(site.url, { maxAnswerMb: 3 })
    expect((await calls.call({ provider, url: `${site.url}/large/2` })).body.length).toBe(2 * 1024 * 1024 + 1)
    expect(await calls.failure({ provider, url: `${site.url}/large/3` })).toMatchObject({ reason: 'too-large' })
  })

  test('is 1 MB without a provider', async () => {
    expect(await calls.failure({ url: `${site.url}/large/1` })).toMatchObject({
      reason: 'too-large',
      message: `The address gave no answer: ${site.host}: the answer is larger than 1048576 bytes`,
    })
  })
})

test.each([
  ['another host', () => `${other.url}/`],
  ['another port', () => site.url.replace(/\d+$/, '1')],
  ['another scheme', () => site.url.replace('http', 'https')],
  ['a user before the host', () => `http://${site.host}@${other.host}/`],
  ['no URL at all', () => '/relative'],
])('a provider is not called at %s', async (_, url) => {
  const provider = providerAt(site.url)
  expect(await calls.failure({ provider, url: url() })).toMatchObject({
    reason: 'other-host',
    retryable: false,
    message: `The address is not at the provider '${provider.key}'`,
  })
  expect(other.asked).toEqual([])
})

test('an address that is not allowed is refused without a provider too', async () => {
  expect(await calls.failure({ url: 'https://169.254.169.254/latest' })).toMatchObject({
    reason: 'private-address',
    retryable: false,
  })
  expect(await calls.failure({ url: 'http://127.0.0.1:1/' })).toMatchObject({ reason: 'https-only', retryable: false })
})

test('no failure and no log line holds a path, a query, a header, a body or an answer', async () => {
  const hidden = `hidden-${secretValue}`
  const paths = ['status/503', 'never', 'cut', 'large/1', 'redirect'].map(path => `/${path}/${hidden}?q=${hidden}`)
  for (const path of paths) {
    const failure = await calls.failure({
      provider: providerAt(site.url, { timeoutSeconds: 0.3 }),
      method: 'POST',
      url: `${site.url}${path}`,
      headers: { authorization: `Bearer ${hidden}`, 'x-api-key': hidden },
      body: hidden,
    })
    expect(JSON.stringify({ ...failure, message: failure.message, stack: failure.stack })).not.toContain('hidden')
    expect(failure.message).not.toContain('what the provider says')
    expect(failure).not.toHaveProperty('cause')
  }
  expect(calls.lines.join('\n')).not.toContain('hidden')
})
