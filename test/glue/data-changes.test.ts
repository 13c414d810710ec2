import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Tenant } from '../support/api.js'
import { ended } from '../support/jobs.js'
import { type DataPoint, expectedRows, readRows, startProvider, type TestProvider, vaccinationTenant } from '../support/provider.js'

let provider: TestProvider
let tenant: Tenant
const created = '/glue-dataprovider/api/v1/dataChange/creationOrUpdate'
const removed = '/glue-dataprovider/api/v1/dataChange/removal'
const filter = { 'programme.name': 'routine' }

interface Answered {
  JobId: string | null
  Status: string
  MatchedDataExtracts: string[]
  AffectedDataPoints: number
  Generations: Record<string, number>
  Explanation?: unknown
}

beforeAll(async () => {
  provider = await startProvider({ people: 10, doses: 3 })
  tenant = await vaccinationTenant(provider)
  expect((await tenant.post('/api/v1/dataSet/vaccinations/refresh')).status).toBe(200)
})
afterAll(() => provider?.stop())

const rowsOf = (nationalId: string, rows: DataPoint[]) => rows.filter(row => row.SubjectIdentifier === nationalId)

test('a pushed point is readable at once, and the subject is fetched again: what the provider has wins', async () => {
  const [nationalId = ''] = provider.people
  const [row] = rowsOf(nationalId, expectedRows(provider))
  if (!row) throw new Error('No row')
  const pushed = { ...row, DataPointItems: [{ Key: 'lot', Value: { DataType: 'String', Value: 'pushed' } }] }
  provider.tell({ slowMs: 1500 })
  const { status, body } = await tenant.post<Answered>(created, {
    SubjectIdentifier: nationalId,
    DataExtractsOptionsValuesFilter: filter,
    NewOrUpdatedDataPoints: [pushed],
  })
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { Status: 'Refreshing', MatchedDataExtracts: ['vaccinations'], AffectedDataPoints: 1 },
  })
  expect(rowsOf(nationalId, await readRows(tenant))).toContainEqual(expect.objectContaining(pushed))
  provider.tell({})
  const generation = body.Generations.vaccinations
  const waited = await tenant.get<{ Generation: number }>(
    `/api/v1/dataSet/vaccinations/rows?SubjectIdentifier=${nationalId}&minGeneration=${generation}`,
  )
  expect(waited.body.Generation).toBeGreaterThanOrEqual(generation ?? 0)
  expect(rowsOf(nationalId, await readRows(tenant))).toMatchObject(rowsOf(nationalId, expectedRows(provider)))
  expect(await ended(tenant, body.JobId ?? '')).toMatchObject({ kind: 'dataChange', status: 'Completed' })
})
