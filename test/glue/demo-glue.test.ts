// The demo's glue.
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { dataPointOf, type Vaccination } from '../../dev/provider/vaccinations.js'
import { type Api, admin, api, type Tenant } from '../support/api.js'
import {
  type DataPoint,
  expectedRows,
  startProvider,
  type TestProvider,
  vaccinationTenant,
} from '../support/provider.js'

let provider: TestProvider
let tenant: Tenant
let program: Api
let person: string
let rows: Vaccination[]

beforeAll(async () => {
  provider = await startProvider({ people: 10, doses: 5 })
  tenant = await vaccinationTenant(provider)
  program = await tenant.client([], ['GlueRuntimeApi'])
  person = provider.people[3] ?? ''
  rows = provider.vaccinations.of(person)
})
afterAll(() => provider?.stop())

const path = (endpointKey: string) => `/glue/${tenant.tenantKey}/${endpointKey}`
const routine = { programme: { name: 'routine' } }

interface Page {
  dataPoints: DataPoint[]
  next?: string
}

test('the demo’s endpoint for a subject answers its data points, of the programme that the options name', async () => {
  const ask = async (options: object) =>
    (await program.post(path('vaccinations-of-subject'), { subjectIdentifier: person, options })).body
  const ofProgramme = rows.filter(({ programme }) => programme === 'routine')
  expect(await ask(routine)).toEqual({ dataPoints: ofProgramme.map(dataPointOf) })
  expect(await ask({})).toEqual({ dataPoints: rows.map(dataPointOf) })
})

test('the demo’s endpoint for pages answers those of all subjects, page after page', async () => {
  const pages: Page[] = []
  for (let cursor: string | null | undefined = null; cursor !== undefined; cursor = pages.at(-1)?.next) {
    const { status, body } = await program.post<Page>(path('vaccinations-page'), {
      cursor,
      pageSize: 7,
      options: routine,
    })
    expect(status).toBe(200)
    pages.push(body)
  }
  expect(pages.flatMap(({ dataPoints }) => dataPoints)).toEqual(expectedRows(provider))
  expect(pages.slice(0, -1).map(({ dataPoints }) => dataPoints.length)).toEqual(pages.slice(1).map(() => 7))
})

describe('the demo’s vaccination card', () => {
  let key: string
  const card = (query: string, given = key) =>
    api(inject('baseUrl'), '').get(`${path('vaccination-card')}${query}`, { 'x-api-key': given })

  beforeAll(async () => {
    const keys = `/admin/v1/tenants/${tenant.tenantKey}/endpoints/vaccination-card/apiKeys`
    key = (await (await admin(inject('baseUrl'))).post<{ key: string }>(keys, { name: 'portal' })).body.key
  })

  test('shows with an API key what one person has had, the latest first', async () => {
    const shown = rows.map(({ date, vaccine, dose }) => ({ date, vaccine, dose }))
    const latestFirst = shown.toSorted((a, b) => (a.date < b.date ? 1 : -1))
    expect(await card(`?nationalId=${person}`)).toMatchObject({ status: 200, body: latestFirst })
    expect(await card('?nationalId=nobody')).toMatchObject({ status: 200, body: [] })
    expect((await card(`?nationalId=${person}`, 'wrong')).status).toBe(401)
  })

  test('shows nothing if no person is named', async () => {
    expect(await card('')).toMatchObject({ status: 400, body: { errors: [{ pointer: '/query/nationalId' }] } })
    expect(await card('?nationalId=')).toMatchObject({ status: 502, body: { type: '/problems/provider-failed' } })
  })
})
