// Client secrets in a manifest.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { aKey, api } from '../support/api.js'
import { aClient } from '../support/factories.js'
import { manifestOf } from '../support/manifest.js'
import { startOwnApp } from '../support/own-app.js'

const aSecret = () => randomBytes(16).toString('hex')

let tenant: Awaited<ReturnType<typeof manifestOf>>
beforeEach(async () => {
  tenant = await manifestOf()
})

test('a new client without a secret gets a random one, which is told once and works', async () => {
  const client = aClient()
  const first = await tenant.put({ clients: [client] })
  const secret = first.body.secrets[client.id] ?? ''
  expect(first.body.secrets).toEqual({ [client.id]: expect.stringMatching(/^[\w-]{43}$/) })
  expect(await tenant.signsIn(client.id, secret)).toBe('token')
  const again = await tenant.put({ name: 'Again', clients: [client] })
  expect(again.body.secrets).toEqual({})
  expect(JSON.stringify([again.body, (await tenant.get()).body, first.body.changes])).not.toContain(secret)
  expect(await tenant.signsIn(client.id, secret)).toBe('token')
})

test('a secret that the manifest gives works, and no answer shows it', async () => {
  const secret = aSecret()
  const client = aClient({ secret })
  const { body } = await tenant.put({ clients: [client] })
  expect(body.secrets).toEqual({})
  expect(JSON.stringify([body, (await tenant.get()).body])).not.toContain(secret)
  expect(await tenant.signsIn(client.id, secret)).toBe('token')
})

test('a new secret replaces the old one, and the changes say so without showing it', async () => {
  const [before, after] = [aSecret(), aSecret()]
  const client = aClient()
  await tenant.put({ clients: [{ ...client, secret: before }] })
  const changed = { clients: [{ ...client, secret: after }] }
  const changes = [{ path: `/clients/${client.id}/secret`, change: 'updated' }]
  expect((await tenant.plan(changed)).body.changes).toEqual(changes)
  expect(await tenant.signsIn(client.id, before)).toBe('token')
  expect((await tenant.put(changed)).body).toEqual({ applied: true, changes, secrets: {}, warnings: [] })
  expect(await tenant.signsIn(client.id, before)).toBe('invalid_client')
  expect(await tenant.signsIn(client.id, after)).toBe('token')
  // The same secret again is no change, and leaving it out keeps it.
  expect((await tenant.put(changed)).body.changes).toEqual([])
  expect((await tenant.put({ clients: [client] })).body.changes).toEqual([])
  expect(await tenant.signsIn(client.id, after)).toBe('token')
})

test('a client that was removed and added again has a new secret', async () => {
  const client = aClient()
  const first = (await tenant.put({ clients: [client] })).body.secrets[client.id] ?? ''
  await tenant.put({ clients: [] })
  expect(await tenant.signsIn(client.id, first)).toBe('invalid_client')
  const second = (await tenant.put({ clients: [client] })).body.secrets[client.id] ?? ''
  expect(await tenant.signsIn(client.id, first)).toBe('invalid_client')
  expect(await tenant.signsIn(client.id, second)).toBe('token')
})

test('a disabled client gets no token until it is enabled', async () => {
  const secret = aSecret()
  const client = aClient({ secret })
  await tenant.put({ clients: [{ ...client, disabled: true }] })
  expect(await tenant.signsIn(client.id, secret)).toBe('invalid_client')
  await tenant.put({ clients: [client] })
  expect(await tenant.signsIn(client.id, secret)).toBe('token')
})

test('a scope that was taken away is given in no token', async () => {
  const secret = aSecret()
  const client = aClient({ secret, scopes: ['FrameApi', 'FormsApi'] })
  await tenant.put({ clients: [client] })
  expect(await tenant.signsIn(client.id, secret, 'FormsApi')).toBe('token')
  await tenant.put({ clients: [{ ...client, scopes: ['FrameApi'] }] })
  expect(await tenant.signsIn(client.id, secret, 'FormsApi')).toBe('invalid_scope')
})

test('a client signs in to its own tenant only', async () => {
  const secret = aSecret()
  const client = aClient({ secret })
  await tenant.put({ clients: [client] })
  const other = await manifestOf()
  await other.put({})
  expect(await other.signsIn(client.id, secret)).toBe('invalid_grant')
})

let own: Awaited<ReturnType<typeof startOwnApp>>
beforeAll(async () => {
  own = await startOwnApp(inject('databaseUrl'))
})
afterAll(() => own.stop())

test('no secret and no token is ever logged, whether a manifest is applied or refused', async () => {
  const token = await own.issuer.token({ tenant_key: 'demo', client_id: 'platform-admin', scope: 'PlatformAdmin' })
  const platform = api(own.baseUrl, token)
  const path = `/admin/v1/tenants/${aKey()}`
  const [given, refused] = [aSecret(), `${aSecret()}é`]
  const made = await platform.put<{ secrets: object }>(path, { clients: [aClient({ secret: given }), aClient()] })
  expect(made.status).toBe(200)
  const wrong = await platform.put(path, { clients: [aClient({ secret: refused })] })
  expect(wrong.status).toBe(400)
  expect(JSON.stringify(wrong.body)).not.toContain(refused)
  const log = own.lines.join('')
  expect(log).toContain(path)
  for (const secret of [given, refused, token, ...Object.values(made.body.secrets)]) expect(log).not.toContain(secret)
})
