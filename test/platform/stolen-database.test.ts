// What somebody can do who reads and writes every table, but does not have ENCRYPTION_KEY.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { exportJWK, generateKeyPair } from 'jose'
import { afterAll, expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { signingKeys } from '../../db/identity/signing-keys.js'
import { createSeal } from '../../runtime/secrets/seal.js'
import { recordingProvider } from '../support/endpoints.js'
import { glueTenant, oneEndpoint, openDatabase } from '../support/factories.js'

const db = openDatabase()
const seal = createSeal(Buffer.from(inject('encryptionKey'), 'base64'))
const thiefs = createSeal(randomBytes(32))

const provider = await recordingProvider()
afterAll(() => provider.stop())

const aSecret = JSON.stringify({ value: 'x', hosts: [new URL(provider.url).host] })

/** A tenant whose endpoint sends its secret `key` to a host of its own. */
const thief = (value = 'own', hosts = [new URL(provider.url).host]) =>
  oneEndpoint(
    provider,
    [{ name: 'send', httpRequest: { url: '{{ variables.base }}/take', headers: { 'X-Key': '{{ variables.key }}' } } }],
    {
      // Known only during the call, so that the manifest is taken whatever the hosts are.
      variables: { base: provider.url },
      secrets: [
        { name: 'key', value, hosts },
        { name: 'other', value: 'another' },
      ],
    },
  )

const secretsOf = async (tenantKey: string) => db('glue_secrets').where({ tenant_id: await tenantIdOf(db, tenantKey) })

const taken: [what: string, sealed: (thief: { tenantKey: string }) => Promise<string>][] = [
  ['a signing key', async () => (await db('signing_keys').first()).sealed_private_jwk],
  [
    "another tenant's secret of that name",
    async () => {
      const owner = await glueTenant({ secrets: [{ name: 'key', value: 'of the other tenant' }] })
      return (await secretsOf(owner.tenantKey))[0].sealed_value
    },
  ],
  [
    'another secret of its own',
    async ({ tenantKey }) => (await secretsOf(tenantKey)).find(({ name }) => name === 'other').sealed_value,
  ],
  [
    'a text sealed with a key of its own',
    async ({ tenantKey }) => thiefs.seal({ purpose: 'secret', tenantKey, name: 'key' }, aSecret),
  ],
  ['a plain text', async () => aSecret],
]

test.each(taken)('%s that is copied into a secret of a tenant is sent nowhere', async (_, sealedFor) => {
  const tenant = await thief()
  const sealed_value = await sealedFor(tenant)
  const tenant_id = await tenantIdOf(db, tenant.tenantKey)
  expect(await db('glue_secrets').where({ tenant_id, name: 'key' }).update({ sealed_value })).toBe(1)
  const seen = provider.seen.length
  expect((await tenant.call('e')).status).toBe(500)
  expect(provider.seen.length).toBe(seen)
})

test('a secret that nobody touched is sent, so the calls above fail for what was copied', async () => {
  const tenant = await thief()
  expect((await tenant.call('e')).status).toBe(200)
  expect(provider.seen.at(-1)?.headers['x-key']).toBe('own')
})

test('a host that is written into the settings gets no secret', async () => {
  const tenant = await thief('own', ['registry.example'])
  expect((await tenant.call('e')).status).toBe(500)
  const settings = () =>
    db('glue_settings').whereIn('tenant_id', db('tenants').where({ tenant_key: tenant.tenantKey }).select('id'))
  const { settings: text } = await settings().first('settings')
  await settings().update({ settings: text.replace('registry.example', new URL(provider.url).host) })
  const seen = provider.seen.length
  // Settings are cached for 2 s.
  await sleep(3_000)
  expect((await tenant.call('e')).status).toBe(500)
  expect(provider.seen.length).toBe(seen)
})

test('no private key of a thief becomes a signing key, so nobody signs tokens of an administrator', async () => {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const kid = 'of-the-thief'
  const jwk = JSON.stringify({ ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' })
  const tenant = await thief(jwk)
  const copied = (await secretsOf(tenant.tenantKey)).find(({ name }) => name === 'key').sealed_value
  for (const sealed_private_jwk of [
    jwk,
    copied,
    thiefs.seal({ purpose: 'signing key', tenantKey: '', name: kid }, jwk),
  ]) {
    // The row is never committed, because the running API would refuse it too.
    const trx = await db.transaction()
    const row = { kid, algorithm: 'RS256', sealed_private_jwk, created_at: new Date() }
    await trx('signing_keys').insert(row)
    await expect(signingKeys(trx, seal)).rejects.toThrow(/does not open|ENCRYPTION_KEY is not the key/)
    await trx.rollback()
  }
})
