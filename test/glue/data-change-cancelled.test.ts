// Cancelled data changes.
import { afterAll, expect, test } from 'vitest'
import {
  type ChangeAnswer,
  changePaths,
  gate,
  type RowsBody,
  refreshed,
  rowsPath,
  scriptedGlue,
  scriptedProvider,
} from '../support/data-sets.js'
import { dataTenant } from '../support/factories.js'
import { ended } from '../support/faults.js'

const provider = await scriptedProvider()
afterAll(() => provider.stop())

test('readers do not wait for a change whose job is cancelled', async () => {
  const glue = scriptedGlue(provider.url, { by: ['subject'], extracts: { register: { of: 'all' } } })
  const tenant = await dataTenant(glue, ['ada'])
  provider.says(() => ({ dataPoints: [] }))
  await refreshed(tenant)

  const door = gate()
  provider.says(async () => {
    door.arrive()
    await door.passed
    return { dataPoints: [] }
  })
  const change = { SubjectIdentifier: 'ada', DataExtractsOptionsValuesFilter: { of: 'all' } }
  const { body } = await tenant.provider.post<ChangeAnswer>(changePaths.created, change)
  await door.reached
  // The provider's client reads the job of its own change.
  expect(await tenant.provider.get(`/api/v1/jobs/${body.JobId}`)).toMatchObject({ body: { jobId: body.JobId } })
  expect((await tenant.provider.get('/api/v1/jobs')).status).toBe(403)
  const number = body.Generations.register ?? 0
  const generation = async () => (await tenant.get<RowsBody>(rowsPath())).body.Generation
  expect(await generation()).toBeLessThan(number)
  expect((await tenant.post(`/api/v1/jobs/${body.JobId}/cancel`)).status).toBe(202)
  expect(await ended(tenant, body.JobId ?? '')).toMatchObject({ status: 'Cancelled' })
  door.open()
  expect(await generation()).toBe(number)
})
