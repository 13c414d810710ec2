// The first administrator of an installation.
import { randomBytes } from 'node:crypto'
import { afterAll, expect, inject, test } from 'vitest'
import { firstAdministrator } from '../../db/admin/first-administrator.js'
import { connect } from '../../db/connect.js'
import { migrate } from '../../db/migrate.js'
import { verifySecret } from '../../runtime/secrets/secrets.js'

// An installation of its own, because in the shared one there is an administrator.
const url = new URL(inject('databaseUrl'))
url.pathname = `/armature_test_${randomBytes(6).toString('hex')}`
const server = connect(inject('databaseUrl'), { poolSize: 1 })
const db = connect(url.href, { poolSize: 2 })

await server.raw('CREATE DATABASE ?? CHARACTER SET utf8mb4', [url.pathname.slice(1)])
await migrate(url.href)
afterAll(async () => {
  await db.destroy()
  await server.raw('DROP DATABASE ??', [url.pathname.slice(1)])
  await server.destroy()
})

const clients = () => db('clients').join('tenants', 'tenants.id', 'clients.tenant_id').select('clients.*', 'tenant_key')

test('an installation without an administrator gets one, whose secret is shown once', async () => {
  const secret = await firstAdministrator(db)
  const [client, ...others] = await clients()
  expect(others).toEqual([])
  expect(client).toMatchObject({
    client_id: 'platform-admin',
    tenant_key: 'platform',
    scopes: '["PlatformAdmin"]',
    permissions: '["*"]',
    disabled: 0,
  })
  expect(await verifySecret(secret ?? '', client.secret_hash)).toBe(true)
})

test('an installation with an administrator gets no other, and nothing is changed', async () => {
  const before = await clients()
  expect(await firstAdministrator(db)).toBeUndefined()
  expect(await clients()).toEqual(before)
})

test('an installation whose only client of the platform may not write manifests gets an administrator', async () => {
  await db('clients').update({ permissions: '["List:*","View:*"]' })
  expect(await firstAdministrator(db)).toEqual(expect.any(String))
  expect(await clients()).toMatchObject([{ client_id: 'platform-admin', permissions: '["*"]' }])
})

test('an installation whose only administrator is disabled gets a new one', async () => {
  const [before] = await clients()
  await db('clients').update({ disabled: 1 })
  const secret = await firstAdministrator(db)
  const [client] = await clients()
  expect(client).toMatchObject({ client_id: 'platform-admin', disabled: 0 })
  expect(client.secret_hash).not.toBe(before?.secret_hash)
  expect(await verifySecret(secret ?? '', client.secret_hash)).toBe(true)
})
