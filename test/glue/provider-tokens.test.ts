// Tokens for providers.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { gate } from '../support/data-sets.js'
import { type LoopbackServer, loopbackServer } from '../support/http.js'
import { providerAt, providerCalls, secretValue } from '../support/provider-calls.js'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const stop of stops.splice(0)) await stop()
})

type Answer = { status: number; body: unknown; headers?: Record<string, string> }

/** A provider that takes only the newest token of its own token endpoint, which answers as told. */
async function guardedProvider(
  options: {
    expiresIn?: number
    /** The token endpoint answers when this has ended. */
    wait?: () => Promise<void>
    tokenAnswer?: () => Answer | undefined
    restsMs?: number[]
  } = {},
) {
  const forms: URLSearchParams[] = []
  const seen: (string | undefined)[] = []
  let valid = ''
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.url !== '/token') {
      seen.push(request.headers.authorization)
      return void response.writeHead(request.headers.authorization === `Bearer ${valid}` ? 200 : 401).end()
    }
    forms.push(new URLSearchParams(await text(request)))
    await options.wait?.()
    const wanted = options.tokenAnswer?.()
    valid = `token-${forms.length}`
    const { status, body, headers } = wanted ?? {
      status: 200,
      body: { access_token: valid, token_type: 'Bearer', expires_in: options.expiresIn ?? 3600 },
    }
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }
  const site: LoopbackServer = await loopbackServer((request, response) => void answer(request, response))
  const calls = providerCalls({
    allow: [site.host],
    variables: { tokenUrl: `${site.url}/token` },
    hosts: [site.host, '10.0.0.1'],
  })
  stops.push(calls.stop, site.stop)
  const grant = {
    tokenUrl: '{{ variables.tokenUrl }}',
    clientId: 'client',
    clientSecret: '{{ variables.secret }}',
    scope: 'read write',
  }
  const provider = providerAt(site.url, { authentication: grant })
  return {
    ...calls,
    forms,
    seen,
    grant,
    provider,
    site,
    revoke: () => {
      valid = 'none'
    },
    get: (more: { authentication?: object; headers?: Record<string, string> } = {}) =>
      calls.call({
        provider: { ...provider, authentication: { ...grant, ...more.authentication } },
        url: `${site.url}/data`,
        headers: more.headers ?? {},
      }),
  }
}

describe('client credentials', () => {
  test('are rendered, sent in the form, and the token goes with the call', async () => {
    const { forms, seen, get } = await guardedProvider()
    expect((await get()).status).toBe(200)
    expect(forms.map(form => Object.fromEntries(form))).toEqual([
      { grant_type: 'client_credentials', client_id: 'client', client_secret: secretValue, scope: 'read write' },
    ])
    expect(seen).toEqual(['Bearer token-1'])
  })

  test('are not used where the step says how to authenticate', async () => {
    const { forms, seen, get } = await guardedProvider()
    await get({ headers: { Authorization: 'Basic own' } })
    expect({ forms, seen }).toEqual({ forms: [], seen: ['Basic own'] })
  })

  test('that name an unknown variable fail before any call', async () => {
    const { site, get } = await guardedProvider()
    await expect(get({ authentication: { clientSecret: '{{ variables.missing }}' } })).rejects.toMatchObject({
      name: 'NotEvaluated',
    })
    expect(site.asked).toEqual([])
  })
})

describe('a token', () => {
  test('is shared by callers at the same time, and by those after them', async () => {
    const { forms, seen, get } = await guardedProvider()
    await Promise.all(Array.from({ length: 20 }, () => get()))
    await get()
    expect(forms).toHaveLength(1)
    expect(seen).toEqual(Array(21).fill('Bearer token-1'))
  })

  test('is renewed 30 s before it expires', async () => {
    const { forms, get } = await guardedProvider({ expiresIn: 600 })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    await get()
    vi.setSystemTime(Date.now() + 565_000)
    await get()
    expect(forms).toHaveLength(1)
    vi.setSystemTime(Date.now() + 10_000)
    await get()
    expect(forms).toHaveLength(2)
  })

  test('that lives for less than a minute is used for half its life', async () => {
    const { forms, get } = await guardedProvider({ expiresIn: 20 })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    await get()
    vi.setSystemTime(Date.now() + 9_000)
    await get()
    expect(forms).toHaveLength(1)
    vi.setSystemTime(Date.now() + 2_000)
    await get()
    expect(forms).toHaveLength(2)
  })

  test('that the provider refuses is replaced, once', async () => {
    const { forms, seen, get, revoke } = await guardedProvider()
    await get()
    revoke()
    expect((await get()).status).toBe(200)
    expect({ tokens: forms.length, seen }).toEqual({
      tokens: 2,
      seen: ['Bearer token-1', 'Bearer token-1', 'Bearer token-2'],
    })
  })

  test('makes 401 the answer if its replacement is refused too', async () => {
    const tokenAnswer = () => ({ status: 200, body: { access_token: 'useless', token_type: 'bearer', expires_in: 60 } })
    const { forms, seen, get } = await guardedProvider({ tokenAnswer })
    expect((await get()).status).toBe(401)
    expect({ tokens: forms.length, calls: seen.length }).toEqual({ tokens: 2, calls: 2 })
  })

  const named = { access_token: 'token-1' }
  test.each<[string, object]>([
    ['without token_type', { ...named, expires_in: 60 }],
    ['with the type BearerToken', { ...named, token_type: 'BearerToken', expires_in: '3599' }],
    ['with an empty type', { ...named, token_type: '' }],
    [
      'with null for what there is none of',
      { ...named, token_type: null, scope: null, expires_in: null, refresh_token: null, id_token: null },
    ],
    ['with a scope that is a list', { ...named, token_type: 'bearer', scope: ['read'] }],
    ['with an expiry that is no number', { ...named, token_type: 'bearer', expires_in: 'soon' }],
    ['with an expiry that is over', { ...named, token_type: 'bearer', expires_in: -1 }],
  ])('%s is used', async (_, body) => {
    for (const type of ['application/json', 'text/plain']) {
      const tokenAnswer = () => ({ status: 200, body, headers: { 'content-type': type } })
      const { seen, get } = await guardedProvider({ tokenAnswer })
      expect((await get()).status).toBe(200)
      expect(seen).toEqual(['Bearer token-1'])
    }
  })

  test('that is still awaited does not outlast the call that needs it, and goes on for others', async () => {
    const token = gate()
    const wait = () => {
      token.arrive()
      return token.passed
    }
    const { forms, provider, grant, site, call } = await guardedProvider({ wait })
    const given = new AbortController()
    const request = { provider: { ...provider, authentication: grant }, url: `${site.url}/data` }
    const one = call({ ...request, signal: given.signal })
    const other = call(request)
    await token.reached
    given.abort(new Error('given up'))
    await expect(one).rejects.toThrow('given up')
    await expect(call({ ...request, signal: given.signal })).rejects.toThrow('given up')
    token.open()
    expect((await other).status).toBe(200)
    expect(forms).toHaveLength(1)
  })

  test('is not shared with other credentials', async () => {
    const { forms, get } = await guardedProvider()
    await get()
    await get({ authentication: { scope: 'read' } })
    expect(forms.map(form => form.get('scope'))).toEqual(['read write', 'read'])
  })
})

describe('a token endpoint', () => {
  const quoting = { error: 'invalid_client', error_description: `no client has ${secretValue}` }
  test.each<[string, Answer, object]>([
    [
      'does not know the secret',
      { status: 401, body: quoting },
      {
        reason: 'token-refused',
        retryable: false,
        status: 401,
        message: expect.stringMatching(/answered 401 \(invalid_client\)$/),
      },
    ],
    [
      'says so in words of its own',
      { status: 400, body: { error: `Unknown ${secretValue}` } },
      { reason: 'token-refused', retryable: false, status: 400, message: expect.stringMatching(/answered 400$/) },
    ],
    ...Object.entries({
      "has no text as 'access_token'": [{}, { access_token: null }, { access_token: '' }, { access_token: 1 }],
      "has a 'token_type' other than Bearer": [
        { access_token: 'a', token_type: 'mac' },
        { access_token: 'a', token_type: 1 },
      ],
      'something other than a JSON object': ['text', null],
    }).flatMap(([says, bodies]) =>
      bodies.map((body): [string, Answer, object] => [
        `answers 200 with ${JSON.stringify(body)}`,
        { status: 200, body },
        { reason: 'token-refused', retryable: false, status: 200, message: expect.stringContaining(says) },
      ]),
    ),
    [
      'redirects',
      { status: 302, body: {}, headers: { location: '/x' } },
      { reason: 'token-refused', retryable: false },
    ],
    [
      'is overloaded',
      { status: 429, body: {}, headers: { 'retry-after': '3' } },
      { reason: 'token-unavailable', retryable: true, status: 429, retryAfterMs: 3_000 },
    ],
    [
      'asks to come again with 403',
      { status: 403, body: {}, headers: { 'retry-after': '3' } },
      { reason: 'token-unavailable', retryable: true, status: 403, retryAfterMs: 3_000 },
    ],
    ['is in trouble', { status: 503, body: quoting }, { reason: 'token-unavailable', retryable: true, status: 503 }],
  ])('%s: the call fails, and the provider is not called', async (_, tokenAnswer, failure) => {
    const { call, forms, seen, lines, provider, site } = await guardedProvider({ tokenAnswer: () => tokenAnswer })
    const failed: unknown = await call({ provider, url: `${site.url}/data` }).catch((error: unknown) => error)
    expect(failed).toMatchObject(failure)
    expect(failed).not.toHaveProperty('cause')
    expect({ tokens: forms.length, seen }).toEqual({ tokens: 1, seen: [] })
    const shown = failed instanceof Error ? `${failed.message} ${failed.stack}` : ''
    expect(shown + lines.join('')).not.toContain(secretValue)
  })

  test('at a private address is refused', async () => {
    const { failure, provider, grant, site } = await guardedProvider()
    const authentication = { ...grant, tokenUrl: 'https://10.0.0.1/token' }
    const failed = await failure({ provider: { ...provider, authentication }, url: `${site.url}/data` })
    expect(failed).toMatchObject({ reason: 'private-address', retryable: false })
    expect(site.asked).toEqual([])
  })

  test('that failed is asked again after a second', async () => {
    let isDown = true
    const down = { status: 503, body: {} }
    const { forms, get } = await guardedProvider({ tokenAnswer: () => (isDown ? down : undefined) })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    await expect(get()).rejects.toMatchObject({ reason: 'token-unavailable' })
    isDown = false
    await expect(get()).rejects.toMatchObject({ reason: 'token-unavailable' })
    expect(forms).toHaveLength(1)
    vi.setSystemTime(Date.now() + 1_001)
    expect((await get()).status).toBe(200)
  })
})
