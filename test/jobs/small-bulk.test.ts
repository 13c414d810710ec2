// Small bulks.
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { createJob } from '../../db/jobs/create.js'
import { newId } from '../../runtime/ids.js'
import { tenantWithPlaces } from '../support/factories.js'
import type { JobBody } from '../support/faults.js'
import type { Page } from '../support/frame.js'
import { place } from '../support/hierarchy-model.js'
import { bulkWithRun, endedRun, holdHierarchy, temporalClient } from '../support/jobs.js'
import { startOwnApp } from '../support/own-app.js'

const bulk = '/api/v1/structuralEntity/bulk'
const db = connect(inject('databaseUrl'), { poolSize: 2 })
let temporal: Awaited<ReturnType<typeof temporalClient>>
beforeAll(async () => {
  temporal = await temporalClient(inject('temporalAddress'), inject('encryptionKey'))
})
afterAll(() => Promise.all([temporal.close(), db.destroy()]))

test('a small bulk is written by its run, and a completed job when it is answered', async () => {
  const { tenant, model } = await tenantWithPlaces(inject('baseUrl'))
  let n = 0
  const job = await bulkWithRun(tenant, 204, async () => {
    const batch = [place(`b${++n}`, `a${n}`), place(`a${n}`)]
    model.apply(batch)
    const answer = await tenant.put(bulk, batch)
    expect(answer.body).toBe('')
    return answer
  })
  expect(job).toMatchObject({ status: 'Completed', progress: { done: 2, total: 2 }, counts: { created: 2 } })
  expect(new Set([job.acceptedAt, job.startedAt, job.finishedAt]).size, 'it took no time of its own').toBe(1)
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])

  const run = await endedRun(temporal.client, job)
  expect(await run.describe()).toMatchObject({ status: { name: 'COMPLETED' }, taskQueue: 'interactive' })
  expect(await run.result()).toEqual({ done: 2, total: 2, counts: { created: 2 } })
  const { events } = await run.fetchHistory()
  expect(
    events?.some(event => event.markerRecordedEventAttributes),
    'a local activity of the run',
  ).toBe(true)
})

test('a small bulk of a thousand is one transaction; of one more it is not small', async () => {
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

test('without Temporal a small bulk is written without a run, and its job says so', async () => {
  const app = await startOwnApp(inject('databaseUrl'))
  try {
    const { tenant, model } = await tenantWithPlaces(inject('baseUrl'))
    const token = await app.issuer.token({ client_id: `${tenant.tenantKey}-0`, tenant_key: tenant.tenantKey })
    const batch = [place('b', 'a'), place('a')]
    model.apply(batch)
    const answer = await fetch(`${app.baseUrl}${bulk}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(batch),
    })
    expect(answer.status).toBe(204)
    const { body: job } = await tenant.get<JobBody>(answer.headers.get('location') ?? '')
    expect(job).toMatchObject({ status: 'Completed', progress: { done: 2, total: 2 } })
    expect(job.links).not.toHaveProperty('temporalUi')
    expect(await model.differences(db, tenant.tenantKey)).toEqual([])
  } finally {
    await app.stop()
  }
})

test('a small bulk that its check refuses has neither job nor run', async () => {
  const { tenant, model } = await tenantWithPlaces(inject('baseUrl'))
  expect(await tenant.put(bulk, [place('child', 'nowhere')])).toMatchObject({ status: 400 })
  expect((await tenant.get<Page<JobBody>>('/api/v1/jobs')).body.Edges).toEqual([])
  const runs = temporal.client.workflow.list({ query: `TenantKey = '${tenant.tenantKey}'` })
  for await (const run of runs) expect.fail(`${run.workflowId} was started`)
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
})

test('the run of a small bulk whose process has died ends when nobody can have written it', async () => {
  const { tenant } = await tenantWithPlaces(inject('baseUrl'))
  const jobId = newId()
  const input = { tenantKey: tenant.tenantKey, jobId, queue: 'interactive', isSmallBulk: true }
  const handle = await temporal.client.workflow.start('groupBulkUpsert', {
    taskQueue: 'interactive',
    workflowId: `${tenant.tenantKey}/groupBulkUpsert/${jobId}`,
    args: [input],
  })
  const { id } = await db('tenants').where({ tenant_key: tenant.tenantKey }).first('id')
  await db.transaction(trx =>
    createJob(trx, id, {
      ...{ id: jobId, kind: 'groupBulkUpsert', queue: 'interactive', actor: 'a', workflowId: handle.workflowId },
      ...{ traceId: 'trace', total: 3, done: { created: 1, updated: 2 } },
    }),
  )
  expect(await handle.result(), 'written by another process').toMatchObject({
    done: 3,
    total: 3,
    counts: { created: 1, updated: 2 },
  })
})

test('a small bulk waits for who writes the hierarchy, and is checked against what that leaves', async () => {
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
  expect((await tenant.get<Page<JobBody>>('/api/v1/jobs')).body.Edges, 'no job').toEqual([])
  expect(await model.differences(db, tenant.tenantKey), 'and nothing written').toEqual([])
  const parent = [place('parent'), place('child', 'parent')]
  model.apply(parent)
  expect((await tenant.put(bulk, parent, headers)).status, 'the key was not used up').toBe(204)
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
})
