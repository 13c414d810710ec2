// Manifests: application, plan and read-back.
import { beforeEach, describe, expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { aKey, api, newTenant, type Problem } from '../support/api.js'
import { aClient } from '../support/factories.js'
import { problem } from '../support/http.js'
import { manifestOf } from '../support/manifest.js'

let tenant: Awaited<ReturnType<typeof manifestOf>>
beforeEach(async () => {
  tenant = await manifestOf()
})

const full = () => ({
  name: 'Example county',
  clients: [aClient({ id: `a-${tenant.tenantKey}`, name: 'A', permissions: ['List:*'], disabled: true })],
  limits: { requestsPerMinute: 600, bulkMaxItems: 50, jobRetentionDays: 90 },
})

test('what was applied is read back, without secrets and with all defaults', async () => {
  const secret = 'a secret of enough length'
  const { status, body } = await tenant.put({ clients: [aClient({ id: `a-${tenant.tenantKey}`, secret })] })
  expect([status, body.applied, body.secrets]).toEqual([200, true, {}])
  const read = await tenant.get()
  expect(read.body).toEqual({
    key: tenant.tenantKey,
    name: tenant.tenantKey,
    clients: [
      {
        id: `a-${tenant.tenantKey}`,
        name: `a-${tenant.tenantKey}`,
        scopes: ['FrameApi'],
        permissions: [],
        disabled: false,
      },
    ],
    subjects: {
      fields: [],
      matchingFields: [],
      upsert: false,
      portal: { selfAccess: false, thirdParty: false, matchingFields: [], displayNameFields: [] },
    },
    users: [],
    userAccess: 'direct',
    structuralEntities: {},
    glue: { variables: {}, secrets: [], providers: [], endpoints: [], dataSources: [], dataExtracts: [], webhooks: [] },
    forms: { launch: { frameAncestors: [], openPageMinutes: 1440 } },
    limits: {},
  })
  expect(JSON.stringify(read.body)).not.toContain(secret)
})

test('what is read back can be applied again, and changes nothing', async () => {
  await tenant.put(full())
  expect((await tenant.put((await tenant.get()).body)).body).toEqual({
    applied: true,
    changes: [],
    secrets: {},
    warnings: [],
  })
})

test('a plan tells what would change, and writes nothing', async () => {
  const manifest = full()
  const { secrets, ...planned } = (await tenant.plan(manifest)).body
  expect([planned.applied, secrets]).toEqual([false, {}])
  expect((await tenant.get()).body).toEqual(problem(404, 'not-found', tenant.path))
  expect((await tenant.put(manifest)).body.changes).toEqual(planned.changes)
  expect((await tenant.plan(manifest)).body).toEqual({ applied: false, changes: [], secrets: {}, warnings: [] })
})

test('the changes of a new tenant name each part of it', async () => {
  const { clients, ...rest } = full()
  const [{ id, ...client } = aClient()] = clients
  expect((await tenant.plan({ clients, ...rest })).body.changes).toEqual([
    { path: `/clients/${id}`, change: 'created', after: client },
    { path: '/limits/requestsPerMinute', change: 'created', after: 600 },
    { path: '/limits/bulkMaxItems', change: 'created', after: 50 },
    { path: '/limits/jobRetentionDays', change: 'created', after: 90 },
    { path: '/key', change: 'created', after: tenant.tenantKey },
    { path: '/name', change: 'created', after: 'Example county' },
  ])
})

test('what a manifest leaves out is removed, and the changes say so', async () => {
  const [gone, kept] = ['a', 'b'].map(name => aClient({ id: `${tenant.tenantKey}-${name}`, name }))
  await tenant.put({ name: 'Before', clients: [kept, gone], limits: { requestsPerMinute: 600 } })
  const { body } = await tenant.put({ clients: [{ ...kept, permissions: ['List:*'] }] })
  expect(body.changes).toEqual([
    { path: '/name', change: 'updated', before: 'Before', after: tenant.tenantKey },
    { path: '/limits/requestsPerMinute', change: 'deleted', before: 600 },
    { path: `/clients/${gone?.id}`, change: 'deleted', before: expect.objectContaining({ name: 'a' }) },
    { path: `/clients/${kept?.id}/permissions`, change: 'updated', before: [], after: ['List:*'] },
  ])
  expect((await tenant.get()).body).toMatchObject({ name: tenant.tenantKey, clients: [{ id: kept?.id }], limits: {} })
})

test('clients may be listed in another order', async () => {
  const clients = [aClient(), aClient(), aClient()]
  await tenant.put({ clients })
  expect((await tenant.plan({ clients: clients.toReversed() })).body.changes).toEqual([])
})

test('clients may be called like members of every JavaScript object', async () => {
  const clients = ['__proto__', 'constructor'].map(id => aClient({ id }))
  const { status, body } = await tenant.put({ clients })
  expect(status).toBe(200)
  expect(body.changes.map(({ path, change }) => [path, change]).slice(0, 2)).toEqual([
    ['/clients/__proto__', 'created'],
    ['/clients/constructor', 'created'],
  ])
  expect(Object.entries(body.secrets).map(([id]) => id)).toEqual(['__proto__', 'constructor'])
  await tenant.put({ clients: [] })
})

test('of ten identical manifests applied at once, one creates the tenant and its secrets, and the others change nothing', async () => {
  const clients = [aClient(), aClient()]
  const answers = await Promise.all(Array.from({ length: 10 }, () => tenant.put({ clients })))
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
  const made = answers.filter(({ body }) => body.changes.length > 0)
  expect(made.map(({ body }) => Object.keys(body.secrets).sort())).toEqual([clients.map(({ id }) => id).sort()])
})

describe('an unknown tenant', () => {
  test.each(['nowhere', 'DEMO', 'demo%20', '%20demo', 'demo%00', "demo'"])('%s is 404', async key => {
    const path = `/admin/v1/tenants/${key}`
    expect((await tenant.platform.get(path)).body).toEqual(problem(404, 'not-found', path))
  })
})

describe('the scope PlatformAdmin is required', () => {
  test('with another scope: 403, whatever the permissions, and nothing is written', async () => {
    const other = await newTenant(inject('baseUrl'))
    for (const caller of [other, await other.client(['*'], ['FrameApi', 'FormsApi', 'GlueRuntimeApi'])]) {
      for (const answer of [await caller.get(tenant.path), await caller.put(tenant.path, {})]) {
        expect(answer.body).toEqual(problem(403, 'insufficient-scope', tenant.path))
      }
    }
    expect((await tenant.get()).status).toBe(404)
  })

  test('without a token: 401', async () => {
    const stranger = api(inject('baseUrl'), '')
    expect((await stranger.put<Problem>(tenant.path, {})).body).toEqual(problem(401, 'unauthenticated', tenant.path))
  })
})

test('secrets are hashed in the database', async () => {
  const secret = `plain-${aKey()}-plain`
  const client = aClient({ secret })
  await tenant.put({ clients: [client] })
  const db = connect(inject('databaseUrl'), { poolSize: 1 })
  const row = await db('clients').where({ client_id: client.id }).first()
  await db.destroy()
  expect(row.secret_hash).toMatch(/^scrypt\$/)
  expect(JSON.stringify(row)).not.toContain(secret)
})

test('the JSON Schema of manifests is public, and describes what is accepted', async () => {
  const { status, headers, body } = await api(inject('baseUrl'), '').get('/admin/v1/manifest.schema.json')
  expect([status, headers.get('content-type')]).toEqual([200, 'application/schema+json'])
  expect(body).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $ref: '#/$defs/TenantManifest',
    $defs: { TenantManifest: { additionalProperties: false }, ClientManifest: { required: ['id', 'scopes'] } },
  })
})
