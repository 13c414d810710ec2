// How the refreshes of a data set have ended.
import { afterAll, expect, test } from 'vitest'
import { gate, refreshed, refreshPath, scriptedGlue, scriptedProvider } from '../support/data-sets.js'
import { dataTenant, point } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import type { Page } from '../support/frame.js'

const provider = await scriptedProvider()
const tenant = await dataTenant(scriptedGlue(provider.url, { extracts: { routine: {}, seasonal: {} } }), ['ada'])
afterAll(() => provider.stop())

interface DataSet {
  Key: string
  RefreshJobId?: string
  LastOutcome?: { JobId: string; Status: string; FinishedAt: string; Problem?: object }
}

async function dataSet(key = 'routine'): Promise<DataSet | undefined> {
  const { body } = await tenant.get<DataSet[]>('/api/v1/dataSet')
  return body.find(({ Key }) => Key === key)
}

const jobsOf = async (...keys: string[]) => {
  const query = keys.map(key => `&DataSet=${key}`).join('')
  const { status, body } = await tenant.get<Page<JobBody>>(`/api/v1/jobs?First=100${query}`)
  expect(status).toBe(200)
  return body.Edges.map(({ Node }) => Node)
}

test('a data set has the outcome of its newest refresh that has ended', async () => {
  expect(await dataSet()).not.toHaveProperty('LastOutcome')
  provider.says(() => ({ dataPoints: [point('a', 'ada')] }))
  await refreshed(tenant, 'routine')
  const completed = (await dataSet())?.LastOutcome
  expect(completed).toEqual({
    JobId: expect.any(String),
    Status: 'Completed',
    FinishedAt: expect.stringMatching(/^\d{4}-.*Z$/),
  })
  provider.says(() => ({ status: 404 }))
  expect((await tenant.post(refreshPath('routine'))).status).toBe(502)
  const failed = (await dataSet())?.LastOutcome
  expect(failed).toMatchObject({ Status: 'Failed', Problem: { type: '/problems/provider-failed', status: 502 } })
  expect(failed?.JobId).not.toBe(completed?.JobId)
  expect(await dataSet('seasonal')).not.toHaveProperty('LastOutcome')

  const door = gate()
  provider.says(async () => {
    door.arrive()
    await door.passed
    return { dataPoints: [] }
  })
  const { body: job } = await tenant.post<JobBody>(refreshPath('routine'), undefined, { prefer: 'respond-async' })
  await door.reached
  expect(await dataSet()).toMatchObject({ RefreshJobId: job.jobId, LastOutcome: failed })
  await tenant.post(`/api/v1/jobs/${job.jobId}/cancel`)
  await ended(tenant, job.jobId)
  door.open()
  expect((await dataSet())?.LastOutcome).toMatchObject({ JobId: job.jobId, Status: 'Cancelled' })
})

test('jobs are listed by data set', async () => {
  provider.says(() => ({ dataPoints: [] }))
  await refreshed(tenant, 'seasonal')
  const [routine, seasonal] = [await jobsOf('routine'), await jobsOf('seasonal')]
  expect(routine.map(({ status }) => status)).toEqual(['Cancelled', 'Failed', 'Completed'])
  expect(seasonal).toMatchObject([
    { kind: 'dataSetRefresh', status: 'Completed', input: { dataExtractKey: 'seasonal' } },
  ])
  expect(await jobsOf('routine', 'seasonal')).toEqual([...seasonal, ...routine])
  expect(await jobsOf('ROUTINE')).toEqual([])
  expect((await tenant.get<Page<JobBody>>('/api/v1/jobs?DataSet=routine&Status=Failed')).body.Edges).toHaveLength(1)
})
