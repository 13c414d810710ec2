// The demo provider.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { demoProviderClient } from '../../dev/demo-glue.js'
import type { Vaccination, VaccinationPage } from '../../dev/provider/vaccinations.js'
import { api } from '../support/api.js'
import { startProvider, type TestProvider } from '../support/provider.js'

const path = '/vaccinations'
let provider: TestProvider

beforeAll(async () => {
  provider = await startProvider({ people: 30, doses: 4 })
})
afterAll(() => provider.stop())
beforeEach(() => provider.tell({}))

/** A client with a token of this scope, as a program of the platform would be. */
async function client(scope: string, secret = demoProviderClient.secret) {
  const form = { grant_type: 'client_credentials', client_id: demoProviderClient.id, client_secret: secret, scope }
  const answer = await fetch(`${provider.url}/token`, { method: 'POST', body: new URLSearchParams(form) })
  const body = (await answer.json()) as { access_token?: string; expires_in?: number; error?: string }
  return { ...api(provider.url, body.access_token ?? ''), status: answer.status, body }
}

/** The statuses of so many calls, `cut off` where there was none. */
async function statuses(calls: number): Promise<(number | string)[]> {
  const { get } = await client('vaccinations')
  const seen: (number | string)[] = []
  for (let n = 0; n < calls; n++)
    seen.push(
      await get(`${path}?size=1`).then(
        ({ status }) => status,
        () => 'cut off',
      ),
    )
  return seen
}

describe('authorization', () => {
  test('a token is given for the secret, and lives as long as the provider is told', async () => {
    expect((await client('vaccinations')).body).toMatchObject({ expires_in: 600, scope: 'vaccinations' })
    provider.tell({ tokenSeconds: 1 })
    expect((await client('vaccinations')).body).toMatchObject({ expires_in: 1 })
    expect(await client('vaccinations', 'a wrong secret')).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    })
  })

  test('rows are given for a token of the provider only, and control needs its own scope', async () => {
    const reader = await client('vaccinations')
    const asked = await Promise.all([
      api(provider.url, '').get(path),
      api(provider.url, 'no-token').get(path),
      reader.get(path),
      reader.put('/behaviour', { failRate: 1 }),
      reader.delete(`${path}/${provider.people[0]}-1`),
    ])
    expect(asked.map(({ status }) => status)).toEqual([401, 401, 200, 403, 403])
    expect(await statuses(1)).toEqual([200])
  })

  test('forgotten tokens are refused', async () => {
    const reader = await client('vaccinations')
    provider.forgetTokens()
    expect(await reader.get(path)).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
  })
})

describe('rows', () => {
  const ofPerson = async (query: string) => (await client('vaccinations')).get<VaccinationPage>(`${path}/of?${query}`)

  async function readAll(query: string): Promise<Vaccination[]> {
    const { get } = await client('vaccinations')
    const rows: Vaccination[] = []
    let cursor: string | undefined = ''
    while (cursor !== undefined) {
      const { status, body }: { status: number; body: VaccinationPage } = await get(`${path}?${query}&cursor=${cursor}`)
      expect(status).toBe(200)
      rows.push(...body.rows)
      cursor = body.next
    }
    return rows
  }

  test.each([1, 7, 120, 1000])('pages of %i hold every row once', async size => {
    expect(await readAll(`size=${size}`)).toEqual(provider.vaccinations.all())
    expect(provider.vaccinations.all()).toHaveLength(120)
  })

  test('of a programme, and of a person, who must be named', async () => {
    const [first = ''] = provider.people
    const ofFirst = provider.vaccinations.all().filter(row => row.nationalId === first)
    expect(await readAll('size=11&programme=routine')).toEqual(provider.vaccinations.all('routine'))
    const ofTravel = ofFirst.filter(({ programme }) => programme === 'travel')
    expect((await ofPerson(`nationalId=${first}`)).body).toEqual({ rows: ofFirst })
    expect((await ofPerson(`nationalId=${first}&programme=travel`)).body).toEqual({ rows: ofTravel })
    expect((await ofPerson('nationalId=nobody')).body).toEqual({ rows: [] })
    expect(await ofPerson('nationalId=')).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  })

  test.each(['size=0', 'size=1001', 'size=many', 'cursor=damaged'])('%s is refused', async query => {
    const { get } = await client('vaccinations')
    expect(await get(`${path}?${query}`)).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  })

  test('rows that are added, changed and deleted show at once; anything else is refused', async () => {
    const { put, delete: remove, get } = await client('vaccinations control')
    const { id, ...row }: Vaccination = provider.vaccinations.all()[0] ?? expect.unreachable()
    const before = provider.vaccinations.of(row.nationalId)
    const rows = async () => (await get<VaccinationPage>(`${path}/of?nationalId=${row.nationalId}`)).body.rows
    expect(await put(`${path}/${id}-new`, { ...row, lot: 'X1' })).toMatchObject({ status: 204 })
    expect(await put(`${path}/${id}-new`, { ...row, lot: 'X2' })).toMatchObject({ status: 204 })
    expect(await put(`${path}/${id}-other`, { ...row, dose: 'two' })).toMatchObject({ status: 400 })
    expect(await rows()).toEqual([before[0], { id: `${id}-new`, ...row, lot: 'X2' }, ...before.slice(1)])
    expect(await remove(`${path}/${id}-new`)).toMatchObject({ status: 204 })
    expect(await remove(`${path}/${id}-new`)).toMatchObject({ status: 404 })
    expect(await rows()).toEqual(before)
  })
})

describe('it does as it is told', () => {
  test('a share of the calls fails, the same in every run', async () => {
    provider.tell({ failRate: 0.3, dropRate: 0.2, seed: 7 })
    const first = await statuses(40)
    provider.tell({ failRate: 0.3, dropRate: 0.2, seed: 7 })
    expect(await statuses(40)).toEqual(first)
    expect(new Set(first)).toEqual(new Set([200, 503, 'cut off']))
  })

  test('the next calls fail with a status and when to come again', async () => {
    provider.tell({ failNext: 2, failStatus: 500, retryAfterSeconds: 9 })
    const { get } = await client('vaccinations')
    expect((await get(path)).headers.get('retry-after')).toBe('9')
    expect(await statuses(2)).toEqual([500, 200])
  })

  test('calls above its rate get 429 with Retry-After', async () => {
    provider.tell({ requestsPerSecond: 2 })
    const { get } = await client('vaccinations')
    const answers = await Promise.all([get(path), get(path), get(path)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429])
    expect(answers.map(({ headers }) => headers.get('retry-after'))).toContain('1')
  })

  test('the token endpoint fails when it is told to', async () => {
    provider.tell({ failRate: 1, failStatus: 500, tokens: true })
    expect(await client('vaccinations')).toMatchObject({ status: 500 })
  })

  test('rows are broken, in their own shape and as data points', async () => {
    const [row] = provider.vaccinations.all()
    provider.tell({ brokenRows: { [row?.id ?? '']: { id: 5 } } })
    const { get } = await client('vaccinations')
    expect((await get(`${path}?size=1`)).body).toMatchObject({ rows: [{ id: 5 }] })
    expect((await get(`${path}?size=1&as=dataPoints`)).body).toMatchObject({ dataPoints: [{ id: 5 }] })
  })

  test.each([
    [{ notJson: true }, { status: 200, body: expect.stringContaining('<!doctype html>') }],
    [{ hugeMb: 2 }, { status: 200, body: { rows: [], padding: expect.stringMatching(/^x{2097152}$/) } }],
    [{ slowMs: 20 }, { status: 200 }],
  ])('%j', async (behaviour, answer) => {
    provider.tell(behaviour)
    expect(await (await client('vaccinations')).get(path)).toMatchObject(answer)
  })

  test('it sends elsewhere, and it hangs', async () => {
    const { token } = await client('vaccinations')
    const ask = (more: RequestInit) =>
      fetch(`${provider.url}${path}`, { headers: { authorization: `Bearer ${token}` }, ...more })
    provider.tell({ redirectTo: 'http://127.0.0.1:1/elsewhere' })
    expect((await ask({ redirect: 'manual' })).headers.get('location')).toBe('http://127.0.0.1:1/elsewhere')
    provider.tell({ hang: true })
    await expect(ask({ signal: AbortSignal.timeout(100) })).rejects.toThrow(/timeout/)
  })

  test('an unknown or impossible behaviour is refused, and changes nothing', async () => {
    const { put, get } = await client('control')
    await put('/behaviour', { slowMs: 1 })
    expect(await put('/behaviour', { failRate: 2 })).toMatchObject({ status: 400 })
    expect(await put('/behaviour', { failsRate: 0.5 })).toMatchObject({ status: 400 })
    expect((await get('/behaviour')).body).toEqual({ slowMs: 1 })
  })

  test('it counts calls by route and outcome, and how many were under way at once', async () => {
    const { get } = await client('vaccinations')
    provider.resetStatistics()
    provider.tell({ slowMs: 500 })
    await Promise.all([get(path), get(path), get(path)])
    provider.tell({ failNext: 1 })
    await get(path)
    expect(provider.statistics()).toEqual({
      calls: { 'GET /vaccinations': { 200: 3, 503: 1 } },
      inFlight: 0,
      maxInFlight: 3,
    })
  })
})
