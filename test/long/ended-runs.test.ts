// Jobs whose run ended, was lost, or cannot go on: the outbox compares them with Temporal.
import { expect, inject, test } from 'vitest'
import { chunkItems, jobItems } from '../../db/jobs/chunks.js'
import { newId } from '../../runtime/ids.js'
import { newTenant } from '../support/api.js'
import { openDatabase, tenantWithPlaces } from '../support/factories.js'
import { acceptBulk, ended } from '../support/faults.js'
import { place } from '../support/hierarchy-model.js'
import { holdHierarchy, openTemporal } from '../support/jobs.js'
import { until } from '../support/until.js'

const db = openDatabase()
const operator = await openTemporal()

/** Of the worker, which does the outbox. */
const metrics = async () => (await fetch(`${inject('workerUrl')}/metrics`)).text()

const batch = Array.from({ length: 25_000 }, (_, n) => place(`p${n}`))

/** The outbox asks about jobs that were handed over 30 s ago; a test need not wait for that. */
const age = (jobId: string) =>
  db('jobs')
    .where({ id: jobId })
    .update({ started_at: new Date(Date.now() - 60_000) })

test('a job whose run an operator terminates ends Failed, what is written is counted, and a retry writes the rest', async () => {
  const { tenant, model } = await tenantWithPlaces(inject('baseUrl'))
  model.apply(batch)
  const { jobId } = await acceptBulk(tenant, batch)
  await until('some is written', async () => (await db('jobs').where({ id: jobId }).first('done')).done > 0)
  // The next chunk waits, so that the job cannot end before its run does.
  const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
  await operator.workflow.getHandle(`${tenant.tenantKey}/structuralEntityBulkUpsert/${jobId}`).terminate('enough')
  await age(jobId)

  const failed = await ended(tenant, jobId)
  await hierarchy.release()
  expect(failed).toMatchObject({
    status: 'Failed',
    problem: { type: '/problems/run-ended', status: 500, detail: expect.stringContaining('terminated') },
  })
  expect(failed.progress.done).toBeGreaterThan(0)
  expect(failed.progress.done).toBeLessThan(25_000)
  expect((await tenant.post(`/api/v1/jobs/${jobId}/retry`)).status).toBe(202)
  expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { created: 25_000 } })
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
})

test('after a restore to a moment before the last chunk, the job runs again and ends Completed', async () => {
  const { tenant, model } = await tenantWithPlaces(inject('baseUrl'))
  const size = 2 * chunkItems + 1_000
  const places = batch.slice(0, size)
  model.apply(places)
  const done = 2 * chunkItems
  const { jobId } = await acceptBulk(tenant, places)
  expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { created: size } })
  const { tenant_id } = await db('jobs').where({ id: jobId }).first('tenant_id')
  const lastChunk = await jobItems(db, tenant_id, jobId, { from: done, limit: size, done: size })
  const keys = lastChunk.map(({ key }) => key)
  expect(await db('structural_entities').where({ tenant_id }).whereIn('entity_key', keys).delete()).toBe(1_000)
  const before = { status: 'Running', done, counts: JSON.stringify({ created: done }), finished_at: null }
  await db('jobs').where({ id: jobId }).update(before)
  await age(jobId)

  expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { created: size } })
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
})

test('of 130 open jobs only the one whose run is terminated becomes Failed', async () => {
  const { tenantKey } = await newTenant(inject('baseUrl'))
  const { id: tenant_id } = await db('tenants').where({ tenant_key: tenantKey }).first('id')
  const workflow = (id: string) => operator.workflow.getHandle(`${tenantKey}/subjectTransfer/${id}`)
  const ids = Array.from({ length: 130 }, newId)
  // Nobody polls their queue: they are under way for as long as the test needs.
  await Promise.all(
    ids.map(id => operator.workflow.start('held', { workflowId: workflow(id).workflowId, taskQueue: 'nobody' })),
  )
  const [terminated = ''] = ids.slice(-1)
  await workflow(terminated).terminate('enough')
  const of = { kind: 'subjectTransfer', queue: 'background', actor: 'a', trace_id: 't', total: 1, counts: '{}' }
  const at = new Date(Date.now() - 60_000)
  const rows = ids.map(id => ({
    ...{ ...of, tenant_id, id, status: 'Running', accepted_at: at, started_at: at },
    workflow_id: workflow(id).workflowId,
  }))
  await db('jobs').insert(rows)
  const failed = () => db('jobs').where({ tenant_id, status: 'Failed' }).select('id')
  await until('it is found', async () => (await failed()).length > 0)
  expect(await failed()).toEqual([{ id: terminated }])
  await until('the repair is counted', async () =>
    /armature_job_repairs_total{run="terminated"} \d/.test(await metrics()),
  )
  await db('jobs').where({ tenant_id }).delete()
  await Promise.all(ids.slice(0, -1).map(id => workflow(id).terminate('the test is over')))
})

test('a run that no worker can continue is counted and logged; its job goes on after Terminate and a retry', async () => {
  const { tenant, model } = await tenantWithPlaces(inject('baseUrl'))
  model.apply(batch)
  const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
  const { jobId } = await acceptBulk(tenant, batch)
  const workflowId = `${tenant.tenantKey}/structuralEntityBulkUpsert/${jobId}`
  await operator.workflow.getHandle(workflowId).terminate('the build of the next run is unknown')
  const type = 'ofAnotherBuild'
  const run = await operator.workflow.start(type, { workflowId, taskQueue: 'background' })
  await age(jobId)

  await until('the run is counted', async () => (await metrics()).includes('armature_stuck_runs 1'))
  // Until then it keeps the activity of the terminated run, which may have begun, from writing all of the batch.
  await hierarchy.release()
  await run.terminate('found')
  expect(await ended(tenant, jobId)).toMatchObject({ status: 'Failed', problem: { type: '/problems/run-ended' } })
  await until('the run is forgotten', async () => (await metrics()).includes('armature_stuck_runs 0'))
  expect((await tenant.post(`/api/v1/jobs/${jobId}/retry`)).status).toBe(202)
  expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { created: 25_000 } })
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
})
