// An API with replicas. One of them is the primary itself, which is never behind, and at the other nobody listens.
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { type Api, aKey, api, newTenant, type Tenant } from '../support/api.js'
import { anEntity, aType, plantWards } from '../support/factories.js'
import { startOwnApi } from '../support/own-api.js'
import { readsOf, replicaStates } from '../support/replicas.js'
import { until } from '../support/until.js'

const entities = '/api/v1/structuralEntity'
const types = '/api/v1/structureType'

let own: Awaited<ReturnType<typeof startOwnApi>>
let tenant: Tenant
let caller: Api

beforeAll(async () => {
  tenant = await newTenant(inject('baseUrl'))
  await plantWards(tenant, 'east')
  own = await startOwnApi({
    IDENTITY_AUTHORITY: `${inject('baseUrl')}/identity`,
    DATABASE_REPLICA_URLS: `${inject('databaseUrl')}, mysql://armature:wrong@127.0.0.1:1/armature`,
  })
  await own.live()
  caller = api(own.baseUrl, tenant.token)
  await until('the replica is read', async () => (await replicaStates(own.baseUrl))['1'] === 'used')
})
afterAll(() => own?.stop())

test('lists are answered by the replica that runs; the one that does not is left out', async () => {
  const before = await readsOf(own.metricsUrl)
  const asked = [
    () => caller.get('/api/v2/subject'),
    () => caller.post('/api/v2/subject/query', {}),
    () => caller.get('/api/v2/subject?SearchTerm=nobody'),
    () => caller.get(entities),
    () => caller.post(`${entities}/query`, {}),
    () => caller.get(types),
    () => caller.get('/api/v1/group'),
    () => caller.get('/api/v1/users'),
  ]
  for (const ask of asked) expect((await ask()).status).toBe(200)
  const after = await readsOf(own.metricsUrl)
  expect([after('replicas') - before('replicas'), after('primary') - before('primary')]).toEqual([asked.length, 0])
  expect(await replicaStates(own.baseUrl)).toEqual({ 1: 'used', 2: 'away' })
})

test('metrics tell the lag and the use of each replica', async () => {
  const text = await (await fetch(`${own.metricsUrl}/metrics`)).text()
  expect(text).toMatch(/^armature_replica_lag_seconds{replica="1"} [\d.]+$/m)
  expect(text).toMatch(/^armature_replica_used{replica="1"} 1$/m)
  expect(text).toMatch(/^armature_replica_used{replica="2"} 0$/m)
  expect(text).not.toContain('127.0.0.1')
})

test('an answer of a write has a token, and a list with it is answered by the replica once that has the write', async () => {
  const key = aKey('p')
  const written = await caller.put(entities, anEntity(key))
  const token = written.headers.get('commit-token') ?? ''
  expect([written.status, token]).toEqual([201, expect.stringMatching(/^\d{13}$/)])
  const list = () => caller.get<{ PageInfo: object }>(`${entities}?SearchTerm=${key}`, { 'commit-token': token })
  const before = (await readsOf(own.metricsUrl))('replicas')
  await until('the replica answers', async () => {
    expect((await list()).body.PageInfo).toMatchObject({ TotalCount: 1 })
    return (await readsOf(own.metricsUrl))('replicas') > before
  })
})

test.each([
  ['of a later moment', '9999999999999'],
  ['that is none', 'abc'],
])('a list with a token %s is answered by the primary', async (_, token) => {
  const before = await readsOf(own.metricsUrl)
  expect((await caller.get(entities, { 'commit-token': token })).status).toBe(200)
  const after = await readsOf(own.metricsUrl)
  expect([after('replicas') - before('replicas'), after('primary') - before('primary')]).toEqual([0, 1])
})

test('ids are looked up at the primary, whatever the token', async () => {
  const before = await readsOf(own.metricsUrl)
  const id = '0192f0c0-0000-7000-8000-000000000000'
  expect((await caller.get(`/api/v2/subject?Ids=${id}`)).body).toMatchObject({ Edges: [] })
  const after = await readsOf(own.metricsUrl)
  expect(after('replicas') - before('replicas')).toBe(0)
})

test('only the primary refuses requests and builds orders by fields', async () => {
  expect((await caller.get(`${entities}?ParentKey=nowhere`)).status).toBe(400)
  const note = { Key: 'note', Name: 'Note', Type: 'Text' }
  expect(await caller.put(types, aType(aKey('t'), { CustomFields: [note] }))).toMatchObject({ status: 201 })
  const ordered = `${entities}?OrderBy=note`
  expect((await caller.get(ordered, { 'commit-token': '0' })).status).toBe(200)
  const before = await readsOf(own.metricsUrl)
  expect((await caller.get(ordered, { 'commit-token': '0' })).status).toBe(200)
  expect((await readsOf(own.metricsUrl))('replicas') - before('replicas')).toBe(1)
})

test('answers of the feed and of jobs have a token; answers about a single thing have none', async () => {
  const told = async (path: string) => (await caller.get(path)).headers.has('commit-token')
  expect(await told('/api/v2/subject/changes?FromNow=true')).toBe(true)
  expect(await told('/api/v1/jobs')).toBe(true)
  expect([await told(`${entities}/east`), await told(entities)]).toEqual([false, false])
})

test('the sessions of a replica refuse to write', async () => {
  const db = connect(inject('databaseUrl'), { poolSize: 1, readOnly: true })
  const writing = db('replica_heartbeats').where({ id: 2 }).delete()
  await expect(writing).rejects.toMatchObject({ code: 'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION' })
  await db.destroy()
})

test('without replicas no answer has a token, and no status names any', async () => {
  const written = await tenant.put(entities, anEntity(aKey('p')))
  expect([written.status, written.headers.has('commit-token')]).toEqual([201, false])
  expect(await replicaStates(inject('baseUrl'))).toEqual({})
})
