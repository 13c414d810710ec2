// Manifests that are applied beside other writes.
import { expect, inject, test } from 'vitest'
import { applyManifest, readManifest, tenantIdOf } from '../../db/admin/tenants.js'
import { createSecretHasher, minHashCost } from '../../runtime/secrets/secrets.js'
import { admin, aKey, newTenant } from '../support/api.js'
import { aClient, openDatabase, subjectTenant } from '../support/factories.js'
import { demoSubjects, manifestOf } from '../support/manifest.js'
import { person, subjectsPath } from '../support/subjects.js'

const db = openDatabase()

const extra = { key: 'extra', name: 'Extra', type: 'Text' }
const withExtra = { ...demoSubjects, fields: [...demoSubjects.fields, extra] }

test('a field that is removed while subjects get values leaves no value behind: either the field stays, or the values are refused', async () => {
  const tenant = await newTenant(inject('baseUrl'))
  const platform = await admin(inject('baseUrl'))
  const tenant_id = await tenantIdOf(db, tenant.tenantKey)
  const address = `/admin/v1/tenants/${tenant.tenantKey}`
  for (let round = 0; round < 12; round++) {
    await tenant.change({ subjects: withExtra })
    const { body } = await platform.get<object>(address)
    const people = Array.from({ length: 6 }, (_, n) => person(`${round}-${n}`, { extra: 'value' }))
    const [gone, ...written] = await Promise.all([
      platform.put(address, { ...body, subjects: demoSubjects }),
      ...people.map(each => tenant.post(subjectsPath, each)),
    ])
    const holders = await db('subjects').where({ tenant_id }).whereRaw('LOCATE(?, custom_values)', ['"extra":['])
    expect([200, 409]).toContain(gone.status)
    for (const { status } of written) expect([201, 400]).toContain(status)
    expect(holders).toHaveLength(written.filter(({ status }) => status === 201).length)
    if (gone.status === 200) expect(holders).toEqual([])
    else expect(holders.length).toBeGreaterThan(0)
    for (const table of ['subjects', 'subject_values', 'subject_matching_keys'])
      await db(table).where({ tenant_id }).delete()
  }
})

const manifestNow = async (tenantKey: string) => {
  const manifest = await readManifest(db, tenantKey)
  if (!manifest) throw new Error(`There is no tenant ${tenantKey}`)
  return manifest
}

/** A real hasher that first waits for something else, each time. */
function hasherAfter(first: (work: 'hash' | 'verify') => Promise<unknown>) {
  const { hash, verify } = createSecretHasher(minHashCost)
  return {
    hash: (secret: string) => first('hash').then(() => hash(secret)),
    verify: (secret: string, stored: string) => first('verify').then(() => verify(secret, stored)),
  }
}

const newClient = (secret?: string) => ({
  id: aKey('c'),
  name: '',
  secret,
  scopes: [],
  permissions: [],
  disabled: false,
})

test('subjects are written while the secrets of a manifest are compared and hashed, each once', async () => {
  const tenant = await subjectTenant()
  const { clients, subjects, ...rest } = await manifestNow(tenant.tenantKey)
  const written: string[] = []
  const hasher = hasherAfter(async work => {
    const { status } = await tenant.post(subjectsPath, person(`${work}-${written.length}`))
    written.push(`${work} ${status < 300}`)
  })
  const field = { key: 'extra', name: 'Extra', typeKey: 'Text' as const, required: false, isArray: false }
  const { changes } = await applyManifest(db, hasher, {
    ...rest,
    subjects: { ...subjects, fields: [...subjects.fields, field] },
    clients: [...clients.map(client => ({ ...client, secret: 'another' })), newClient('given'), newClient()],
  })
  expect(changes.map(({ path }) => path)).toContain(`/clients/${clients[0]?.id}/secret`)
  expect(written.sort()).toEqual(['hash true', 'hash true', 'hash true', 'verify true'])
})

test('a client that another manifest creates while secrets are hashed keeps that secret, and no other is shown', async () => {
  const tenant = await manifestOf()
  await tenant.put({})
  const manifest = await manifestNow(tenant.tenantKey)
  const theirs = aClient({ name: 'Theirs', secret: 'their-own-secret' })
  let others: Promise<unknown> | undefined
  const hasher = hasherAfter(() => {
    others ??= tenant.put({ clients: [theirs] })
    return others
  })
  const ours = { ...newClient(), id: theirs.id, name: 'Ours', scopes: ['FrameApi'] }
  const { changes, secrets } = await applyManifest(db, hasher, { ...manifest, clients: [ours] })
  expect(changes.map(({ path }) => path)).toEqual([`/clients/${ours.id}/name`])
  expect(secrets).toEqual({})
  expect(await tenant.signsIn(ours.id, 'their-own-secret')).toBe('token')
})

test('a secret is compared with what is stored when the manifest is written', async () => {
  const tenant = await manifestOf()
  const client = aClient({ secret: 'the-first-secret' })
  await tenant.put({ clients: [client] })
  const manifest = await manifestNow(tenant.tenantKey)
  let others: Promise<unknown> | undefined
  const hasher = hasherAfter(() => {
    others ??= tenant.put({ clients: [{ ...client, secret: 'the-second-secret' }] })
    return others
  })
  const { changes } = await applyManifest(db, hasher, {
    ...manifest,
    clients: manifest.clients.map(each => ({ ...each, secret: 'the-first-secret' })),
  })
  expect(changes).toEqual([{ path: `/clients/${client.id}/secret`, change: 'updated' }])
  expect(await tenant.signsIn(client.id, 'the-first-secret')).toBe('token')
})

test('a manifest is refused with 503, and nothing of it is written, if others change its clients at every attempt', async () => {
  const tenant = await manifestOf()
  const client = aClient({ secret: 'the-first-secret' })
  await tenant.put({ clients: [client] })
  const manifest = await manifestNow(tenant.tenantKey)
  let times = 0
  const hasher = hasherAfter(async work => {
    if (work === 'verify') await tenant.put({ clients: [{ ...client, secret: `their-own-secret-${times++}` }] })
  })
  const clients = manifest.clients.map(each => ({ ...each, name: 'Ours', secret: 'our-own-secret' }))
  await expect(applyManifest(db, hasher, { ...manifest, clients })).rejects.toMatchObject({ status: 503, code: 'busy' })
  expect(times).toBe(5)
  expect((await manifestNow(tenant.tenantKey)).clients).toEqual(manifest.clients)
  expect(await tenant.signsIn(client.id, 'their-own-secret-4')).toBe('token')
})

test('new tenants that are applied at the same time do not deadlock', async () => {
  const platform = await admin(inject('baseUrl'))
  const applying = Array.from({ length: 30 }, () => platform.put(`/admin/v1/tenants/${aKey('t')}`, { name: 'New' }))
  const statuses = (await Promise.all(applying)).map(({ status }) => status)
  expect(statuses).toEqual(Array(30).fill(200))
})

test('a new tenant that two manifests create at once has the content of one of them', async () => {
  const platform = await admin(inject('baseUrl'))
  const key = aKey('t')
  const names = ['One', 'Two', 'Three', 'Four']
  const answers = await Promise.all(names.map(name => platform.put(`/admin/v1/tenants/${key}`, { name })))
  expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200))
  expect(names).toContain((await manifestNow(key)).name)
})
