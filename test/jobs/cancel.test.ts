// Cancelled jobs.
import { expect, inject, test } from 'vitest'
import { startJob } from '../../activities/jobs/start-run.js'
import type { PlannedEntity } from '../../db/frame/hierarchy/structural-entity-plan.js'
import { chunkItems, writeChunks } from '../../db/jobs/chunks.js'
import { createJob } from '../../db/jobs/create.js'
import type { StoredProblem } from '../../db/jobs/job-row.js'
import { deleteJobs, jobStore } from '../../db/jobs/jobs.js'
import { newId } from '../../runtime/ids.js'
import type { Tenant } from '../support/api.js'
import { openDatabase, tenantWithPlaces } from '../support/factories.js'
import { acceptBulk, ended, type JobBody, placesOf } from '../support/faults.js'
import type { Page } from '../support/frame.js'
import { hierarchyModel, place } from '../support/hierarchy-model.js'
import { endedRun, holdHierarchy, type JobItemBody, temporalClient } from '../support/jobs.js'

const db = openDatabase()

const cancel = (tenant: Tenant, job: JobBody) => tenant.post<JobBody>(`${job.links.self}/cancel`)
const retry = (tenant: Tenant, job: JobBody) => tenant.post<JobBody>(`${job.links.self}/retry`)

test('a job that is cancelled stops between two chunks, what it wrote stays and is counted, and a retry goes on there', async () => {
  const { tenant, model } = await tenantWithPlaces(inject('baseUrl'))
  // More than one activity writes, so that the cancellation is known before the last chunk, however quick they are.
  const batch = placesOf(20_000, 7)
  const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
  const accepted = await acceptBulk(tenant, batch)
  const answer = await cancel(tenant, accepted)
  expect(answer).toMatchObject({ status: 202, body: { jobId: accepted.jobId } })
  expect(answer.headers.get('location')).toBe(accepted.links.self)
  await hierarchy.release()

  const cancelled = await ended(tenant, accepted.jobId)
  const { done } = cancelled.progress
  expect(cancelled).toMatchObject({
    status: 'Cancelled',
    progress: { total: 20_000 },
    counts: done > 0 ? { created: done } : {},
    finishedAt: expect.any(String),
  })
  expect(done).toBeLessThan(20_000)
  expect(done % chunkItems, 'only whole chunks').toBe(0)
  const temporal = await temporalClient(inject('temporalAddress'), inject('encryptionKey'))
  const metadata = await (await endedRun(temporal.client, cancelled)).query<{ currentDetails?: string }>(
    '__temporal_workflow_metadata',
  )
  expect(metadata.currentDetails).toBe(`${done.toLocaleString('en')} of 20,000 items written, then cancelled`)
  await temporal.close()
  const items: JobItemBody[] = []
  for (let after = ''; ; ) {
    const { body } = await tenant.get<Page<JobItemBody>>(`${cancelled.links.items}?First=1000${after}`)
    items.push(...body.Edges.map(edge => edge.Node))
    if (!body.PageInfo.HasNextPage) break
    after = `&After=${body.PageInfo.EndCursor}`
  }
  expect(items.map(item => item.outcome)).toEqual(items.map((_, n) => (n < done ? 'created' : 'pending')))
  const written = hierarchyModel()
  written.apply(items.slice(0, done).flatMap(({ index }) => batch[index] ?? []))
  expect(await written.differences(db, tenant.tenantKey)).toEqual([])

  expect(await cancel(tenant, accepted)).toMatchObject({
    status: 409,
    body: {
      type: '/problems/job-ended',
      detail: 'The job is cancelled; only one that runs or has failed can be cancelled.',
    },
  })
  expect(await retry(tenant, accepted)).toMatchObject({ status: 202, body: { progress: { done, total: 20_000 } } })
  expect(await ended(tenant, accepted.jobId)).toMatchObject({ status: 'Completed', counts: { created: 20_000 } })
  model.apply(batch)
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
})

test('a job cancelled and retried in the same moment, again and again, is never stuck between the two', async () => {
  const { tenant, model } = await tenantWithPlaces(inject('baseUrl'))
  const batch = placesOf(3_000, 8)
  model.apply(batch)
  const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
  const accepted = await acceptBulk(tenant, batch)
  await cancel(tenant, accepted)
  await hierarchy.release()
  for (let round = 0; round < 10; round++) {
    const { status } = await ended(tenant, accepted.jobId)
    if (status === 'Completed') break
    // Asked the moment the job says that it is cancelled: its run may be some milliseconds from its end.
    expect((await retry(tenant, accepted)).status).toBe(202)
    await cancel(tenant, accepted)
  }
  const { status } = await ended(tenant, accepted.jobId)
  if (status === 'Cancelled') await retry(tenant, accepted)
  expect(await ended(tenant, accepted.jobId)).toMatchObject({ status: 'Completed', counts: { created: 3_000 } })
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
})

const planned: PlannedEntity = {
  ...{ index: 0, key: 'a', depth: 1, outcome: 'created' },
  ...{ displayName: 'A', parentKey: null, typeKey: 'place', customValues: null, isMoved: false },
}

test('an accepted job without a run is cancelled at once and writes nothing', async () => {
  const { tenant, model } = await tenantWithPlaces(inject('baseUrl'))
  const { id: tenantId } = await db('tenants').where({ tenant_key: tenant.tenantKey }).first('id')
  const jobId = newId()
  await db.transaction(async trx => {
    await createJob(trx, tenantId, {
      id: jobId,
      kind: 'structuralEntityBulkUpsert',
      queue: 'background',
      actor: `${tenant.tenantKey}-0`,
      workflowId: `${tenant.tenantKey}/structuralEntityBulkUpsert/${jobId}`,
      traceId: 'trace',
      total: 1,
    })
    await writeChunks(trx, tenantId, jobId, [planned])
  })
  // Out of the outbox's sight, which would start it after some seconds.
  await db('jobs')
    .where({ tenant_id: tenantId, id: jobId })
    .update({ accepted_at: new Date(Date.now() + 3_600_000) })
  expect(await tenant.post(`/api/v1/jobs/${jobId}/cancel`)).toMatchObject({
    status: 202,
    body: { status: 'Cancelled', progress: { done: 0, total: 1 }, counts: {}, startedAt: null },
  })
  // A start that was under way meanwhile: its run does not open the job again.
  const temporal = await temporalClient(inject('temporalAddress'), inject('encryptionKey'))
  await startJob(db, temporal, await db('jobs').where({ id: jobId }).first(), tenant.tenantKey, inject('baseUrl'))
  const { body: late } = await tenant.get<JobBody>(`/api/v1/jobs/${jobId}`)
  await expect((await endedRun(temporal.client, late)).result()).rejects.toThrow()
  await temporal.close()
  expect((await tenant.get(`/api/v1/jobs/${jobId}`)).body).toMatchObject({ status: 'Cancelled', startedAt: null })
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
  expect((await tenant.post(`/api/v1/jobs/${jobId}/retry`)).status).toBe(202)
  expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { created: 1 } })
})

test('a retry that is repeated with its Idempotency-Key is one retry, while the job goes on and when it has ended', async () => {
  const { tenant } = await tenantWithPlaces(inject('baseUrl'))
  const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
  const job = await acceptBulk(tenant, placesOf(30, 9))
  await cancel(tenant, job)
  expect(await ended(tenant, job.jobId)).toMatchObject({ status: 'Cancelled' })
  const retryWith = (key: string) =>
    tenant.post<JobBody>(`${job.links.self}/retry`, undefined, { 'idempotency-key': key })
  const answers = [await retryWith('k'), await retryWith('k')]
  expect(await retryWith('another')).toMatchObject({ status: 409, body: { type: '/problems/job-not-ended' } })
  await hierarchy.release()
  expect(await ended(tenant, job.jobId)).toMatchObject({ status: 'Completed' })
  answers.push(await retryWith('k'))
  expect(answers.map(({ status, body }) => [status, body.jobId])).toEqual(answers.map(() => [202, job.jobId]))
  expect(await db('jobs').where({ id: job.jobId }).first('attempt')).toEqual({ attempt: 2 })
})

test('a completed job is neither cancelled nor retried', async () => {
  const { tenant } = await tenantWithPlaces(inject('baseUrl'))
  const job = await ended(tenant, (await acceptBulk(tenant, [place('a')])).jobId)
  expect(await cancel(tenant, job)).toMatchObject({
    status: 409,
    body: {
      type: '/problems/job-ended',
      detail: 'The job is completed; only one that runs or has failed can be cancelled.',
    },
  })
  expect(await retry(tenant, job)).toMatchObject({
    status: 409,
    body: {
      type: '/problems/job-not-ended',
      detail: 'The job is completed; only a failed or cancelled one can be retried.',
    },
  })
  expect((await tenant.get(job.links.self)).body).toEqual(job)
})

test('a job that runs is not retried', async () => {
  const { tenant } = await tenantWithPlaces(inject('baseUrl'))
  const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
  const job = await acceptBulk(tenant, placesOf(30, 9))
  const answer = await retry(tenant, job)
  await hierarchy.release()
  expect(answer).toMatchObject({ status: 409, body: { type: '/problems/job-not-ended' } })
  expect(await ended(tenant, job.jobId)).toMatchObject({ status: 'Completed', counts: { created: 30 } })
})

test('a caller who waits for a job is told when somebody cancels it', async () => {
  const { tenant } = await tenantWithPlaces(inject('baseUrl'))
  const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
  const headers = { 'idempotency-key': 'k' }
  const batch = placesOf(20_000, 10)
  const waiting = tenant.put('/api/v1/structuralEntity/bulk', batch, headers)
  // The same key finds the job while the first request waits for it.
  let job: JobBody | undefined
  while (!job) {
    const { body } = await tenant.get<Page<JobBody>>('/api/v1/jobs')
    job = body.Edges[0]?.Node
  }
  await cancel(tenant, job)
  await hierarchy.release()
  expect(await waiting).toMatchObject({
    status: 409,
    body: {
      type: '/problems/job-cancelled',
      detail: expect.stringMatching(/^The job was cancelled after [\d,]+ of 20,000 items\.$/),
    },
  })
})

test('a late failure of a cancelled run does not fail the job that a retry has reopened', async () => {
  const { tenant } = await tenantWithPlaces(inject('baseUrl'))
  const { id: tenantId } = await db('tenants').where({ tenant_key: tenant.tenantKey }).first('id')
  const id = newId()
  const kind = 'structuralEntityBulkUpsert'
  const named = { actor: 'test', workflowId: id, traceId: id }
  await db.transaction(trx => createJob(trx, tenantId, { id, kind, queue: 'background', total: 1, ...named }))
  const store = jobStore(db, tenantId)
  await store.assignRun(id, 'the cancelled run', null)
  expect(await store.cancel(id)).toBe(true)
  expect(await db.transaction(trx => store.reopen(trx, id))).toBe(true)
  const problem: StoredProblem = { status: 409, code: 'job-ended', title: '', detail: '', faults: [] }
  expect(await store.fail(id, 'the cancelled run', problem)).toBe(false)
  expect(await store.byId(id)).toMatchObject({ status: 'Accepted', problem: null })
  await db.transaction(trx => deleteJobs(trx, tenantId, [{ id, kind }]))
})
