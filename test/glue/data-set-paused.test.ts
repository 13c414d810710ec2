// Data sets whose schedule is paused.
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type ScriptedProvider, scriptedGlue, scriptedProvider } from '../support/data-sets.js'
import { dataTenant } from '../support/factories.js'
import { temporalClient } from '../support/jobs.js'

let provider: ScriptedProvider
let temporal: Awaited<ReturnType<typeof temporalClient>>
beforeAll(async () => {
  provider = await scriptedProvider()
  temporal = await temporalClient(inject('temporalAddress'), inject('encryptionKey'))
})
afterAll(async () => {
  await temporal?.close()
  await provider?.stop()
})

test('a paused data set is refreshed when somebody asks for it, and by its schedule only once it is resumed', async () => {
  provider.says(() => ({ dataPoints: [], next: null }))
  const glue = scriptedGlue(provider.url)
  const dataExtracts = glue.dataExtracts.map(extract => ({ ...extract, refreshSeconds: 86_400 }))
  const tenant = await dataTenant({ ...glue, dataExtracts }, [])
  const { tenantKey } = tenant
  const pausedAt = async () => (await tenant.get<{ PausedAt?: string }[]>('/api/v1/dataSet')).body[0]?.PausedAt
  let runs = 0
  /** Does what the schedule does when the data set is due. */
  const due = () =>
    temporal.client.workflow.execute('scheduledRefresh', {
      taskQueue: 'background',
      workflowId: `${tenantKey}/due/${++runs}`,
      args: [{ tenantKey, dataExtractKey: 'register' }],
    })
  const change = (action: string) => tenant.post(`/api/v1/dataSet/register/${action}`)

  expect(await change('pause')).toMatchObject({ status: 204 })
  const since = await pausedAt()
  expect(since).toBeDefined()
  await change('pause')
  expect(await pausedAt()).toBe(since)
  expect(await due()).toBeFalsy()
  expect(await change('refresh')).toMatchObject({ status: 200 })

  expect(await change('resume')).toMatchObject({ status: 204 })
  expect(await pausedAt()).toBeUndefined()
  expect(await due()).toMatchObject({ job: expect.stringContaining('/api/v1/jobs/') })
  expect(await tenant.post('/api/v1/dataSet/nothing/pause')).toMatchObject({ status: 404 })
})
