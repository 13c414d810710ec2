// The codec endpoint of the Temporal UI.
import type { Payload } from '@temporalio/common'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { createPayloadCodec } from '../../runtime/temporal/payload-codec.js'
import { type Api, api, newTenant, type Problem } from '../support/api.js'
import { startOwnApp } from '../support/own-app.js'

type Own = Awaited<ReturnType<typeof startOwnApp>>

const path = '/temporal/codec/decode'
const ui = 'http://127.0.0.1:8233'
const fromUi = { origin: ui, 'x-namespace': 'default' }
let own: Own
let admin: Api
beforeAll(async () => {
  own = await startOwnApp(inject('databaseUrl'))
  const claims = { sub: 'an-operator', client_id: 'platform-admin', tenant_key: 'demo', scope: 'PlatformAdmin' }
  admin = api(own.baseUrl, await own.issuer.token(claims))
})
afterAll(() => own.stop())
beforeEach(() => own.lines.splice(0))

/** The key of such an app. */
const codec = createPayloadCodec({ current: Buffer.alloc(32), old: [] })
const plain = (text: string) => ({ metadata: { encoding: base64('json/plain') }, data: base64(JSON.stringify(text)) })
const base64 = (bytes: string | Uint8Array) => Buffer.from(bytes).toString('base64')

/** A sealed payload as the UI sends it. */
async function sealed(text: string, by = codec) {
  const payload: Payload = {
    metadata: { encoding: Buffer.from('json/plain') },
    data: Buffer.from(JSON.stringify(text)),
  }
  const [only] = await by.encode([payload], { type: 'workflow', namespace: 'default', workflowId: 'demo/kind/1' })
  const metadata = Object.entries(only?.metadata ?? {}).map(([name, bytes]) => [name, base64(bytes)])
  return { metadata: Object.fromEntries(metadata), data: base64(only?.data ?? '') }
}
const foreign = {
  metadata: { encoding: base64('json/external') },
  data: base64('ref'),
  externalPayloads: [{ sizeBytes: '9' }],
}

test('an operator gets sealed payloads decrypted, and others unchanged', async () => {
  const payloads = [await sealed('Ada'), foreign, {}, await sealed('Byron')]
  const answer = await admin.post(`${path}?preserveStorageRefs=true`, { payloads }, fromUi)
  expect(answer).toMatchObject({ status: 200, body: { payloads: [plain('Ada'), foreign, {}, plain('Byron')] } })
  expect(answer.headers.get('cache-control')).toBe('no-store')
})

test('the log says who decrypted how many payloads, but not their content', async () => {
  await admin.post(path, { payloads: [await sealed('Lovelace'), await sealed('Byron')] }, fromUi)
  const lines = own.lines.map(line => JSON.parse(line)).filter(({ msg }) => msg === 'Temporal payloads were decoded')
  const who = { tenantKey: 'demo', clientId: 'platform-admin', subject: 'an-operator' }
  expect(lines).toEqual([expect.objectContaining({ ...who, namespace: 'default', payloads: 2 })])
  expect(own.lines.join('')).not.toMatch(/Lovelace|Byron/)
})

test("a payload that cannot be decrypted is a problem that says which and why, without the others' content", async () => {
  const other = createPayloadCodec({ current: Buffer.alloc(32, 9), old: [] })
  const { status, body } = await admin.post<Problem>(path, {
    payloads: [await sealed('Ada'), await sealed('x', other)],
  })
  const detail = expect.stringMatching(/^ENCRYPTION_KEY is not the key that sealed this payload: .*\.$/)
  expect(status).toBe(422)
  expect(body).toMatchObject({ type: '/problems/cannot-open', status: 422, detail })
  expect(body.errors).toEqual([{ pointer: '/payloads/1', code: 'cannot-open', detail }])
})

test.each([
  ['', '', 'wrong-type'],
  [{}, '/payloads', 'required'],
  [{ payloads: {} }, '/payloads', 'wrong-type'],
  [{ payloads: [{ data: 1 }] }, '/payloads/0/data', 'wrong-type'],
])('the body %j is refused with the place of the fault', async (body, pointer, code) => {
  const answer = await admin.post<Problem>(path, JSON.stringify(body), { 'content-type': 'application/json' })
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer, code }] } })
})

describe('who may have payloads opened', () => {
  test('nobody without a token, whatever page asks', async () => {
    for (const headers of [{}, fromUi]) {
      const answer = await api(own.baseUrl, '').post(path, { payloads: [await sealed('Ada')] }, headers)
      expect(answer).toMatchObject({ status: 401, body: { type: '/problems/unauthenticated' } })
    }
  })

  test('no client without the scope PlatformAdmin', async () => {
    const tenant = await newTenant(inject('baseUrl'))
    const answer = await tenant.post(path, { payloads: [await sealed('Ada')] }, fromUi)
    expect(answer).toMatchObject({ status: 403, body: { type: '/problems/insufficient-scope' } })
  })

  test('no client of the platform without the permission Open:Payload', async () => {
    const tenant = await newTenant(inject('baseUrl'))
    const others = await tenant.client(['List:*', 'View:*', 'Edit:*', 'Create:*', 'Delete:*'], ['PlatformAdmin'])
    const answer = await others.post<Problem>(path, { payloads: [await sealed('Ada')] }, fromUi)
    expect(answer).toMatchObject({ status: 403, body: { type: '/problems/forbidden' } })
    expect(answer.body.detail).toContain('Open:Payload')
    const security = await tenant.client(['Open:Payload'], ['PlatformAdmin'])
    const opened = await security.post(path, { payloads: [] }, fromUi)
    expect(opened).toMatchObject({ status: 200, body: { payloads: [] } })
  })
})

describe('a browser gives the answer', () => {
  const preflight = (origin: string) =>
    fetch(own.baseUrl + path, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-namespace' },
    })
  const allowedOrigin = ({ headers }: { headers: Headers }) => headers.get('access-control-allow-origin')

  test('to the Temporal UI, errors too', async () => {
    const asked = await preflight(ui)
    expect(asked.status).toBe(204)
    expect(Object.fromEntries(asked.headers)).toMatchObject({
      'access-control-allow-origin': ui,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type, x-namespace, authorization, authorization-extras',
      vary: 'Origin',
    })
    expect(allowedOrigin(await admin.post(path, { payloads: [] }, fromUi))).toBe(ui)
    expect(allowedOrigin(await api(own.baseUrl, '').post(path, { payloads: [] }, fromUi))).toBe(ui)
  })

  test.each(['https://127.0.0.1:8233', 'http://127.0.0.1:82330', 'http://localhost:8233', 'null', ''])(
    'to no page of %j',
    async origin => {
      expect(allowedOrigin(await preflight(origin))).toBeNull()
      expect(allowedOrigin(await admin.post(path, { payloads: [] }, { origin }))).toBeNull()
    },
  )
})

describe('with TEMPORAL_CODEC_LOCAL_UI', () => {
  let local: Own
  beforeAll(async () => {
    local = await startOwnApp(inject('databaseUrl'), { TEMPORAL_CODEC_LOCAL_UI: 'true' })
  })
  afterAll(() => local.stop())
  const ask = async (headers: Record<string, string>) =>
    api(local.baseUrl, '').post(path, { payloads: [await sealed('Ada')] }, headers)

  test('the UI on this machine needs no token, and is named in the log', async () => {
    expect(await ask(fromUi)).toMatchObject({ status: 200, body: { payloads: [plain('Ada')] } })
    const line = local.lines.map(line => JSON.parse(line)).find(({ msg }) => msg === 'Temporal payloads were decoded')
    expect(line).toMatchObject({ clientId: 'the Temporal UI on this machine', namespace: 'default', payloads: 1 })
  })

  test.each([
    [{}],
    [{ origin: 'http://evil.example' }],
    [{ origin: 'http://127.0.0.1:8234' }],
    [{ ...fromUi, 'x-forwarded-for': '127.0.0.1' }],
    [{ ...fromUi, forwarded: 'for=127.0.0.1' }],
    [{ ...fromUi, via: '1.1 proxy' }],
  ])('a request with the headers %j still needs one', async headers => {
    expect(await ask(headers)).toMatchObject({ status: 401 })
  })
})
