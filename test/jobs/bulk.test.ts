// Bulks of structural entities of every size: accepted as jobs, and written by the activities of their runs.
import { expect, inject, test } from 'vitest'
import { api } from '../support/api.js'
import { openDatabase, tenantWithPlaces } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import type { Page } from '../support/frame.js'
import { place } from '../support/hierarchy-model.js'
import { endedRun, holdHierarchy, openTemporal } from '../support/jobs.js'
import { startOwnApp } from '../support/own-app.js'

const bulk = '/api/v1/structuralEntity/bulk'
const db = openDatabase()
const temporal = await openTemporal()

test('a small bulk is written by the activity of its run, which begins in the process of its caller', async () => {
  const { tenant, model } = await tenantWithPlaces(inject('baseUrl'))
  const batch = [place('b', 'a'), place('a')]
  model.apply(batch)
  const answer = await tenant.put(bulk, batch)
  expect(answer).toMatchObject({ status: 204, body: '' })
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
  const { body: job } = await tenant.get<JobBody>(answer.headers.get('location') ?? '')
  expect(job).toMatchObject({ status: 'Completed', progress: { done: 2, total: 2 }, counts: { created: 2 } })

  const run = await endedRun(temporal, job)
  const { run_id } = await db('jobs').where({ id: job.jobId }).first('run_id')
  expect(await run.describe()).toMatchObject({
    status: { name: 'COMPLETED' },
    taskQueue: 'interactive',
    runId: run_id,
  })
  expect(await run.result()).toMatchObject({ done: 2, total: 2, counts: { created: 2 } })
  const { events } = await run.fetchHistory()
  expect(events?.filter(event => event.markerRecordedEventAttributes)).toHaveLength(1)
})

test('nothing of a bulk is written before its activity has locked the hierarchy, not even with the acceptance of the job', async () => {
  const { tenant, model } = await tenantWithPlaces(inject('baseUrl'))
  const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
  const batch = [place('b', 'a'), place('a')]
  const waiting = tenant.put(bulk, batch)
  await expect
    .poll(async () => (await tenant.get<Page<JobBody>>('/api/v1/jobs')).body.Edges.map(({ Node }) => Node.startedAt))
    .toEqual([expect.any(String)])
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
  await hierarchy.release()
  expect((await waiting).status).toBe(204)
  model.apply(batch)
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
})

test('a bulk of a thousand is one transaction in the interactive queue; one more runs in the background', async () => {
  const { tenant, model } = await tenantWithPlaces(inject('baseUrl'))
  const batch = Array.from({ length: 1_000 }, (_, n) =>
    place(`e${n}`, n === 0 ? undefined : `e${Math.floor((n - 1) / 2)}`),
  )
  const jobs: JobBody[] = []
  for (const some of [batch.slice(0, 21), batch, [...batch, place('more')]]) {
    model.apply(some)
    const { status, headers } = await tenant.put(bulk, some)
    jobs.push((await tenant.get<JobBody>(headers.get('location') ?? '')).body)
    expect([status, jobs.at(-1)?.status]).toEqual([204, 'Completed'])
  }
  const ids = jobs.map(({ jobId }) => jobId)
  const rows: { queue: string }[] = await db('jobs').whereIn('id', ids).orderBy('id').select('queue')
  expect(rows.map(({ queue }) => queue)).toEqual(['interactive', 'interactive', 'background'])
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
})

test('while Temporal is away a bulk is 503 and writes nothing; with Prefer: respond-async it is written later', async () => {
  const app = await startOwnApp(inject('databaseUrl'))
  try {
    const { tenant, model } = await tenantWithPlaces(inject('baseUrl'))
    const claims = { client_id: `${tenant.tenantKey}-0`, tenant_key: tenant.tenantKey, scope: 'FrameApi' }
    const alone = api(app.baseUrl, await app.issuer.token(claims))
    const batch = [place('b', 'a'), place('a')]

    const refused = await alone.put(bulk, batch, { 'idempotency-key': 'k' })
    expect(refused).toMatchObject({ status: 503, body: { type: '/problems/unavailable' } })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await tenant.get<Page<JobBody>>('/api/v1/jobs')).body.Edges).toEqual([])
    expect(await model.differences(db, tenant.tenantKey)).toEqual([])

    const kept = await alone.put<JobBody>(bulk, batch, { 'idempotency-key': 'k', prefer: 'respond-async' })
    expect(kept).toMatchObject({ status: 202, body: { status: 'Accepted', progress: { done: 0, total: 2 } } })
    // The outbox of the stack starts it.
    model.apply(batch)
    expect(await ended(tenant, kept.body.jobId)).toMatchObject({ status: 'Completed', counts: { created: 2 } })
    expect(await model.differences(db, tenant.tenantKey)).toEqual([])
  } finally {
    await app.stop()
  }
})

test('a bulk that its plan refuses has neither job nor run', async () => {
  const { tenant, model } = await tenantWithPlaces(inject('baseUrl'))
  expect(await tenant.put(bulk, [place('child', 'nowhere')])).toMatchObject({ status: 400 })
  expect((await tenant.get<Page<JobBody>>('/api/v1/jobs')).body.Edges).toEqual([])
  const runs = temporal.workflow.list({ query: `TenantKey = '${tenant.tenantKey}'` })
  for await (const run of runs) expect.fail(`${run.workflowId} was started`)
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
})

test('a small bulk waits for another writer of the hierarchy, and is then checked again', async () => {
  const { tenant, model } = await tenantWithPlaces(inject('baseUrl'))
  await tenant.put('/api/v1/structuralEntity', place('parent'))
  const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
  const headers = { 'idempotency-key': 'k' }
  const [first, second] = [0, 1].map(() => tenant.put(bulk, [place('child', 'parent')], headers))
  await hierarchy.remove('parent')
  await hierarchy.release()
  for (const answer of [await first, await second]) {
    expect(answer).toMatchObject({
      status: 400,
      body: { errors: [{ code: 'unknown-parent', pointer: '/0/ParentKey' }] },
    })
  }
  expect(await model.differences(db, tenant.tenantKey), 'nothing is written').toEqual([])
})

test('twenty small bulks of one tenant at once are all written', async () => {
  const { tenant, model } = await tenantWithPlaces(inject('baseUrl'))
  const batches = Array.from({ length: 20 }, (_, n) => [place(`b${n}`, `a${n}`), place(`a${n}`)])
  for (const batch of batches) model.apply(batch)
  const answers = await Promise.all(batches.map(batch => tenant.put(bulk, batch)))
  expect(answers.map(({ status }) => status)).toEqual(batches.map(() => 204))
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
})
