// Failed jobs, late data sets and late exports wait for a human until their cause is gone.
import { afterAll, expect, test } from 'vitest'
import { attentionOf, ownAttention } from '../support/attention.js'
import {
  type ChangeAnswer,
  changePaths,
  refreshed,
  refreshPath,
  scriptedGlue,
  scriptedProvider,
} from '../support/data-sets.js'
import { dataTenant, openDatabase, point } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'

const provider = await scriptedProvider()
const glue = scriptedGlue(provider.url, { by: ['page', 'subject'], extracts: { routine: { of: 'all' } } })
const tenant = await dataTenant(glue, ['ada'])
const other = await dataTenant(scriptedGlue(provider.url, { extracts: { routine: {} } }), ['ada'])
const db = openDatabase()
afterAll(() => provider.stop())

const failing = () => provider.says(() => ({ status: 404 }))
const working = () => provider.says(() => ({ dataPoints: [point('a', 'ada')] }))
const failedRefresh = async () => {
  failing()
  const { status } = await tenant.post(refreshPath('routine'))
  expect(status).toBe(502)
}
const newestJob = async () =>
  (await tenant.get<{ Edges: { Node: JobBody }[] }>('/api/v1/jobs?First=1')).body.Edges[0]?.Node

test('a data set whose refresh has failed waits until a later one succeeds, for its tenant alone', async () => {
  expect(await attentionOf(tenant.tenantKey)).toEqual([])
  await failedRefresh()
  const job = await newestJob()
  const row = {
    tenant: tenant.tenantKey,
    kind: 'data-set',
    subject: 'routine',
    since: job?.finishedAt,
    why: "The data set 'routine' was not refreshed: its last job has failed. The provider answered an error, or cannot be reached.",
    nextStep: `Remove the cause and try again, or cancel the job ${job?.jobId} to wait for the next one.`,
    action: { method: 'POST', path: '/api/v1/dataSet/routine/refresh' },
  }
  expect(await attentionOf(tenant.tenantKey)).toEqual([row])
  expect(await ownAttention(tenant)).toEqual([row])
  expect(await ownAttention(other)).toEqual([])
  // Another failure is the same row.
  await failedRefresh()
  expect(await ownAttention(tenant)).toMatchObject([{ subject: 'routine' }])
  working()
  expect((await tenant.post(row.action.path)).status).toBe(200)
  expect(await ownAttention(tenant)).toEqual([])
})

test('a failed refresh that is cancelled does not wait any more, nor do those before it', async () => {
  await failedRefresh()
  await failedRefresh()
  const job = await newestJob()
  expect(await ownAttention(tenant)).toHaveLength(1)
  const cancelled = await tenant.post<JobBody>(`/api/v1/jobs/${job?.jobId}/cancel`)
  expect(cancelled).toMatchObject({ status: 202, body: { status: 'Cancelled' } })
  expect(await ownAttention(tenant)).toEqual([])
  working()
  expect((await tenant.post(`/api/v1/jobs/${job?.jobId}/retry`)).status).toBe(202)
  expect(await ended(tenant, job?.jobId ?? '')).toMatchObject({ status: 'Completed' })
})

test('a data set that is older than two of its rhythms waits, even if no job has failed', async () => {
  working()
  await refreshed(tenant, 'routine')
  const everyDay = { ...glue, dataExtracts: glue.dataExtracts.map(extract => ({ ...extract, refreshSeconds: 86_400 })) }
  await tenant.change({ glue: everyDay })
  expect(await ownAttention(tenant)).toEqual([])
  const set = db('data_sets').whereIn('tenant_id', db('tenants').where({ tenant_key: tenant.tenantKey }).select('id'))
  const asOf = new Date(Date.now() - 2 * 86_400_000 - 60_000)
  await set.update({ as_of: asOf })
  const row = { kind: 'data-set', subject: 'routine', since: asOf.toISOString() }
  expect(await attentionOf(tenant.tenantKey)).toMatchObject([row])
  // A refresh that fails as well makes no second row.
  await failedRefresh()
  expect(await ownAttention(tenant)).toMatchObject([
    { ...row, why: expect.stringContaining('its last job has failed') },
  ])
  await tenant.change({ glue })
  expect(await ownAttention(tenant)).toMatchObject([{ since: (await newestJob())?.finishedAt }])
  working()
  await refreshed(tenant, 'routine')
  expect(await ownAttention(tenant)).toEqual([])
})

test('a change that could not be fetched waits until its subject is fetched', async () => {
  failing()
  const announced = { SubjectIdentifier: 'ada', DataExtractsOptionsValuesFilter: { of: 'all' } }
  const { body } = await tenant.provider.post<ChangeAnswer>(changePaths.created, announced)
  expect(await ended(tenant, body.JobId ?? '')).toMatchObject({ status: 'Failed' })
  expect(await ownAttention(tenant)).toMatchObject([
    {
      kind: 'failed-job',
      subject: body.JobId,
      why: 'A job of the kind dataChange has failed. The provider answered an error, or cannot be reached.',
      action: { method: 'POST', path: `/api/v1/jobs/${body.JobId}/retry` },
    },
  ])
  working()
  await refreshed(tenant, 'routine')
  expect(await ownAttention(tenant)).toEqual([])
})

test('a client sees the kinds whose lists it may read, and is refused the others', async () => {
  await failedRefresh()
  const [ofJobs, ofData, ofNothing] = await tenant.clients([['List:Job'], ['View:DataSet'], ['List:User']])
  expect(await ownAttention(ofJobs ?? tenant)).toEqual([])
  expect(await ownAttention(ofData ?? tenant)).toMatchObject([{ kind: 'data-set' }])
  expect((await ofJobs?.get('/api/v1/attention?Kind=data-set'))?.status).toBe(403)
  expect((await ofNothing?.get('/api/v1/attention'))?.status).toBe(403)
})
