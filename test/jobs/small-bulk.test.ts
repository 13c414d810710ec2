import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { connect } from '../../db/connect.js'
import { createJob } from '../../db/jobs/create.js'
import { newId } from '../../runtime/ids.js'
import { tenantWithPlaces } from '../support/factories.js'
import { type JobBody, until } from '../support/faults.js'
import type { Page } from '../support/frame.js'
import { place } from '../support/hierarchy-model.js'
import { endedRun, holdHierarchy, temporalClient } from '../support/jobs.js'

const bulk = '/api/v1/structuralEntity/bulk'
const db = connect(inject('databaseUrl'), { poolSize: 2 })
let temporal: Awaited<ReturnType<typeof temporalClient>>
beforeAll(async () => {
  temporal = await temporalClient(inject('temporalAddress'), inject('encryptionKey'))
})
afterAll(() => Promise.all([temporal.close(), db.destroy()]))

/** Whether a job still waits for its run. */
const awaitsRun = async (id: string): Promise<boolean> =>
  (await db('jobs').where({ id }).first('awaits_run')).awaits_run === 1

test('a small bulk is a completed job when it is answered, and then has a run that says so', async () => {
  const { tenant, model } = await tenantWithPlaces(inject('baseUrl'))
  const batch = [place('b', 'a'), place('a')]
  model.apply(batch)
  const answer = await tenant.put(bulk, batch)
  const location = answer.headers.get('location') ?? ''
  const { body: job } = await tenant.get<JobBody>(location)
  expect(answer).toMatchObject({ status: 204, body: '' })
  expect(job).toMatchObject({ status: 'Completed', progress: { done: 2, total: 2 }, counts: { created: 2 } })
  expect(new Set([job.acceptedAt, job.startedAt, job.finishedAt]).size, 'it took no time of its own').toBe(1)
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])

  const run = await endedRun(temporal.client, job)
  expect(await run.describe()).toMatchObject({ status: { name: 'COMPLETED' }, taskQueue: 'interactive' })
  expect(await run.result()).toEqual({ done: 2, total: 2 })
  expect(await awaitsRun(job.jobId)).toBe(false)
  expect((await tenant.get(location)).body, 'its run changes nothing').toEqual(job)
})

test('a small bulk that found no Temporal is given its run by the outbox', async () => {
  const { tenant } = await tenantWithPlaces(inject('baseUrl'))
  const id = newId()
  const { tenantKey } = tenant
  const workflowId = `${tenantKey}/groupBulkUpsert/${id}`
  await db.transaction(async trx =>
    createJob(trx, await tenantIdOf(db, tenantKey), {
      id,
      kind: 'groupBulkUpsert',
      queue: 'interactive',
      actor: `${tenantKey}-0`,
      workflowId,
      traceId: 'trace',
      total: 3,
      done: { created: 1, updated: 2 },
    }),
  )
  // The outbox leaves alone what may just be about to start.
  await db('jobs')
    .where({ id })
    .update({ accepted_at: new Date(Date.now() - 60_000) })
  await until('the outbox has started it', async () => !(await awaitsRun(id)))
  const { body: job } = await tenant.get<JobBody>(`/api/v1/jobs/${id}`)
  expect(job).toMatchObject({ status: 'Completed', counts: { created: 1, updated: 2 } })
  expect(await (await endedRun(temporal.client, job)).result()).toEqual({ done: 3, total: 3 })
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
