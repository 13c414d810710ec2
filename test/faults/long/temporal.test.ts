// Outages of Temporal.
import { join } from 'node:path'
import type { Knex } from 'knex'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { connect } from '../../../db/connect.js'
import { projectRoot } from '../../../dev/programs.js'
import { startTemporal, type TemporalServer } from '../../../dev/temporal.js'
import { newTenant, type Tenant } from '../../support/api.js'
import { tenantWithPlaces } from '../../support/factories.js'
import { acceptBulk, ended, type JobBody, jobRow, placesOf, progressed, signal } from '../../support/faults.js'
import { type HierarchyModel, hierarchyModel, place, placeType } from '../../support/hierarchy-model.js'
import { type Stack, startStack } from '../../support/stack.js'
import { until } from '../../support/until.js'

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
 * A bulk of 20 is written and answered without a run, and its key finds it, while Temporal is away.
 * @returns looks at it again, when Temporal is back.
 */
async function expectSmallBulkToWork(): Promise<() => Promise<void>> {
  const { tenant, model } = await tenantWithPlaces(stack.baseUrl)
  const batch = placesOf(20, 20)
  model.apply(batch)
  const bulk = () => tenant.put('/api/v1/structuralEntity/bulk', batch, { 'idempotency-key': 'small' })
  const first = await bulk()
  expect(first).toMatchObject({ status: 204, body: '' })
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
  const location = first.headers.get('location') ?? ''
  const { body: job } = await tenant.get<JobBody>(location)
  expect(job).toMatchObject({ status: 'Completed', progress: { done: 20, total: 20 }, counts: { created: 20 } })
  expect(job.links).not.toHaveProperty('temporalUi')
  const again = await bulk()
  expect([again.status, again.headers.get('location')]).toEqual([204, location])

  return async () => {
    expect((await tenant.get(location)).body).toEqual(job)
    expect(await tenant.get('/api/v1/jobs')).toMatchObject({ body: { PageInfo: { TotalCount: 1 } } })
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
  const killed = signal(stack.temporal, 'SIGKILL')
  await until(
    'Temporal is started again',
    async () => stack.temporal.pid !== undefined && stack.temporal.pid !== killed,
  )

  expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { created: 60_000 } })
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
})

test('while Temporal hangs, a large bulk is refused and leaves nothing behind, one of 20 is written without a run', async () => {
  const processes = { api: stack.api.pid, worker: stack.worker.pid }
  let again: () => Promise<void>
  let itsRun: () => Promise<void>
  signal(stack.temporal, 'SIGSTOP')
  try {
    again = await expectRefusal(1_030)
    itsRun = await expectSmallBulkToWork()
    await expectSinglesToWork()
  } finally {
    signal(stack.temporal, 'SIGCONT')
  }
  await stack.ready()
  await again()
  await itsRun()
  expect({ api: stack.api.pid, worker: stack.worker.pid }).toEqual(processes)
})

test('while Temporal is not there, a large bulk is refused and one of 20 is written; it recovers by itself', async () => {
  const processes = { api: stack.api.pid, worker: stack.worker.pid }
  await stack.stopTemporal()
  const again = await expectRefusal(1_025)
  const itsRun = await expectSmallBulkToWork()
  await expectSinglesToWork()
  second = await startTemporal({
    dataDir: stack.dataDir,
    binDir: join(projectRoot, '.data', 'bin'),
    port: Number(new URL(`tcp://${stack.temporalAddress}`).port),
    log: () => undefined,
  })
  await stack.ready()
  await again()
  await itsRun()
  expect({ api: stack.api.pid, worker: stack.worker.pid }, 'the processes live on').toEqual(processes)
})
