// Outages of Temporal.
import { join } from 'node:path'
import type { Knex } from 'knex'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { connect } from '../../../db/connect.js'
import { startTemporal, type TemporalServer } from '../../../dev/temporal.js'
import { projectRoot } from '../../../runtime/process/version.js'
import { newTenant, type Tenant } from '../../support/api.js'
import { tenantWithPlaces } from '../../support/factories.js'
import { acceptBulk, ended, jobRow, kill, placesOf, progressed, signal } from '../../support/faults.js'
import { type HierarchyModel, hierarchyModel, place, placeType } from '../../support/hierarchy-model.js'
import { type Stack, startStack } from '../../support/stack.js'

let stack: Stack
let second: TemporalServer | undefined
let db: Knex
let tenant: Tenant
let model: HierarchyModel

beforeAll(async () => {
  stack = await startStack()
  db = connect(stack.databaseUrl, { poolSize: 2 })
})
afterAll(async () => {
  await db?.destroy()
  await stack?.stop()
  await second?.stop()
})
beforeEach(async () => {
  tenant = await newTenant(stack.baseUrl)
  await tenant.put('/api/v1/structureType', placeType)
  model = hierarchyModel()
})

/** A bulk, its key, and what a single write and a read answer while Temporal is away. */
async function expectRefusal(size: number): Promise<() => Promise<void>> {
  const batch = placesOf(size, size)
  const bulk = () => tenant.put('/api/v1/structuralEntity/bulk', batch, { 'idempotency-key': `load-${size}` })
  const refused = await bulk()
  expect(refused).toMatchObject({
    status: 503,
    body: {
      type: '/problems/unavailable',
      title: 'Temporarily not available',
      status: 503,
      detail: 'The workflow service cannot be reached at the moment. Nothing was changed. Please try again.',
      instance: '/api/v1/structuralEntity/bulk',
    },
  })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await jobRow(db, tenant.tenantKey), 'the job is taken back').toBeUndefined()
  const chunks = db('job_chunks as c')
    .join('tenants as t', 't.id', 'c.tenant_id')
    .where('t.tenant_key', tenant.tenantKey)
  expect(await chunks.count({ n: '*' }).first()).toEqual({ n: 0 })
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])

  return async () => {
    model.apply(batch)
    expect(await bulk(), 'the key was not used up').toMatchObject({ status: 204 })
    expect(await model.differences(db, tenant.tenantKey)).toEqual([])
    expect(await tenant.get('/api/v1/jobs')).toMatchObject({
      body: { PageInfo: { TotalCount: 1 }, Edges: [{ Node: { status: 'Completed', counts: { created: size } } }] },
    })
  }
}

/**
 * A bulk whose caller does not wait is kept while Temporal is away, and a bulk of groups is written.
 * @returns sees the kept one completed when Temporal is back.
 */
async function expectKept(): Promise<() => Promise<void>> {
  const { tenant, model } = await tenantWithPlaces(stack.baseUrl)
  const batch = placesOf(20, 20)
  const { jobId, status } = await acceptBulk(tenant, batch)
  expect(status).toBe('Accepted')
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
  expect((await tenant.put('/api/v1/group/bulk', [{ Key: 'g', Name: 'G' }])).status).toBe(204)

  return async () => {
    model.apply(batch)
    expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { created: 20 } })
    expect(await model.differences(db, tenant.tenantKey)).toEqual([])
  }
}

/** Single writes and reads do not need Temporal. */
async function expectSinglesToWork() {
  const single = place('alone', undefined, 7)
  expect(await tenant.put('/api/v1/structuralEntity', single)).toMatchObject({ status: 201, body: { Key: 'alone' } })
  expect(await tenant.get('/api/v1/structuralEntity/alone')).toMatchObject({
    status: 200,
    body: { Key: 'alone', CustomFieldValues: [{ Value: { DataType: 'Integer', ValueText: '7' } }] },
  })
  expect(await tenant.delete('/api/v1/structuralEntity/alone')).toMatchObject({ status: 204 })
}

test('a bulk under way goes on when Temporal is killed and comes back, every row once', async () => {
  const batch = placesOf(60_000, 6)
  model.apply(batch)
  const { jobId } = await acceptBulk(tenant, batch)
  expect(await progressed(db, tenant.tenantKey, 0.2)).toBe(true)
  await kill(stack.temporal)

  expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { created: 60_000 } })
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
})

test('while Temporal hangs, bulks of any size are refused and leave nothing behind, except with Prefer: respond-async', async () => {
  const processes = { api: stack.api.pid, worker: stack.worker.pid }
  let again: () => Promise<void>
  let kept: () => Promise<void>
  signal(stack.temporal, 'SIGSTOP')
  try {
    again = await expectRefusal(1_030)
    await expectRefusal(20)
    kept = await expectKept()
    await expectSinglesToWork()
  } finally {
    signal(stack.temporal, 'SIGCONT')
  }
  await stack.ready()
  await again()
  await kept()
  expect({ api: stack.api.pid, worker: stack.worker.pid }).toEqual(processes)
})

test('while Temporal is down, bulks are refused except with Prefer: respond-async, and everything recovers by itself', async () => {
  const processes = { api: stack.api.pid, worker: stack.worker.pid }
  await stack.stopTemporal()
  const again = await expectRefusal(1_025)
  const kept = await expectKept()
  await expectSinglesToWork()
  second = await startTemporal({
    dataDir: stack.dataDir,
    binDir: join(projectRoot, '.data', 'bin'),
    port: Number(new URL(`tcp://${stack.temporalAddress}`).port),
    log: () => undefined,
  })
  await stack.ready()
  await again()
  await kept()
  expect({ api: stack.api.pid, worker: stack.worker.pid }, 'the processes live on').toEqual(processes)
})
