// API keys of endpoints.
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { type Api, admin, newTenant, type Problem, type Tenant } from '../support/api.js'
import { openDatabase } from '../support/factories.js'
import { bearer, type Callers, call, expectRefusal, startCallers } from '../support/glue-callers.js'
import { problem } from '../support/http.js'

interface ApiKey {
  id: string
  endpointKey: string
  name: string
  createdBy: string
  createdAt: string
  expiresAt: string | null
  revokedAt: string | null
  key: string
}
interface List {
  PageInfo: { TotalCount: number; HasNextPage: boolean; EndCursor: string }
  Edges: { Node: ApiKey }[]
}

let callers: Callers
let platform: Api
let tenant: Tenant
let other: Tenant
const db = openDatabase()

beforeAll(async () => {
  callers = await startCallers([])
  platform = await admin(inject('baseUrl'))
  const one = (key: string) => ({ key, steps: [{ name: 'answer', respond: {} }], authentication: [{ apiKey: {} }] })
  tenant = await newTenant(inject('baseUrl'), {}, { glue: { endpoints: [one('a'), one('b'), one('list')] } })
  other = await newTenant(inject('baseUrl'), {}, { glue: { endpoints: [one('a')] } })
})
afterAll(() => callers.stop())

const keysOf = (endpoint: string, { tenantKey } = tenant) =>
  `/admin/v1/tenants/${tenantKey}/endpoints/${endpoint}/apiKeys`
const make = async (endpoint = 'a', more: object = {}, of = tenant) =>
  (await platform.post<ApiKey>(keysOf(endpoint, of), { name: 'a key', ...more })).body
const pathOf = (endpoint: string, { tenantKey } = tenant) => `${tenantKey}/${endpoint}`
const send = (key: string, endpoint = 'a', of = tenant) =>
  call(callers.baseUrl, pathOf(endpoint, of), { headers: { 'x-api-key': key } })
const reason = async (key: string, endpoint = 'a') =>
  callers.reasonOf(expectRefusal(await send(key, endpoint), pathOf(endpoint)))

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

test('a key is shown when it is made, opens its endpoint, and is kept as a hash only', async () => {
  const { status, body } = await platform.post<ApiKey>(keysOf('a'), {
    name: 'partner',
    expiresAt: '2999-01-01' + 'T00:00:00Z',
  })
  expect([status, body]).toEqual([
    201,
    {
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      endpointKey: 'a',
      name: 'partner',
      createdBy: 'platform-admin',
      createdAt: time,
      expiresAt: '2999-01-01T00:00:00.000Z',
      revokedAt: null,
      key: expect.stringMatching(/^armature_[\da-f]{32}_[\w-]{43}$/),
    },
  ])
  expect((await send(body.key)).status).toBe(200)
  const stored = JSON.stringify(await db('glue_api_keys').where({ id: body.id }))
  expect(stored).toContain(body.id)
  // The secret may have an underscore itself.
  const [secret] = /[\w-]{43}$/.exec(body.key) ?? []
  expect(secret).toHaveLength(43)
  expect(stored).not.toContain(secret)
})

test('several keys open one endpoint, and revoking one leaves the others', async () => {
  const [first, second] = [await make(), await make()]
  expect(first.key.slice(-43)).not.toBe(second.key.slice(-43))
  expect((await platform.delete(`${keysOf('a')}/${first.id}`)).status).toBe(204)
  expect(await reason(first.key)).toBe('apiKey: revoked')
  expect((await send(second.key)).status).toBe(200)
  // Once more is no fault, and the time stays that of the first.
  const revokedAt = async () => (await db('glue_api_keys').where({ id: first.id }).first('revoked_at')).revoked_at
  const before = await revokedAt()
  expect((await platform.delete(`${keysOf('a')}/${first.id.toUpperCase()}`)).status).toBe(204)
  expect(await revokedAt()).toEqual(before)
})

test('a key opens no other endpoint, and no endpoint of another tenant', async () => {
  const { key } = await make()
  expect(await reason(key, 'b')).toBe('apiKey: unknown')
  const answer = await send(key, 'a', other)
  expect(callers.reasonOf(expectRefusal(answer, pathOf('a', other)))).toBe('apiKey: unknown')
})

test("a key is valid until it expires by the database's clock, whatever that of the process says", async () => {
  const { key, id } = await make('a', { expiresAt: new Date(Date.now() + 3_600_000).toISOString() })
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(Date.now() + 7_200_000)
  expect((await send(key)).status).toBe(200)
  vi.useRealTimers()
  await db('glue_api_keys')
    .where({ id })
    .update({ expires_at: db.fn.now(3) })
  expect(await reason(key)).toBe('apiKey: expired')
})

test('a key is accepted only in its header and as a whole', async () => {
  const { key, id } = await make()
  const made = await make()
  const wrong: [string, string][] = [
    ['', 'missing'],
    ['noise', 'malformed'],
    [key.slice(0, -1), 'malformed'],
    [`${key}x`, 'malformed'],
    [key.toUpperCase(), 'malformed'],
    [id, 'malformed'],
    [key.slice(key.lastIndexOf('_') + 1), 'malformed'],
    [`${key}, ${key}`, 'malformed'],
    [`Bearer ${key}`, 'malformed'],
    [key.slice(0, -43) + made.key.slice(-43), 'unknown'],
    [key.slice(0, -2) + (key.endsWith('AA') ? 'BB' : 'AA'), 'unknown'],
    [key.replace(/_[\da-f]{32}_/, `_${'0'.repeat(32)}_`), 'unknown'],
    ["armature_' OR 1=1 -- ", 'malformed'],
  ]
  for (const [text, why] of wrong) expect([text, await reason(text)]).toEqual([text, `apiKey: ${why}`])
  const elsewhere: [string, RequestInit][] = [
    [`?apiKey=${key}&x-api-key=${key}`, {}],
    ['', bearer(key)],
    ['', { body: new URLSearchParams({ 'x-api-key': key, jwt: key }) }],
    ['', { body: JSON.stringify({ 'X-Api-Key': key }), headers: { 'content-type': 'application/json' } }],
  ]
  for (const [query, init] of elsewhere) {
    const answer = await call(callers.baseUrl, pathOf('a') + query, init)
    expect(callers.reasonOf(expectRefusal(answer, pathOf('a')))).toBe('apiKey: missing')
  }
  expect(callers.mentions(key)).toBe(false)
})

test('the list shows an endpoint’s keys, the newest first, page by page, and never the keys themselves', async () => {
  const made = [await make('list'), await make('list'), await make('list')]
  const [newest] = made.slice(-1)
  const { body: first } = await platform.get<List>(`${keysOf('list')}?First=2`)
  const { body: rest } = await platform.get<List>(`${keysOf('list')}?First=2&After=${first.PageInfo.EndCursor}`)
  expect(first.PageInfo).toMatchObject({ TotalCount: 3, HasNextPage: true })
  const nodes = [...first.Edges, ...rest.Edges].map(({ Node }) => Node)
  expect(nodes).toEqual(made.reverse().map(({ key: _, ...shown }) => shown))
  expect(nodes[0]?.id).toBe(newest?.id)
})

test('keys outlive an endpoint that a manifest leaves out, can still be revoked, and open it when it is back', async () => {
  const endpoint = { key: 'gone', steps: [{ name: 'answer', respond: {} }], authentication: [{ apiKey: {} }] }
  const changed = await newTenant(inject('baseUrl'), {}, { glue: { endpoints: [endpoint] } })
  const [kept, revoked] = [await make('gone', {}, changed), await make('gone', {}, changed)]
  await changed.change({ glue: {} })
  expectRefusal(await send(kept.key, 'gone', changed), pathOf('gone', changed))
  expect((await platform.delete(`${keysOf('gone', changed)}/${revoked.id}`)).status).toBe(204)
  const { body } = await platform.get<List>(keysOf('gone', changed))
  expect(body.Edges.map(({ Node }) => Node.revokedAt)).toEqual([time, null])
  await changed.change({ glue: { endpoints: [endpoint] } })
  expect((await send(kept.key, 'gone', changed)).status).toBe(200)
})

test('the faults of a new key are named, and no key is created', async () => {
  const mine = { tenant_id: await tenantIdOf(db, tenant.tenantKey) }
  const count = async () => Number((await db('glue_api_keys').where(mine).count({ n: '*' }).first())?.n)
  const before = await count()
  const wrong: [unknown, object[]][] = [
    [{}, [{ pointer: '/name', code: 'required' }]],
    [{ name: ' ' }, [{ pointer: '/name', code: 'wrong-format' }]],
    [
      { name: 'a', expiresAt: 'tomorrow' },
      [{ pointer: '/expiresAt', code: 'wrong-format', detail: 'It must be a date-time.' }],
    ],
    [{ name: 'a', expiresAt: '9999-12-31T23:59:59-05:00' }, [{ pointer: '/expiresAt', code: 'wrong-format' }]],
    [{ name: 'a', expiresAt: '2020-01-01T00:00:00Z' }, [{ pointer: '/expiresAt', code: 'past' }]],
    [{ name: 7, expiresAt: 8 }, [{ pointer: '/name' }, { pointer: '/expiresAt' }]],
  ]
  for (const [body, errors] of wrong) {
    const answer = await platform.post<Problem>(keysOf('a'), body)
    expect(answer.body).toMatchObject({ type: '/problems/validation', status: 400 })
    expect(answer.body.errors).toEqual(errors.map(error => expect.objectContaining(error)))
  }
  expect(await count()).toBe(before)
})

test('unknown tenants, endpoints and keys are 404, and only platform administrators have access', async () => {
  const { id } = await make()
  const unknown: [string, string][] = [
    ['POST', keysOf('nobody')],
    ['GET', keysOf('nobody')],
    ['POST', keysOf('a', { ...tenant, tenantKey: 'nobody' })],
    ['GET', keysOf('a', { ...tenant, tenantKey: 'nobody' })],
    ['DELETE', `${keysOf('a')}/0198b6c8-0000-7000-8000-000000000000`],
    ['DELETE', `${keysOf('a')}/x`],
    ['DELETE', `${keysOf('b')}/${id}`],
    ['DELETE', `${keysOf('a', other)}/${id}`],
  ]
  for (const [method, path] of unknown) {
    const { body } = await platform.send(method, path, method === 'POST' ? { name: 'a' } : undefined)
    expect(body).toEqual(problem(404, 'not-found', path))
  }
  const allowed = await tenant.client(['*'], ['FrameApi', 'GlueRuntimeApi'])
  for (const [method, path] of [
    ['POST', keysOf('a')],
    ['GET', keysOf('a')],
    ['DELETE', `${keysOf('a')}/${id}`],
  ] as const) {
    const { body } = await allowed.send(method, path, method === 'POST' ? { name: 'a' } : undefined)
    expect(body).toEqual(problem(403, 'insufficient-scope', path))
  }
  const row = await db('glue_api_keys').where({ id }).first('revoked_at')
  expect(row).toEqual({ revoked_at: null })
})
