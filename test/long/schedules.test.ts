// Schedules of data sets.
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { forgetData } from '../../db/glue/data/forgotten-data.js'
import { demoGlue } from '../../dev/demo-glue.js'
import { refreshScheduleId } from '../../workflows/glue/contracts.js'
import { openTemporal } from '../support/jobs.js'
import { expectedRows, readRows, startProvider, type TestProvider, vaccinationTenant } from '../support/provider.js'

let provider: TestProvider
const temporal = await openTemporal()

beforeAll(async () => {
  provider = await startProvider({ people: 5, doses: 2 })
})
afterAll(() => provider?.stop())

const refreshedEvery = (refreshSeconds?: number) => (glue: ReturnType<typeof demoGlue>) => ({
  ...glue,
  dataExtracts: (glue.dataExtracts ?? []).map(extract => ({
    ...extract,
    ...(refreshSeconds === undefined ? {} : { refreshSeconds }),
  })),
})

const slow = { timeout: 60_000, interval: 500 }

test('a data extract with an interval is refreshed by itself, until the interval is removed', async () => {
  const tenant = await vaccinationTenant(provider, { change: refreshedEvery(10) })
  await expect.poll(() => readRows(tenant), slow).toMatchObject(expectedRows(provider))
  const jobs = await tenant.get<{ Edges: { Node: object }[] }>('/api/v1/jobs?kind=dataSetRefresh&first=1')
  expect(jobs.body.Edges[0]?.Node).toMatchObject({ kind: 'dataSetRefresh', actor: 'schedule' })

  const scheduleId = refreshScheduleId({ tenantKey: tenant.tenantKey, dataExtractKey: 'vaccinations' })
  const exists = () =>
    temporal.schedule
      .getHandle(scheduleId)
      .describe()
      .then(
        () => true,
        () => false,
      )
  expect(await exists()).toBe(true)
  const glue = demoGlue(provider.url)
  await tenant.change({ glue: refreshedEvery()(glue) })
  await expect.poll(exists, slow).toBe(false)
})

test('everything of a data extract that the manifest leaves out is deleted', async () => {
  const tenant = await vaccinationTenant(provider)
  expect((await tenant.post('/api/v1/dataSet/vaccinations/refresh')).status).toBe(200)
  const db = connect(inject('databaseUrl'), { poolSize: 1 })
  try {
    const id = (await db('tenants').where({ tenant_key: tenant.tenantKey }).first('id')).id
    const rows = async () => {
      const counts = ['data_points', 'data_sets'].map(table =>
        db(table).where({ tenant_id: id }).count({ n: '*' }).first(),
      )
      return (await Promise.all(counts)).map(count => Number(count?.n))
    }
    await forgetData(db)
    expect(await rows()).toEqual([expectedRows(provider).length, 1])
    await tenant.change({ glue: {} })
    await forgetData(db)
    expect(await rows()).toEqual([0, 0])
    expect((await tenant.get('/api/v1/dataSet/vaccinations/rows')).status).toBe(404)
  } finally {
    await db.destroy()
  }
})
