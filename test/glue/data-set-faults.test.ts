// Random faults of answers. A thousand refreshes: test/long/data-set-faults.test.ts.
import { afterAll, expect, test } from 'vitest'
import { faultyGlue, faultySubjects, faultyTable, refreshWithFaults } from '../support/answer-faults.js'
import { gate, points, refreshed, refreshPath, scriptedProvider } from '../support/data-sets.js'
import { dataTenant, point } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { randomOf } from '../support/random.js'

const provider = await scriptedProvider()
afterAll(() => provider.stop())

test('no faulty answer changes the visible rows without a named fault', async () => {
  const random = randomOf(Number(process.env.FAULT_SEED ?? 1))
  const table = faultyTable(random)
  provider.says(table.answer)
  const tenant = await dataTenant(faultyGlue(provider.url, 0), faultySubjects)
  await refreshed(tenant)
  const tally = await refreshWithFaults(tenant, table, random, 20)
  expect(Object.keys(tally).length).toBeGreaterThan(5)
}, 180_000)

test('pages that shift fail the refresh with their totals; a request that came meanwhile has a round of its own', async () => {
  const rows = Array.from({ length: 8 }, (_, n) => point(`r${n}`, 'ada'))
  /** Pages of two; `totals` are what they say. */
  const paged = (totals: number[], cursor: string | null | undefined) => {
    const from = Number(cursor ?? 0)
    const next = from + 2 < rows.length ? { next: String(from + 2) } : {}
    return { dataPoints: rows.slice(from, from + 2), total: totals[from / 2], ...next }
  }
  const tenant = await dataTenant(faultyGlue(provider.url, 0), ['ada'])
  provider.says(({ cursor }) => paged([8, 8, 8, 8], cursor))
  await refreshed(tenant)
  for (const [totals, detail] of [
    [[8, 7, 7, 7], 'said first that there are 8 rows, and then 7'],
    [[9, 9, 9, 9], 'says that there are 9 rows, and its pages have 8'],
  ] as const) {
    provider.says(({ cursor }) => paged([...totals], cursor))
    const answer = await tenant.post(refreshPath())
    expect(answer).toMatchObject({
      status: 502,
      body: { type: '/problems/pages-drifted', detail: expect.stringContaining(detail) },
    })
    provider.says(({ cursor }) => paged([8, 8, 8, 8], cursor))
    const before = provider.questions.length
    const job = answer.headers.get('location') ?? ''
    expect(await tenant.post(`${job}/retry`)).toMatchObject({ status: 202 })
    expect(await ended(tenant, job.split('/').at(-1) ?? '')).toMatchObject({ status: 'Completed', counts: { rows: 8 } })
    expect(provider.questions.slice(before).map(({ cursor }) => cursor)).toEqual([null, '2', '4', '6'])
  }
  provider.says(() => ({ dataPoints: rows }))
  expect(await tenant.post(refreshPath())).toMatchObject({
    status: 502,
    body: { type: '/problems/provider-answer', errors: [{ pointer: '/total', code: 'wrong-type' }] },
  })
  expect(await points(tenant)).toEqual(rows)

  const door = gate()
  let rounds = 0
  const asked = provider.questions.length
  provider.says(async ({ cursor }) => {
    if (!cursor) rounds++
    if (rounds > 1) return paged([8, 8, 8, 8], cursor)
    if (cursor === '2') {
      door.arrive()
      await door.passed
    }
    return paged([8, 7, 7, 7], cursor)
  })
  const { body: job } = await tenant.post<JobBody>(refreshPath(), undefined, { prefer: 'respond-async' })
  await door.reached
  await tenant.post(refreshPath(), undefined, { prefer: 'respond-async' })
  door.open()
  expect(await ended(tenant, job.jobId)).toMatchObject({ status: 'Completed', counts: { rows: 8 } })
  expect({ rounds, rows: await points(tenant) }).toEqual({ rounds: 2, rows })
  const lastPages = provider.questions.slice(asked).filter(({ cursor }) => cursor === '6')
  expect(lastPages, 'the pages behind a dropped round are not asked for').toHaveLength(1)
})
