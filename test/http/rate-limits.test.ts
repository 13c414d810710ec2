// Rate limits of tenants.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type Api, admin, api, newTenant, type Problem, type Tenant, tokenOf } from '../support/api.js'
import { problem } from '../support/http.js'
import { startOwnApp } from '../support/own-app.js'

const path = '/api/v1/group'
const baseUrl = inject('baseUrl')
const platform = await admin(baseUrl)

const statuses = async (caller: Api, count: number) => {
  const answers: number[] = []
  for (let n = 0; n < count; n++) answers.push((await caller.get(path)).status)
  return answers
}

/** A tenant with two clients, of which each may send so many requests a minute. */
async function limited(requestsPerMinute: number) {
  const tenantKey = `l-${randomBytes(6).toString('hex')}`
  const clients = ['a', 'b'].map(name => ({
    id: `${tenantKey}-${name}`,
    secret: randomBytes(16).toString('hex'),
    scopes: ['FrameApi'],
    permissions: ['List:*'],
  }))
  const limit = (limits: object) => platform.put(`/admin/v1/tenants/${tenantKey}`, { clients, limits })
  await limit({ requestsPerMinute })
  const [a, b] = await Promise.all(
    clients.map(async client => ({
      ...api(baseUrl, await tokenOf(baseUrl, { ...client, tenantKey, scope: 'FrameApi' })),
      claims: { tenant_key: tenantKey, client_id: client.id },
    })),
  )
  if (!a || !b) throw new Error('Two clients were made')
  return { a, b, limit }
}

test('there is no limit where the manifest names none', async () => {
  const tenant = await newTenant(baseUrl)
  const answers = await Promise.all(Array.from({ length: 100 }, () => tenant.get(path)))
  expect(answers.filter(({ status }) => status !== 200)).toEqual([])
})

describe('a client that has used up its minute', () => {
  test('gets 429 that says when to come back, whatever it asks; its neighbour goes on', async () => {
    const { a, b } = await limited(3)
    expect(await statuses(a, 3)).toEqual([200, 200, 200])
    const { headers, body } = await a.get<Problem>(path)
    expect(body).toEqual(problem(429, 'rate-limited', path, { detail: expect.stringContaining('3 requests a minute') }))
    const seconds = Number(headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(60)
    // Neither a body that is wrong nor a permission that is missing is looked at.
    expect((await a.put(path, '{')).status).toBe(429)
    expect((await a.get(`${path}/x`)).status).toBe(429)
    expect(await statuses(b, 3)).toEqual([200, 200, 200])
  })

  test('goes on when the manifest says so, within 5 s', async () => {
    const { a, limit } = await limited(1)
    expect(await statuses(a, 2)).toEqual([200, 429])
    await limit({})
    await expect.poll(async () => (await a.get(path)).status, { timeout: 5_000, interval: 200 }).toBe(200)
    expect(await statuses(a, 5)).toEqual([200, 200, 200, 200, 200])
  })
})

describe('an address that has sent too many wrong tokens or keys', () => {
  let own: Awaited<ReturnType<typeof startOwnApp>>
  let tenant: Tenant
  let key: string
  beforeAll(async () => {
    own = await startOwnApp(inject('databaseUrl'), { WRONG_CREDENTIALS_PER_MINUTE: '3', TRUSTED_PROXIES: '127.0.0.1' })
    const steps = [{ name: 'answer', respond: {} }]
    const endpoints = [{ key: 'keyed', steps, authentication: [{ apiKey: {} }] }]
    tenant = await newTenant(baseUrl, {}, { glue: { endpoints } })
    const made = await platform.post<{ key: string }>(`/admin/v1/tenants/${tenant.tenantKey}/endpoints/keyed/apiKeys`, {
      name: 'a',
    })
    key = made.body.key
  })
  afterAll(() => own.stop())

  /** Statuses of so many requests from an address. */
  const sent = async (count: number, from: string, at: string, headers: Record<string, string>) => {
    const answers: number[] = []
    for (let n = 0; n < count; n++) {
      const answer = await api(own.baseUrl, '').get(at, { 'x-forwarded-for': from, ...headers })
      answers.push(answer.status)
      if (answer.status === 429) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    return answers
  }
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const tokenNow = (more: object = {}) =>
    own.issuer.token({ tenant_key: tenant.tenantKey, client_id: `${tenant.tenantKey}-0`, scope: 'FrameApi', ...more })

  test('is told to wait; others go on, and so does a right token of its own', async () => {
    expect(await sent(5, '198.51.100.1', path, bearer('garbage'))).toEqual([401, 401, 401, 429, 429])
    expect(await sent(1, '198.51.100.2', path, bearer('garbage'))).toEqual([401])
    expect(await sent(2, '198.51.100.1', path, bearer(await tokenNow()))).toEqual([200, 200])
    // It says when to ask for another token.
    expect(await sent(1, '198.51.100.1', path, bearer(await tokenNow({ exp: 1_700_000_000 })))).toEqual([401])
    expect(await sent(1, '198.51.100.1', path, {})).toEqual([401])
  })

  test('learns nothing of which endpoints there are, and a right key opens its own', async () => {
    const wrong = { 'x-api-key': key.replace(/.$/, last => (last === 'A' ? 'B' : 'A')) }
    const [there, nowhere] = [`/glue/${tenant.tenantKey}/keyed`, '/glue/nobody/nothing']
    expect(await sent(4, '198.51.100.3', there, wrong)).toEqual([401, 401, 401, 429])
    expect(await sent(4, '198.51.100.4', nowhere, wrong)).toEqual([401, 401, 401, 429])
    expect(await sent(1, '198.51.100.4', there, wrong)).toEqual([429])
    expect(await sent(1, '198.51.100.4', there, { 'x-api-key': key })).toEqual([200])
  })

  test('is told so by forms too', async () => {
    const at = '/api/clinicianforms/availableForms'
    expect(await sent(4, '198.51.100.5', at, bearer('garbage'))).toEqual([403, 403, 403, 429])
  })
})

describe('two API processes on one database', () => {
  const limit = { WRONG_CREDENTIALS_PER_MINUTE: '4', TRUSTED_PROXIES: '127.0.0.1' }
  let both: Awaited<ReturnType<typeof startOwnApp>>[]
  beforeAll(async () => {
    both = await Promise.all([startOwnApp(inject('databaseUrl'), limit), startOwnApp(inject('databaseUrl'), limit)])
  })
  afterAll(() => Promise.all(both.map(own => own.stop())))

  /** Statuses of so many requests to each in turn, one after the other. */
  const inTurn = async (count: number, ask: (own: (typeof both)[number]) => Promise<{ status: number }>) => {
    const answers: number[] = []
    for (let n = 0; n < count; n++) for (const own of both) answers.push((await ask(own)).status)
    return answers
  }

  test('count the wrong tokens of an address together', async () => {
    const wrong = { authorization: 'Bearer garbage', 'x-forwarded-for': '198.51.100.9' }
    expect(await inTurn(3, own => api(own.baseUrl, '').get(path, wrong))).toEqual([401, 401, 401, 401, 429, 429])
  })

  test('count the requests of a client together, also of many at once', async () => {
    const { a } = await limited(6)
    const tokens = new Map(
      await Promise.all(
        both.map(async own => [own, await own.issuer.token({ ...a.claims, scope: 'FrameApi' })] as const),
      ),
    )
    const ask = (own: (typeof both)[number]) => api(own.baseUrl, tokens.get(own) ?? '').get(path)
    expect(await inTurn(2, ask)).toEqual([200, 200, 200, 200])
    const rest = await Promise.all([...both, ...both, ...both].map(ask))
    expect(rest.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(rest.filter(({ status }) => status === 429)).toHaveLength(4)
  })
})

test('requests without a valid token count for nobody', async () => {
  const { a } = await limited(2)
  for (const token of ['', 'garbage']) await statuses(api(baseUrl, token), 3)
  expect(await statuses(a, 3)).toEqual([200, 200, 429])
})
