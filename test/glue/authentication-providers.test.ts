// Keys and metadata of authorities.
import type { RequestListener } from 'node:http'
import { afterEach, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { newTenant } from '../support/api.js'
import { bearer, type Callers, call, expectRefusal, startCallers } from '../support/glue-callers.js'
import { type SecondProvider, startSecondProvider } from '../support/second-provider.js'

let provider: SecondProvider
/** Not on the list of what may be called. */
let hidden: SecondProvider
let callers: Callers
let path: string
let change: (openIdConnect: object, variables?: object) => Promise<void>

beforeAll(async () => {
  const tenant = await newTenant(inject('baseUrl'))
  path = `${tenant.tenantKey}/users`
  change = (openIdConnect, variables = {}) => {
    const endpoint = { key: 'users', steps: [{ name: 'answer', respond: {} }], authentication: [{ openIdConnect }] }
    return tenant.change({ glue: { variables, endpoints: [endpoint] } })
  }
})
beforeEach(async () => {
  provider = await startSecondProvider()
  hidden = await startSecondProvider()
  callers = await startCallers([new URL(provider.url).host], 500)
  await change({ authority: provider.issuer, audiences: 'app-a' })
})
afterEach(async () => {
  vi.useRealTimers()
  await Promise.all([callers.stop(), provider.stop(), hidden.stop()])
})

const metadata = '/realms/host/.well-known/openid-configuration'
const platformToken = () => {
  const [tenant_key] = path.split('/')
  return callers.platform.token({ tenant_key, client_id: `${tenant_key}-0` })
}
const send = (token: string) => call(callers.baseUrl, path, bearer(token))
const admitted = async (token: string) => expect((await send(token)).body).toEqual({ userToken: token })
const refused = async (token: string) => callers.reasonOf(expectRefusal(await send(token), path))

/** Moves the clock only: timers and sockets go on as ever. */
function later(ms: number) {
  const now = Date.now()
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(now + ms)
}

const json =
  (value: (url: string) => unknown, status = 200): RequestListener =>
  (request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(value(request.url ?? '')))
  }

/** Answers the metadata in this way; everything else is nothing. */
const withMetadata = (members: object) =>
  json(url => (url === metadata ? { issuer: provider.issuer, jwks_uri: `${provider.issuer}/jwks`, ...members } : {}))

describe('metadata and keys', () => {
  test('are read once for all callers who come together, and kept for the authority', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, (_, n) => provider.token({ jti: String(n) })))
    await Promise.all(tokens.map(admitted))
    await admitted(await provider.token({ jti: 'later' }))
    expect([provider.count(metadata), provider.count('/jwks')]).toEqual([1, 1])
  })

  test('may come without a key set endpoint, with the keys in the metadata itself', async () => {
    const { d: _, ...jwk } = provider.keyOf('ES256').jwk
    provider.serve(withMetadata({ jwks_uri: undefined, jwks: { keys: [jwk] } }))
    await admitted(await provider.token())
    expect(provider.asked).toEqual([metadata])
  })

  test('are found where the authority ends with a slash, which is trimmed for the address only', async () => {
    await change({ authority: `${provider.issuer}/`, audiences: 'app-a' })
    const { d: _, ...jwk } = provider.keyOf('ES256').jwk
    const keys = { jwks_uri: undefined, jwks: { keys: [jwk] } }
    provider.serve(withMetadata({ issuer: `${provider.issuer}/`, ...keys }))
    await admitted(await provider.token({ iss: `${provider.issuer}/` }))
    expect(await refused(await provider.token())).toBe('openIdConnect: issuer')
  })

  test('are read again for a key that is new: a rotation needs no restart', async () => {
    await admitted(await provider.token())
    await provider.rotate()
    await admitted(await provider.token())
    expect(provider.count('/jwks')).toBe(2)
  })

  test('are read again at most once in 30 s for keys that nobody knows', async () => {
    await admitted(await provider.token())
    const unknown = (kid: number) => provider.token({}, { kid: `k${kid}` }).then(refused)
    for (let n = 0; n < 20; n++) expect(await unknown(n)).toBe('openIdConnect: unknown-key')
    await Promise.all(Array.from({ length: 20 }, (_, n) => unknown(n + 20)))
    expect(provider.count('/jwks')).toBe(2)
    later(31_000)
    await Promise.all(Array.from({ length: 20 }, (_, n) => unknown(n + 40)))
    expect(provider.count('/jwks')).toBe(3)
  })

  test('are not read for tokens that are refused without them', async () => {
    await refused('noise')
    await refused(await hidden.token())
    expect([provider.asked, hidden.asked]).toEqual([[], []])
  })
})

describe('a provider that cannot be used is 401 for the caller, and the log says why', () => {
  const keysOf =
    (answer: RequestListener): RequestListener =>
    (request, response) =>
      (request.url === metadata ? withMetadata({}) : answer)(request, response)
  const redirect: RequestListener = (_, response) =>
    response.writeHead(302, { location: `${hidden.issuer}/.well-known/openid-configuration` }).end()
  const endless: RequestListener = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const more = () => response.destroyed || (response.write(' '.repeat(65_536)) && setImmediate(more))
    response.on('drain', more)
    more()
  }
  const text =
    (body: string): RequestListener =>
    (_, response) =>
      response.end(body)
  const hang: RequestListener = () => undefined
  const drip: RequestListener = (_, response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write(' '), 100)
    response.on('close', () => clearInterval(timer))
  }
  const cut: RequestListener = (request, response) => {
    response.writeHead(200)
    response.write('{"issuer":')
    setTimeout(() => request.socket.destroy(), 10)
  }

  const hostile: [string, RegExp, () => RequestListener][] = [
    ['that names another issuer', /names another issuer/, () => withMetadata({ issuer: 'https://other.example' })],
    ['that names itself with a slash more', /another issuer/, () => withMetadata({ issuer: `${provider.issuer}/` })],
    ['that names no issuer', /names another issuer/, () => withMetadata({ issuer: undefined })],
    ['whose keys are nowhere', /no usable jwks_uri/, () => withMetadata({ jwks_uri: undefined })],
    ['whose keys are at no address', /no usable jwks_uri/, () => withMetadata({ jwks_uri: 'keys' })],
    ['whose keys are in a file', /no usable|Only https/, () => withMetadata({ jwks_uri: 'file:///etc/passwd' })],
    ['whose keys are at a private address', /public/, () => withMetadata({ jwks_uri: 'https://10.0.0.1/jwks' })],
    ['whose keys are with a cloud machine', /https/, () => withMetadata({ jwks_uri: 'http://169.254.169.254/x' })],
    ['whose keys are at a hidden server', /https/, () => withMetadata({ jwks_uri: `${hidden.issuer}/jwks` })],
    ['that redirects', /status 302/, () => redirect],
    ['whose keys redirect', /status 302/, () => keysOf(redirect)],
    ['that fails', /status 500/, () => json(() => ({}), 500)],
    ['whose keys fail', /status 503/, () => keysOf(json(() => ({}), 503))],
    ['that is not there', /status 404/, () => json(() => ({}), 404)],
    ['that answers no JSON', /JSON/, () => text('<html>')],
    ['that answers a list', /not an object/, () => text('[]')],
    ['that answers nothing', /JSON/, () => text('')],
    ['that breaks off', /failed/, () => cut],
    ['whose keys are no key set', /Key Set/, () => keysOf(json(() => ({ keys: 'none' })))],
    ['whose keys are endless', /larger|more than/, () => keysOf(endless)],
    ['that is endless', /larger|more than/, () => endless],
    ['that answers 300 KB', /more than 256 KB/, () => text(`{"a":"${'a'.repeat(300_000)}"}`)],
    ['that never answers', /timeout/, () => hang],
    ['that never comes to its end', /timeout/, () => drip],
    ['whose keys never come', /timeout/, () => keysOf(hang)],
  ]
  test.each(hostile)('one %s', async (_, why, answer) => {
    provider.serve(answer())
    const traceId = expectRefusal(await send(await provider.token()), path)
    expect(callers.reasonOf(traceId)).toBe('openIdConnect: authority-unavailable')
    const line = callers.logged().find(line => line.traceId === traceId && line.step)
    expect(line?.err?.stack).toMatch(why)
    expect(hidden.asked).toEqual([])
  })
})

describe('a provider that is away', () => {
  const down: RequestListener = request => request.socket.destroy()

  test('is asked at most once a second, and works once it is back', async () => {
    provider.serve(down)
    for (let n = 0; n < 10; n++) {
      expect(await refused(await provider.token({ jti: String(n) }))).toBe('openIdConnect: authority-unavailable')
    }
    expect(provider.asked).toHaveLength(1)
    provider.start()
    later(1_100)
    await admitted(await provider.token())
  })

  test('does not matter while its keys are known', async () => {
    await admitted(await provider.token())
    provider.serve(down)
    await admitted(await provider.token({ jti: 'other' }))
  })

  test('concerns nobody else: other authorities have keys of their own', async () => {
    provider.serve(down)
    await refused(await provider.token())
    await change({ authority: callers.platform.issuer, audiences: 'armature' })
    await admitted(await platformToken())
  })
})

test('our own identity service may be at a private address', async () => {
  await change({ authority: callers.platform.issuer, audiences: 'armature' })
  await admitted(await platformToken())
  await change({ authority: hidden.issuer, audiences: 'app-a' })
  expect(await refused(await hidden.token())).toBe('openIdConnect: authority-unavailable')
  expect(hidden.asked).toEqual([])
})

test('a template takes the new value of a variable as soon as the manifest has it', async () => {
  const method = { authority: provider.issuer, audiences: '{{ variables.audience }}' }
  const token = await provider.token()
  await change(method, { audience: 'app-z' })
  expect(await refused(token)).toBe('openIdConnect: audience')
  await change(method, { audience: 'app-a' })
  await admitted(token)
})

describe('a method whose templates give no usable value admits nobody', () => {
  const unusable: [string, () => object, object][] = [
    ['no audience', () => ({ authority: provider.issuer, audiences: '{{ variables.empty }}' }), { empty: ' , ' }],
    ['no authority', () => ({ authority: '{{ variables.empty }}', audiences: 'app-a' }), { empty: '' }],
    ['an authority that is no URL', () => ({ authority: '{{ variables.x }}', audiences: 'app-a' }), { x: 'host' }],
    ['one of another protocol', () => ({ authority: '{{ variables.x }}', audiences: 'app-a' }), { x: 'file:///a' }],
    ['one with a query', () => ({ authority: `{{ variables.x }}`, audiences: 'app-a' }), { x: 'https://a.example/?b' }],
    [
      'one with a password',
      () => ({ authority: '{{ variables.x }}', audiences: 'app-a' }),
      { x: 'https://u:p@a.example' },
    ],
  ]
  test.each(unusable)('%s', async (_, method, variables) => {
    await change(method(), variables)
    expect(await refused(await provider.token())).toBe('openIdConnect: unusable-method')
    expect(callers.mentions('u:p@')).toBe(false)
  })
})
