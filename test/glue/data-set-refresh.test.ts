// Refreshes of data sets.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Tenant } from '../support/api.js'
import { expectedRows, readRows, startProvider, type TestProvider, vaccinationTenant } from '../support/provider.js'

let provider: TestProvider
let tenant: Tenant
const refreshPath = '/api/v1/dataSet/vaccinations/refresh'
const rowsPath = '/api/v1/dataSet/vaccinations/rows'

beforeAll(async () => {
  provider = await startProvider({ people: 40 })
  tenant = await vaccinationTenant(provider, { change: smallPages })
})
afterAll(() => provider?.stop())

/** Pages of seven, so that forty people's rows take many. */
const smallPages = (glue: object & { dataSources?: object[] | undefined }) => ({
  ...glue,
  dataSources: (glue.dataSources ?? []).map(source => ({ ...source, pageSize: 7 })),
})

const byId = <T extends { Id: string }>(rows: T[]) => rows.toSorted((a, b) => (a.Id < b.Id ? -1 : 1))

interface Rows {
  AsOf: string | null
  Generation: number
  Edges: { Node: { Id: string; SubjectId: string; SubjectIdentifier: string } }[]
  PageInfo: { TotalCount: number }
}

test('before its first refresh a data set is empty and has no date', async () => {
  expect((await tenant.get<Rows>(rowsPath)).body).toMatchObject({ AsOf: null, Generation: 0, Edges: [] })
})

test('a refresh makes the rows what the provider has, and the answer counts them', async () => {
  const wanted = byId(expectedRows(provider))
  const before = Date.now()
  const { status, body } = await tenant.post<{ jobId: string; refreshedAt: string; asOf: string }>(refreshPath)
  expect({ status, body }).toMatchObject({ status: 200, body: { rows: wanted.length, unknownSubjects: 0 } })
  expect(Date.parse(body.refreshedAt)).toBeGreaterThanOrEqual(before - 1000)
  expect(Date.parse(body.asOf)).toBeGreaterThanOrEqual(before)
  expect((await tenant.get<Rows>(rowsPath)).body.AsOf).toBe(body.asOf)
  expect((await readRows(tenant)).map(({ Id }) => Id)).toEqual(wanted.map(({ Id }) => Id))
  expect(await readRows(tenant)).toMatchObject(wanted)
})

test('a row that changed at the provider is changed, one that vanished is gone, and a new one is there', async () => {
  const [changed, gone] = provider.vaccinations.all('routine')
  if (!changed || !gone) throw new Error('The provider has too few rows')
  provider.vaccinations.put({ ...changed, lot: 'changed' })
  provider.vaccinations.remove(gone.id)
  expect((await tenant.post(refreshPath)).status).toBe(200)
  const rows = await readRows(tenant)
  expect(rows).toMatchObject(byId(expectedRows(provider)))
  expect(rows).toHaveLength(expectedRows(provider).length)
  expect(rows.some(({ Id }) => Id === gone.id)).toBe(false)
})

test('a provider that answers with Retry-After: 0 is asked again', async () => {
  provider.tell({ failNext: 2, failStatus: 429, retryAfterSeconds: 0 })
  expect((await tenant.post(refreshPath)).status).toBe(200)
  expect(await readRows(tenant)).toMatchObject(byId(expectedRows(provider)))
})

test('two refreshes at the same moment are one job', async () => {
  const answers = await Promise.all(Array.from({ length: 5 }, () => tenant.post<{ jobId: string }>(refreshPath)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  expect(new Set(answers.map(({ body }) => body.jobId)).size).toBe(1)
})

test('rows of one subject are found by its id and by what the provider calls it', async () => {
  const all = await tenant.get<Rows>(`${rowsPath}?first=1`)
  const subjectId = all.body.Edges[0]?.Node.SubjectId ?? ''
  const ofId = await tenant.get<Rows>(`${rowsPath}?SubjectIdentifier=${subjectId}&first=1000`)
  const [row] = ofId.body.Edges
  const ofName = await tenant.get<Rows>(`${rowsPath}?SubjectIdentifier=${row?.Node.SubjectIdentifier}&first=1000`)
  expect(ofName.body.Edges.map(({ Node }) => Node)).toEqual(ofId.body.Edges.map(({ Node }) => Node))
  expect(ofId.body.Edges.every(({ Node }) => Node.SubjectId === subjectId)).toBe(true)
})
