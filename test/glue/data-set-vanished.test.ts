// Refreshes that would lose most of a data set.
import { afterAll, expect, test } from 'vitest'
import type { Problem } from '../support/api.js'
import { gate, points, refreshed, refreshPath, scriptedGlue, scriptedProvider } from '../support/data-sets.js'
import { dataTenant, type Point, point } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'

const provider = await scriptedProvider()
const { dataExtracts, ...glue } = scriptedGlue(provider.url, { pageSize: 20 })
// By the default of the manifest.
const tenant = await dataTenant(
  { ...glue, dataExtracts: dataExtracts.map(({ mostVanished: _, ...extract }) => extract) },
  ['ada'],
)
afterAll(() => provider.stop())

const rows = (count: number): Point[] =>
  Array.from({ length: count }, (_, n) => point(`r${String(n).padStart(2, '0')}`, 'ada'))

/** The provider has so many rows, on pages of twenty. */
const has = (count: number) =>
  provider.says(({ cursor }) => {
    const from = Number(cursor ?? 0)
    const next = from + 20 < count ? { next: String(from + 20) } : {}
    return { dataPoints: rows(count).slice(from, from + 20), ...next }
  })

async function begin(count: number, of = tenant): Promise<void> {
  has(count)
  expect((await of.post(refreshPath() + everything)).status).toBe(200)
}

const everything = '?MostVanished=100'
const jobOf = ({ headers }: { headers: Headers }) => headers.get('location')?.split('/').at(-1) ?? ''

test('a refresh that would lose more than half of the rows fails with its counts, and the old rows stay', async () => {
  await begin(41)
  has(20)
  const answer = await tenant.post<Problem>(refreshPath())
  expect(answer).toMatchObject({
    status: 502,
    body: {
      type: '/problems/too-many-vanished',
      detail: expect.stringMatching(/sent 20 rows where 41 are visible, so 21 would vanish: more than 50 %/),
    },
  })
  expect(await ended(tenant, jobOf(answer))).toMatchObject({
    status: 'Failed',
    counts: { rows: 20, vanished: 21, unknownSubjects: 0 },
    problem: { type: '/problems/too-many-vanished' },
  })
  expect(await points(tenant)).toEqual(rows(41))
})

test('half of the rows may vanish, and all of fewer than twenty', async () => {
  await begin(40)
  has(20)
  await refreshed(tenant)
  expect(await points(tenant)).toEqual(rows(20))
  await begin(19)
  has(0)
  await refreshed(tenant)
  expect(await points(tenant)).toEqual([])
})

test("a refresh with MostVanished=100 shows the provider's rows, however many are lost", async () => {
  await begin(30)
  has(1)
  expect(await tenant.post(refreshPath() + everything)).toMatchObject({ status: 200, body: { rows: 1 } })
  expect(await points(tenant)).toEqual(rows(1))
})

test('a retry fetches all pages again, and shows them if they are sound or MostVanished allows their loss', async () => {
  await begin(30)
  has(3)
  const failed = jobOf(await tenant.post(refreshPath()))
  const retried = async (query = '') => {
    expect((await tenant.post(`/api/v1/jobs/${failed}/retry${query}`)).status).toBe(202)
    return ended(tenant, failed)
  }
  expect(await retried()).toMatchObject({ status: 'Failed', problem: { type: '/problems/too-many-vanished' } })
  expect(await points(tenant)).toEqual(rows(30))
  expect(await retried(everything)).toMatchObject({ status: 'Completed', input: { mostVanished: 100 } })
  expect(await points(tenant)).toEqual(rows(3))

  await begin(30)
  has(3)
  const again = jobOf(await tenant.post(refreshPath()))
  has(31)
  expect((await tenant.post(`/api/v1/jobs/${again}/retry`)).status).toBe(202)
  expect(await ended(tenant, again)).toMatchObject({ status: 'Completed', counts: { rows: 31 } })
  expect(await points(tenant)).toEqual(rows(31))
})

test('a round that loses too many is begun anew for a request that came meanwhile', async () => {
  await begin(30)
  const door = gate()
  let rounds = 0
  provider.says(async () => {
    if (++rounds > 1) return { dataPoints: rows(30) }
    door.arrive()
    await door.passed
    return { dataPoints: rows(1) }
  })
  const { body: job } = await tenant.post<JobBody>(refreshPath(), undefined, { prefer: 'respond-async' })
  await door.reached
  await tenant.post(refreshPath(), undefined, { prefer: 'respond-async' })
  door.open()
  expect(await ended(tenant, job.jobId)).toMatchObject({ status: 'Completed', counts: { rows: 30 } })
  expect({ rounds, rows: await points(tenant) }).toEqual({ rounds: 2, rows: rows(30) })
})

test('MostVanished of a request that joins a refresh counts too', async () => {
  await begin(30)
  const door = gate()
  provider.says(async () => {
    door.arrive()
    await door.passed
    return { dataPoints: rows(2) }
  })
  const first = tenant.post(refreshPath())
  await door.reached
  const joined = tenant.post(refreshPath() + everything, undefined, { prefer: 'respond-async' })
  expect((await joined).status).toBe(202)
  door.open()
  expect(await first).toMatchObject({ status: 200, body: { rows: 2 } })
})

test('the manifest may allow another percentage of rows to vanish', async () => {
  const strict = await dataTenant(scriptedGlue(provider.url, { pageSize: 20, mostVanished: 10 }), ['ada'])
  await begin(30, strict)
  has(27)
  await refreshed(strict)
  has(24)
  const { body } = await strict.post<Problem>(refreshPath())
  expect(body).toMatchObject({ type: '/problems/too-many-vanished', detail: expect.stringContaining('10 %') })
})

test('an Idempotency-Key cannot be reused with another MostVanished', async () => {
  await begin(30)
  has(1)
  const key = { 'idempotency-key': 'vanished' }
  expect((await tenant.post(refreshPath(), undefined, key)).status).toBe(502)
  expect(await tenant.post(refreshPath() + everything, undefined, key)).toMatchObject({
    status: 422,
    body: { type: '/problems/idempotency-key-reused' },
  })
})

test('MostVanished must be from 0 to 100', async () => {
  expect(await tenant.post(`${refreshPath()}?MostVanished=101`)).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/query/MostVanished' }] },
  })
})
