// What operators do to a run in the Temporal UI, in the middle of it: Terminate, Cancel and Reset, for each shape of job.
import { afterAll, describe, expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { chunkItems } from '../../db/jobs/chunks.js'
import type { Api } from '../support/api.js'
import { changePaths, gate, points, refreshPath, scriptedGlue, scriptedProvider } from '../support/data-sets.js'
import { recordingProvider } from '../support/endpoints.js'
import { holdExtracts } from '../support/extract-rows.js'
import { type ExtractBody, extractPath } from '../support/extracts.js'
import {
  aSmallTemplate,
  dataTenant,
  formAsked,
  glueTenant,
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
import { operatorOf } from '../support/operators.js'
import { differences } from '../support/transfer-faults.js'
import { startTransfer } from '../support/transfers.js'
import { until } from '../support/until.js'

const db = connect(inject('databaseUrl'), { poolSize: 8 })
const stops: (() => Promise<void>)[] = []
const operator = await temporalClient(inject('temporalAddress'), inject('encryptionKey'))
const { age, reset, resetRun, runOf } = operatorOf(operator.client, db)
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
    await reset(jobId)
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

describe('a run of an endpoint', () => {
  /** A run whose second call is under way, and the answer that its caller waits for. */
  async function called() {
    const { passed, open, reached, arrive } = gate()
    const provider = await recordingProvider(async ({ path }) => {
      if (path === '/two') {
        arrive()
        await passed
      }
      return { body: { at: path } }
    })
    stops.push(provider.stop)
    const steps = ['one', 'two'].map(name => ({ name, httpRequest: { provider: 'p', url: name } }))
    const tenant = await glueTenant({
      providers: [{ key: 'p', url: provider.url }],
      endpoints: [{ key: 'e', steps: [...steps, { name: 'end', respond: { expression: 'steps.two.body' } }] }],
    })
    const answer = tenant.call('e')
    await reached
    const query = `TenantKey = '${tenant.tenantKey}' AND JobKind = 'glueEndpoint'`
    const run = await until('the run is seen', async () => {
      for await (const each of operator.client.workflow.list({ query })) return each
      return undefined
    })
    return { answer, run, handle: operator.client.workflow.getHandle(run.workflowId), release: open, provider }
  }
  const runEnded = { status: 500, body: { type: '/problems/run-ended' } }

  test.concurrent.each(['terminate', 'cancel'] as const)('that gets %s answers its caller so', async how => {
    const { answer, handle, release } = await called()
    await handle[how]()
    expect(await answer).toMatchObject(runEnded)
    release()
  })

  test.concurrent('that is reset comes to its end, and its caller has its answer or is told that it was ended', async () => {
    const { answer, handle, run, release, provider } = await called()
    await resetRun(run.workflowId, run.runId)
    release()
    // Two outcomes race: that of the run that the reset has ended, and that of the new one.
    expect([200, 500]).toContain((await answer).status)
    expect(await handle.result()).toMatchObject({ status: 200, body: { json: { at: '/two' } } })
    expect(provider.seen.map(({ path }) => path)).toContain('/two')
  })
})
