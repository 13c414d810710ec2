// Kills of the API during bulks.
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { newTenant, type Tenant } from '../../support/api.js'
import { openDatabase } from '../../support/factories.js'
import { ended, jobRow, placesOf, progressed, sent, signal } from '../../support/faults.js'
import { hierarchyModel, placeType } from '../../support/hierarchy-model.js'
import { endedRun, holdHierarchy, temporalClient } from '../../support/jobs.js'
import { sharedStack } from '../../support/running-stack.js'
import { until } from '../../support/until.js'

const stack = sharedStack()
const db = openDatabase()

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

test.each([20, 1_500])(
  'a bulk of %d whose API is killed right after accepting is written once, also if Temporal had already received its start',
  async size => {
    const tenant = await tenantWithPlaces()
    const batch = placesOf(size, size)
    const model = hierarchyModel()
    model.apply(batch)
    const jobId = await killAfterAccepting(tenant, batch)
    signal(stack.temporal, 'SIGCONT')
    await stack.ready()

    expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { created: size } })
    expect(await model.differences(db, tenant.tenantKey)).toEqual([])
  },
)

test('a small bulk whose API is killed while its activity waits finishes by itself; the same request again finds it', async () => {
  const tenant = await tenantWithPlaces()
  const batch = placesOf(20, 20)
  const model = hierarchyModel()
  const put = () => tenant.put('/api/v1/structuralEntity/bulk', batch, { 'idempotency-key': 'small' })
  const hierarchy = await holdHierarchy(stack.databaseUrl, tenant.tenantKey)
  const broken = expect(put()).rejects.toThrow()
  const started = await until('the activity has begun', async () => {
    const job = await jobRow(db, tenant.tenantKey)
    return job?.started_at ? job : undefined
  })
  signal(stack.api, 'SIGKILL')
  await broken
  await hierarchy.release()
  await stack.ready()

  model.apply(batch)
  const job = await ended(tenant, started.id)
  expect(job).toMatchObject({ status: 'Completed', counts: { created: 20 } })
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
  const again = await put()
  expect([again.status, again.headers.get('location')]).toEqual([204, job.links.self])
  const { client, close } = await temporalClient(stack.temporalAddress, stack.encryptionKey)
  expect(await (await endedRun(client, job)).result()).toMatchObject({ end: 'all', done: 20, total: 20 })
  await close()
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
