// Authentication methods of endpoints.
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { admin, newTenant, type Tenant } from '../support/api.js'
import { bearer, type Callers, call, expectRefusal, startCallers } from '../support/glue-callers.js'
import { type SecondProvider, startSecondProvider } from '../support/second-provider.js'

let provider: SecondProvider
let callers: Callers
let tenant: Tenant
let other: Tenant
let key: string

const steps = [{ name: 'answer', respond: {} }]
const program = { clientCredentials: {} }

beforeAll(async () => {
  provider = await startSecondProvider()
  callers = await startCallers([new URL(provider.url).host])
  const user = { openIdConnect: { authority: provider.issuer, audiences: 'app-a' } }
  const ownUser = { openIdConnect: { authority: callers.platform.issuer, audiences: 'armature', scopes: 'deep' } }
  const endpoints = [
    { key: 'program', steps, authentication: [program] },
    { key: 'both', steps, authentication: [ownUser, program] },
    { key: 'impossible', steps, authentication: [user, program] },
    { key: 'user-key', steps, authentication: [user, { apiKey: {} }] },
    { key: 'all', steps, authentication: [{ apiKey: {} }, program, ownUser] },
    { key: 'open', steps, authentication: [] },
  ]
  tenant = await newTenant(inject('baseUrl'), {}, { glue: { endpoints } })
  other = await newTenant(inject('baseUrl'), {}, { glue: { endpoints: [endpoints[0]] } })
  // The clients -1 and -2 of each: with the scope, and without it.
  for (const each of [tenant, other]) {
    await each.client([], ['GlueRuntimeApi', 'FrameApi'])
    await each.client([], ['FrameApi'])
  }
  const platform = await admin(inject('baseUrl'))
  for (const endpoint of ['user-key', 'all']) {
    const path = `/admin/v1/tenants/${tenant.tenantKey}/endpoints/${endpoint}/apiKeys`
    const { body } = await platform.post<{ key: string }>(path, { name: endpoint })
    if (endpoint === 'all') key = body.key
  }
})
afterAll(() => Promise.all([callers.stop(), provider.stop()]))

const seconds = (fromNow: number) => Math.floor(Date.now() / 1000) + fromNow
const pathOf = (endpoint: string) => `${tenant.tenantKey}/${endpoint}`
const send = (endpoint: string, init: RequestInit) => call(callers.baseUrl, pathOf(endpoint), init)

/** A token of the platform for the tenant's client that has the scope. */
const programToken = (claims: object = {}) => {
  const { tenantKey: tenant_key } = tenant
  const right = { tenant_key, client_id: `${tenant_key}-1`, scope: 'GlueRuntimeApi' }
  return callers.platform.token({ ...right, ...claims })
}

describe('client credentials', () => {
  test('a token for the tenant with the scope is admitted, and is not passed on as a user token', async () => {
    const token = await programToken({ scope: 'FrameApi GlueRuntimeApi' })
    const { status, body } = await send('program', bearer(token))
    expect([status, body]).toEqual([200, {}])
  })

  const refused: [string, string, () => Promise<RequestInit>][] = [
    ['no token', 'missing', async () => ({})],
    ['another scheme', 'no-bearer-token', async () => ({ headers: { authorization: 'Basic YTpi' } })],
    ['a token without the scope', 'scope', async () => bearer(await programToken({ scope: 'FrameApi' }))],
    ['the scope in another letter case', 'scope', async () => bearer(await programToken({ scope: 'glueruntimeapi' }))],
    ['a scope the client does not have', 'scope', async () => bearer(await ofClient(2))],
    ['a client that nobody knows', 'client', async () => bearer(await programToken({ client_id: 'nobody' }))],
    [
      'a client of another tenant',
      'client',
      async () => bearer(await programToken({ client_id: `${other.tenantKey}-1` })),
    ],
    ['a token for another tenant', 'tenant', async () => bearer(await otherToken())],
    ['a token for no tenant', 'claims', async () => bearer(await programToken({ tenant_key: undefined }))],
    ['another audience', 'audience', async () => bearer(await programToken({ aud: 'somebody' }))],
    ['an expired token', 'expired', async () => bearer(await programToken({ exp: seconds(-65) }))],
    ['a token of another issuer', 'issuer', async () => bearer(await provider.token())],
    ['a good token in a form', 'missing', async () => ({ body: new URLSearchParams({ jwt: await programToken() }) })],
    ['a good token as an API key', 'missing', async () => ({ headers: { 'x-api-key': await programToken() } })],
  ]
  const ofClient = (n: number) => programToken({ client_id: `${tenant.tenantKey}-${n}` })
  const otherToken = () => {
    const { tenantKey } = other
    return programToken({ tenant_key: tenantKey, client_id: `${tenantKey}-1` })
  }
  test.each(refused)('%s is refused', async (_, reason, init) => {
    const answer = await send('program', await init())
    expect(callers.reasonOf(expectRefusal(answer, pathOf('program')))).toBe(`clientCredentials: ${reason}`)
  })

  test('a token in the query string is not read', async () => {
    const path = `${pathOf('program')}?access_token=${await programToken()}`
    expect(callers.reasonOf(expectRefusal(await call(callers.baseUrl, path), pathOf('program')))).toMatch(/missing$/)
  })

  test('a client that loses the scope is refused, whatever its token says', async () => {
    const losing = await newTenant(
      inject('baseUrl'),
      {},
      { glue: { endpoints: [{ key: 'p', steps, authentication: [program] }] } },
    )
    await losing.client([], ['GlueRuntimeApi'])
    const { tenantKey } = losing
    const token = await programToken({ tenant_key: tenantKey, client_id: `${tenantKey}-1` })
    const path = `${tenantKey}/p`
    expect((await call(callers.baseUrl, path, bearer(token))).status).toBe(200)
    const platform = await admin(inject('baseUrl'))
    const { body } = await platform.get<{ clients: { id: string; scopes: string[] }[] }>(
      `/admin/v1/tenants/${tenantKey}`,
    )
    const clients = body.clients.map(client => ({ ...client, scopes: ['FrameApi'] }))
    expect((await platform.put(`/admin/v1/tenants/${tenantKey}`, { ...body, clients })).status).toBe(200)
    const traceId = expectRefusal(await call(callers.baseUrl, path, bearer(token)), path)
    expect(callers.reasonOf(traceId)).toBe('clientCredentials: scope')
  })

  test('an outage of the identity service is 401 too, and the log says what it was', async () => {
    const later = await startCallers([])
    const { tenantKey: tenant_key } = tenant
    const token = await later.platform.token({ tenant_key, client_id: `${tenant_key}-1`, scope: 'GlueRuntimeApi' })
    await later.platform.stop()
    const traceId = expectRefusal(await call(later.baseUrl, pathOf('program'), bearer(token)), pathOf('program'))
    expect(later.reasonOf(traceId)).toBe('clientCredentials: authority-unavailable')
    await later.platform.start()
    await later.stop()
  })
})

describe('of several methods all must pass', () => {
  test('one header can satisfy a user method and client credentials', async () => {
    const token = await programToken({ scope: 'GlueRuntimeApi deep' })
    expect((await send('both', bearer(token))).body).toEqual({ userToken: token })
  })

  test('three methods, one call', async () => {
    const token = await programToken({ scope: 'GlueRuntimeApi deep' })
    const headers = { authorization: `Bearer ${token}`, 'x-api-key': key }
    expect((await send('all', { headers })).body).toEqual({ userToken: token })
  })

  const one: [string, string, string, () => Promise<RequestInit>][] = [
    ['the user method fails', 'both', 'openIdConnect: scope', async () => bearer(await programToken())],
    [
      'the client lacks the scope',
      'both',
      'clientCredentials: scope',
      async () => bearer(await programToken({ scope: 'deep' })),
    ],
    ['the form has the token', 'both', 'clientCredentials: missing', async () => formToken()],
    [
      'the one header is a user’s',
      'impossible',
      'clientCredentials: issuer',
      async () => bearer(await provider.token()),
    ],
    ['the one header is a program’s', 'impossible', 'openIdConnect: issuer', async () => bearer(await programToken())],
    ['the key is missing', 'user-key', 'apiKey: missing', async () => bearer(await provider.token())],
    ['the key is of another endpoint', 'user-key', 'apiKey: unknown', async () => userAndKey(await provider.token())],
    ['the token is missing', 'all', 'clientCredentials: missing', async () => ({ headers: { 'x-api-key': key } })],
    ['the last of three fails', 'all', 'openIdConnect: scope', async () => userAndKey(await programToken())],
  ]
  const userAndKey = (token: string) => ({ headers: { authorization: `Bearer ${token}`, 'x-api-key': key } })
  const formToken = async () => ({
    body: new URLSearchParams({ jwt: await programToken({ scope: 'GlueRuntimeApi deep' }) }),
  })
  test.each(one)('refused where %s', async (_, endpoint, reason, init) => {
    const answer = await send(endpoint, await init())
    expect(callers.reasonOf(expectRefusal(answer, pathOf(endpoint)))).toBe(reason)
  })

  test('an endpoint without methods is open, and passes no token on', async () => {
    expect((await send('open', {})).body).toEqual({})
    expect((await send('open', bearer('noise'))).body).toEqual({})
  })
})

describe('an unknown endpoint is answered like one that refuses its caller', () => {
  test.each([
    ['a tenant', () => 'nobody-has-it/program', 'tenant: unknown'],
    ['a tenant with a blank behind it', () => `${tenant.tenantKey}%20/program`, 'tenant: unknown'],
    ['a tenant in another letter case', () => `${tenant.tenantKey.toUpperCase()}/program`, 'tenant: unknown'],
    ['an endpoint', () => pathOf('nobody-has-it'), 'endpoint: unknown'],
    ['an endpoint in another letter case', () => pathOf('Program'), 'endpoint: unknown'],
  ])('%s', async (_, path, reason) => {
    for (const init of [{}, bearer(await provider.token()), bearer(await programToken({ scope: 'FrameApi' }))]) {
      const answer = await call(callers.baseUrl, path(), init)
      expect(callers.reasonOf(expectRefusal(answer, path()))).toBe(reason)
    }
  })

  test('only a program of the same tenant learns that there is no such endpoint', async () => {
    const token = await programToken()
    const { body } = await call(callers.baseUrl, pathOf('nobody-has-it'), bearer(token))
    expect(body).toMatchObject({ status: 404, detail: "There is no endpoint 'nobody-has-it'." })
    for (const path of [`${other.tenantKey}/nobody-has-it`, `${other.tenantKey}/program`]) {
      expectRefusal(await call(callers.baseUrl, path, bearer(token)), path)
    }
  })
})
