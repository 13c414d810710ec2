// Readers beside refreshes.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import {
  points,
  type RowsBody,
  refreshed,
  refreshPath,
  rowsPath,
  scriptedGlue,
  scriptedProvider,
} from '../support/data-sets.js'
import { dataTenant, openDatabase, type Point, point } from '../support/factories.js'
import { until } from '../support/until.js'

const provider = await scriptedProvider()
const people = ['ada', 'bob', 'cyd']
const db = openDatabase()
const tenant = await dataTenant(scriptedGlue(provider.url, { pageSize: 10 }), people)
afterAll(() => provider.stop())

/** Forty rows of a time: half of them are of that time only. */
const rowsAt = (time: number): Point[] =>
  Array.from({ length: 40 }, (_, n) => {
    const id = String(n).padStart(2, '0')
    return point(n % 2 ? `${id}-of-${time}` : id, people[n % 3] ?? '', `at ${time}`)
  })

/** Says the rows of a time in pages of ten, each after a while. */
const slowly = (time: () => number) =>
  provider.says(async ({ cursor }) => {
    await sleep(30)
    const [at = time(), from = 0] = cursor ? JSON.parse(cursor) : []
    const next = from + 10 < 40 ? JSON.stringify([at, from + 10]) : null
    return { dataPoints: rowsAt(at).slice(from, from + 10), next }
  })

/** All rows, read in small pages; undefined where the reader is told to begin again. */
async function read(): Promise<{ rows: Point[]; asOf: Set<string | null> } | undefined> {
  const rows: Point[] = []
  const asOf = new Set<string | null>()
  for (let after = ''; ; ) {
    const { status, body } = await tenant.get<RowsBody>(`${rowsPath()}?First=7${after}`)
    if (status === 400) {
      expect(body).toMatchObject({
        type: '/problems/foreign-cursor',
        detail: expect.stringContaining('was refreshed in the meantime'),
      })
      return undefined
    }
    expect(status).toBe(200)
    asOf.add(body.AsOf)
    expect(body.PageInfo.TotalCount).toBe(40)
    rows.push(...body.Edges.map(({ Node: { SubjectId, ...row } }) => row))
    if (!body.PageInfo.HasNextPage) return { rows: rows.sort((a, b) => (a.Id < b.Id ? -1 : 1)), asOf }
    after = `&After=${body.PageInfo.EndCursor}`
  }
}

test('readers see the rows of one refresh, never of two, while others run and the data changes', async () => {
  let time = 0
  slowly(() => time)
  await refreshed(tenant)
  let done = false
  const seen = new Set<string>()
  // Each is seen by one reader, while the others are in the middle of theirs: then the next one begins.
  const refreshes = (async () => {
    for (time = 1; time <= 4; time++) {
      await refreshed(tenant)
      await until('a reader has seen the refresh', async () => seen.has(`at ${time}`))
    }
    done = true
  })()
  let told = 0
  const reader = async () => {
    while (!done) {
      const found = await read()
      if (!found) {
        told++
        continue
      }
      const value = String(found.rows[0]?.DataPointItems[0]?.Value.Value)
      expect(found.rows).toEqual(rowsAt(Number(value.slice('at '.length))))
      expect(found.asOf.size).toBe(1)
      seen.add(value)
    }
  }
  await Promise.all([refreshes, reader(), reader(), reader()])
  expect((await read())?.rows).toEqual(rowsAt(4))
  expect(seen.size).toBeGreaterThanOrEqual(4)
  console.log(`${seen.size} refreshes seen, ${told} readers began again`)
})

test('a page read in one request is never cut by a refresh that ends meanwhile', async () => {
  let time = 100
  slowly(() => time)
  let done = false
  const refreshes = (async () => {
    for (; time < 103; time++) await refreshed(tenant)
    done = true
  })()
  while (!done) {
    const { body } = await tenant.get<RowsBody>(`${rowsPath()}?First=1000`)
    expect(new Set(body.Edges.map(({ Node }) => Node.DataPointItems[0]?.Value.Value)).size).toBe(1)
    expect(body.Edges).toHaveLength(40)
  }
  await refreshes
})

test('replaced rows are deleted, and so are those that failed refreshes have fetched', async () => {
  const { id } = await db('tenants').where({ tenant_key: tenant.tenantKey }).first('id')
  const kept = async () => {
    const rows: { snapshot: number; size: number }[] = await db('data_points')
      .where({ tenant_id: id })
      .groupBy('snapshot')
      .select('snapshot')
      .count({ size: '*' })
    return rows.map(({ size }) => Number(size))
  }
  // A call is answered before the old rows are gone.
  const only = (...sizes: number[]) =>
    until(`${sizes} rows are kept`, async () => (await kept()).sort().join() === sizes.join())
  slowly(() => 7)
  await refreshed(tenant)
  await only(40)
  for (let n = 0; n < 3; n++) {
    provider.says(({ cursor }) => (cursor ? { status: 404 } : { dataPoints: rowsAt(8).slice(0, 10), next: '10' }))
    expect((await tenant.post(refreshPath())).status).toBe(502)
    // The last failed one could be retried: its rows stay until then.
    await only(10, 40)
  }
  slowly(() => 9)
  await refreshed(tenant)
  await only(40)
  expect(await points(tenant)).toEqual(rowsAt(9))
})
