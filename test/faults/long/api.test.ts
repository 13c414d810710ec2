// Kills of the API during bulks.
import { readFile } from 'node:fs/promises'
import type { Knex } from 'knex'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from '../../../db/connect.js'
import { newTenant, type Tenant } from '../../support/api.js'
import { ended, type JobBody, jobRow, placesOf, progressed, sent, signal } from '../../support/faults.js'
import { hierarchyModel, placeType } from '../../support/hierarchy-model.js'
import { endedRun, holdHierarchy, temporalClient } from '../../support/jobs.js'
import { sharedStack } from '../../support/running-stack.js'
import { until } from '../../support/until.js'

const stack = sharedStack()
let db: Knex

beforeAll(async () => {
  db = connect(stack.databaseUrl, { poolSize: 2 })
})
afterAll(async () => {
  await db?.destroy()
})

async function tenantWithPlaces(): Promise<Tenant> {
  const tenant = await newTenant(stack.baseUrl)
  await tenant.put('/api/v1/structureType', placeType)
  return tenant
}

/** Log lines of the API, with their fields. */
async function workerLog(): Promise<{ msg: string; jobId?: string }[]> {
  const text = await readFile(stack.worker.logFile, 'utf8')
  return text
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line))
}

/**
 * Sends a bulk while Temporal hangs, so that the API stands between accepting the job and starting its workflow, and
 * kills the API there.
 */
async function killAfterAccepting(tenant: Tenant, batch: unknown): Promise<string> {
  signal(stack.temporal, 'SIGSTOP')
  const answer = sent(tenant.put('/api/v1/structuralEntity/bulk', batch))
  const job = await until('the job is accepted', () => jobRow(db, tenant.tenantKey))
  expect(job).toMatchObject({ status: 'Accepted', done: 0, started_at: null })
  signal(stack.api, 'SIGKILL')
  expect(await answer, 'the API was killed before it could answer').toBeUndefined()
  return job.id
}

test('a bulk of 100,000 whose API is killed right after accepting is started by the outbox and written, every row', async () => {
  const tenant = await tenantWithPlaces()
  const batch = placesOf(100_000, 3)
  const model = hierarchyModel()
  const counts = model.apply(batch)
  const jobId = await killAfterAccepting(tenant, batch)
  // Temporal forgets what it had not read from its connections: nobody but the outbox knows of the job now.
  signal(stack.temporal, 'SIGKILL')
  await stack.ready()

  expect(await ended(tenant, jobId)).toMatchObject({
    status: 'Completed',
    progress: { done: 100_000, total: 100_000 },
    counts: { created: counts.created },
  })
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
  expect(await workerLog()).toContainEqual(
    expect.objectContaining({ msg: 'started a job that was only accepted', jobId }),
  )
})

test('the same with a bulk of 1,500, when Temporal goes on with what it had been sent', async () => {
  const tenant = await tenantWithPlaces()
  const batch = placesOf(1_500, 1_500)
  const model = hierarchyModel()
  model.apply(batch)
  const jobId = await killAfterAccepting(tenant, batch)
  signal(stack.temporal, 'SIGCONT')
  await stack.ready()

  expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { created: 1_500 } })
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
})

test('a small bulk whose API is killed before its commit leaves nothing behind; the same request again writes it once', async () => {
  const tenant = await tenantWithPlaces()
  const batch = placesOf(20, 20)
  const model = hierarchyModel()
  const put = () => tenant.put('/api/v1/structuralEntity/bulk', batch, { 'idempotency-key': 'small' })
  const hierarchy = await holdHierarchy(stack.databaseUrl, tenant.tenantKey)
  const { client, close } = await temporalClient(stack.temporalAddress, stack.encryptionKey)
  const broken = expect(put()).rejects.toThrow()
  const runs = async () => (await client.workflow.count(`TenantKey = '${tenant.tenantKey}'`)).count
  await until('the run of the bulk waits with it', async () => (await runs()) === 1)
  signal(stack.api, 'SIGKILL')
  await broken
  await hierarchy.release()
  await stack.ready()
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
  expect(await tenant.get('/api/v1/jobs')).toMatchObject({ body: { PageInfo: { TotalCount: 0 } } })

  model.apply(batch)
  const again = await put()
  expect(again.status).toBe(204)
  const { body: job } = await tenant.get<JobBody>(again.headers.get('location') ?? '')
  expect(job).toMatchObject({ status: 'Completed', counts: { created: 20 } })
  expect(await (await endedRun(client, job)).result()).toEqual({ done: 20, total: 20, counts: { created: 20 } })
  await close()
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
})

test('a small bulk that is written while Temporal hangs stays written when API and Temporal are killed', async () => {
  const tenant = await tenantWithPlaces()
  const batch = placesOf(20, 20)
  const model = hierarchyModel()
  model.apply(batch)
  const put = () => tenant.put('/api/v1/structuralEntity/bulk', batch, { 'idempotency-key': 'small' })
  signal(stack.temporal, 'SIGSTOP')
  const first = await put()
  expect(first.status).toBe(204)
  signal(stack.api, 'SIGKILL')
  signal(stack.temporal, 'SIGKILL')
  await stack.ready()

  const again = await put()
  expect([again.status, again.headers.get('location')]).toEqual([204, first.headers.get('location')])
  const { body: job } = await tenant.get<JobBody>(first.headers.get('location') ?? '')
  expect(job).toMatchObject({ status: 'Completed', counts: { created: 20 } })
  expect(job.links, 'it has no run').not.toHaveProperty('temporalUi')
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
})

test('a bulk whose caller waits goes on when the API is killed, and the same Idempotency-Key finds it', async () => {
  const tenant = await tenantWithPlaces()
  const batch = placesOf(60_000, 4)
  const model = hierarchyModel()
  model.apply(batch)
  const put = () => tenant.put('/api/v1/structuralEntity/bulk', batch, { 'idempotency-key': 'the-night-load' })
  const answer = sent(put())
  expect(await progressed(db, tenant.tenantKey, 0.1)).toBe(true)
  signal(stack.api, 'SIGKILL')
  expect(await answer).toBeUndefined()
  await stack.ready()

  expect(await put()).toMatchObject({ status: 204, body: '' })
  expect(await tenant.get('/api/v1/jobs')).toMatchObject({
    body: { PageInfo: { TotalCount: 1 }, Edges: [{ Node: { status: 'Completed', counts: { created: 60_000 } } }] },
  })
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
})
