// What operators do to a run in the Temporal UI, in the middle of it: Terminate, Cancel and Reset, for each shape of job.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { chunkItems } from '../../db/jobs/chunks.js'
import type { Api } from '../support/api.js'
import { changePaths, gate, points, refreshPath, scriptedGlue, scriptedProvider } from '../support/data-sets.js'
import { holdExtracts } from '../support/extract-rows.js'
import { type ExtractBody, extractPath } from '../support/extracts.js'
import {
  aSmallTemplate,
  dataTenant,
  formAsked,
  launchTenant,
  notesTenant,
  point,
  tenantWithPlaces,
  tenantWithWards,
  whole,
} from '../support/factories.js'
import { acceptBulk, ended, type JobBody } from '../support/faults.js'
import { place } from '../support/hierarchy-model.js'
import { holdHierarchy, temporalClient } from '../support/jobs.js'
import { form, page, referenceOf } from '../support/launches.js'
import { holdLocation, seedLocations, subjectId } from '../support/locations.js'
import { differences } from '../support/transfer-faults.js'
import { startTransfer } from '../support/transfers.js'
import { until } from '../support/until.js'

const db = connect(inject('databaseUrl'), { poolSize: 8 })
const stops: (() => Promise<void>)[] = []
let operator: Awaited<ReturnType<typeof temporalClient>>
beforeAll(async () => {
  operator = await temporalClient(inject('temporalAddress'), inject('encryptionKey'))
})
afterAll(async () => {
  await Promise.all(stops.map(stop => stop()))
  await operator.close()
  await db.destroy()
})

/** A job that is under way and held in the middle. */
interface Held {
  tenant: Api
  jobId: string
  release(): unknown
  /** What is wrong with all that the job has to write, once it is completed. */
  wrong(): Promise<unknown>
}

const later = { prefer: 'respond-async' }

async function bulk(): Promise<Held> {
  const { tenant, model } = await tenantWithPlaces(inject('baseUrl'))
  const batch = Array.from({ length: 8 * chunkItems }, (_, n) => place(`p${n}`))
  model.apply(batch)
  const { jobId } = await acceptBulk(tenant, batch)
  await until('a chunk is written', async () => (await db('jobs').where({ id: jobId }).first('done')).done > 0)
  const { release } = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
  return { tenant, jobId, release, wrong: () => model.differences(db, tenant.tenantKey) }
}

async function transfer(): Promise<Held> {
  const tenant = await tenantWithWards(inject('baseUrl'), 'east', 'west')
  const count = 20_000
  await seedLocations(db, tenant.tenantKey, 'east', { count })
  const { release } = await holdLocation(db, tenant.tenantKey, 'east', subjectId(count - 1))
  const { jobId } = await startTransfer(tenant, 'east', 'west', 'Move')
  await until('a page is moved', async () => (await db('jobs').where({ id: jobId }).first('done')).done > 0)
  return {
    tenant,
    jobId,
    release,
    wrong: () => differences(db, tenant.tenantKey, { east: { count: 0 }, west: { count } }),
  }
}

async function refresh(): Promise<Held> {
  const provider = await scriptedProvider()
  stops.push(provider.stop)
  const tenant = await dataTenant(scriptedGlue(provider.url), ['ada'])
  const all = ['a', 'b', 'c', 'd', 'e', 'f'].map(id => point(id, 'ada'))
  const { passed, open, reached, arrive } = gate()
  provider.says(async ({ cursor }) => {
    const from = Number(cursor ?? 0)
    if (from === 4) {
      arrive()
      await passed
    }
    return { dataPoints: all.slice(from, from + 2), ...(from < 4 ? { next: String(from + 2) } : {}) }
  })
  const { body } = await tenant.post<JobBody>(refreshPath(), undefined, later)
  await reached
  return {
    tenant,
    jobId: body.jobId,
    release: open,
    wrong: async () => ((await points(tenant)).map(({ Id }) => Id).join() === 'a,b,c,d,e,f' ? [] : points(tenant)),
  }
}

async function change(): Promise<Held> {
  const provider = await scriptedProvider()
  stops.push(provider.stop)
  const glue = scriptedGlue(provider.url, { by: ['subject'], extracts: { register: { kind: 'all' } } })
  const tenant = await dataTenant(glue, ['ada'])
  const { passed, open, reached, arrive } = gate()
  provider.says(async () => {
    arrive()
    await passed
    return { dataPoints: [point('a', 'ada')] }
  })
  const { body } = await tenant.provider.post<{ JobId: string }>(changePaths.created, {
    SubjectIdentifier: 'ada',
    DataExtractsOptionsValuesFilter: { kind: 'all' },
    NewOrUpdateddataPoints: [point('a', 'ada')],
  })
  await reached
  return {
    tenant,
    jobId: body.JobId,
    release: open,
    wrong: async () => ((await points(tenant)).map(({ Id }) => Id).join() === 'a' ? [] : points(tenant)),
  }
}

async function extract(): Promise<Held> {
  const { tenant, patient } = await notesTenant()
  const guid = await patient.created()
  await patient.submit(guid, whole)
  const { release } = await holdExtracts(inject('databaseUrl'), tenant.tenantKey)
  const definitions = [formAsked('small'), formAsked('small', { identifier: 'again' })]
  const { body } = await tenant.forms.post<JobBody & { links: { result: string } }>(extractPath, { definitions }, later)
  return {
    tenant: tenant.forms,
    jobId: body.jobId,
    release,
    async wrong() {
      const { results } = (await tenant.forms.get<ExtractBody>(body.links.result)).body
      const ids = results.map(each => each.results.map(({ instanceGuid }) => instanceGuid))
      return JSON.stringify(ids) === JSON.stringify([[guid], [guid]]) ? [] : ids
    },
  }
}

async function delivery(): Promise<Held> {
  const tenant = await launchTenant([aSmallTemplate([{ id: 'note', label: 'Note', required: true }])])
  stops.push(tenant.endpoint.stop)
  tenant.endpoint.answers(503)
  const reference = referenceOf(await page(tenant.path('small', 1), form(['note', 'x'])))
  await until('it is tried', async () => tenant.endpoint.tried.length > 0)
  const { id } = await db('jobs').where({ idempotency_key: reference }).first('id')
  return {
    tenant,
    jobId: String(id),
    release: () => tenant.endpoint.answers(204),
    wrong: async () =>
      tenant.endpoint.arrived.map(({ key }) => key).join() === reference ? [] : tenant.endpoint.arrived,
  }
}

/** The outbox asks about jobs that were handed over 30 s ago; a test need not wait for that. */
const age = (jobId: string) =>
  db('jobs')
    .where({ id: jobId })
    .update({ started_at: new Date(Date.now() - 60_000) })

async function runOf(jobId: string) {
  const { workflow_id: workflowId } = await db('jobs').where({ id: jobId }).first('workflow_id')
  const handle = operator.client.workflow.getHandle(workflowId)
  const { runId } = await until('the run is there', () => handle.describe().catch(() => undefined))
  return { handle, workflowId, runId }
}

async function retried({ tenant, jobId, wrong }: Held): Promise<void> {
  expect((await tenant.post(`/api/v1/jobs/${jobId}/retry`)).status).toBe(202)
  expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed' })
  expect(await wrong()).toEqual([])
}

describe.each([
  ['a bulk', bulk],
  ['a transfer', transfer],
  ['a refresh', refresh],
  ['a change of data', change],
  ['an extract', extract],
  ['a delivery', delivery],
])('%s', (_, begin) => {
  test.concurrent('whose run is terminated ends Failed and says so; a retry does the rest', async () => {
    const held = await begin()
    const { tenant, jobId, release } = held
    await (await runOf(jobId)).handle.terminate('enough')
    await age(jobId)
    expect(await ended(tenant, jobId)).toMatchObject({
      status: 'Failed',
      problem: { type: '/problems/run-ended', detail: expect.stringContaining('terminated') },
    })
    // The step that was held comes to its end beside those of the retry.
    await Promise.all([release(), retried(held)])
  })

  test.concurrent('whose run is cancelled ends Cancelled; a retry does the rest', async () => {
    const held = await begin()
    const { tenant, jobId, release } = held
    await (await runOf(jobId)).handle.cancel()
    expect(await ended(tenant, jobId)).toMatchObject({ status: 'Cancelled' })
    await Promise.all([release(), retried(held)])
  })

  test.concurrent('whose run is reset to its beginning goes on where it was, and ends Completed', async () => {
    const { tenant, jobId, release, wrong } = await begin()
    const { handle, workflowId, runId } = await runOf(jobId)
    // Of a run whose steps are local activities, the first task ends when it has shown a sign of life.
    const completed = await until('a task of the workflow is completed', async () => {
      const { events } = await handle.fetchHistory()
      return events?.find(each => each.workflowTaskCompletedEventAttributes)
    })
    await operator.client.workflowService.resetWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId, runId },
      workflowTaskFinishEventId: completed.eventId ?? null,
      requestId: randomUUID(),
      reason: 'an operator said so',
    })
    await release()
    expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed' })
    expect(await wrong()).toEqual([])
  })
})

test('a job that is terminated before its first step is not started again, and ends Failed', async () => {
  const { tenant, jobId, release } = await extract()
  const { handle } = await runOf(jobId)
  await handle.terminate('enough')
  await db('jobs')
    .where({ id: jobId })
    .update({ accepted_at: new Date(Date.now() - 60_000) })
  await until('the run is noted', async () => (await db('jobs').where({ id: jobId }).first('started_at')).started_at)
  expect((await handle.describe()).status.name).toBe('TERMINATED')
  await age(jobId)
  expect(await ended(tenant, jobId)).toMatchObject({ status: 'Failed', problem: { type: '/problems/run-ended' } })
  await release()
})
