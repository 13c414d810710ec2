// Requests for refreshes.
import { afterAll, expect, inject, test } from 'vitest'
import { api } from '../support/api.js'
import { gate, points, refreshed, refreshPath, rowsPath, scriptedGlue, scriptedProvider } from '../support/data-sets.js'
import { aType, type DataTenant, dataTenant, openDatabase, point } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { until } from '../support/until.js'

const provider = await scriptedProvider()
const db = openDatabase()
const tenant = await dataTenant(scriptedGlue(provider.url), ['ada'])
afterAll(() => provider.stop())

const rows = [point('a', 'ada'), point('b', 'ada')]
const twoPages = ({ cursor }: { cursor?: string | null }) =>
  cursor ? { dataPoints: rows.slice(1) } : { dataPoints: rows.slice(0, 1), next: 'second' }
const asyncly = { prefer: 'respond-async' }

/** Starts a refresh whose provider waits at a gate before its second page. */
async function held(of: DataTenant = tenant) {
  const door = gate()
  provider.says(async question => {
    if (question.cursor) {
      door.arrive()
      await door.passed
    }
    return twoPages(question)
  })
  const { status, body, headers } = await of.post<JobBody>(refreshPath(), undefined, asyncly)
  expect({ status, location: headers.get('location') }).toEqual({ status: 202, location: body.links.self })
  await door.reached
  await until('the first page is written', async () => {
    const { body: job } = await of.get<JobBody>(body.links.self)
    return job.status === 'Running' && job.progress.done === 1
  })
  return { ...door, job: body }
}

test('a refresh that is not waited for answers 202 with its job, which says how far it is', async () => {
  const { job, open } = await held()
  expect(job).toMatchObject({ kind: 'dataSetRefresh', actor: expect.any(String) })
  const listed = await tenant.get<{ Key: string; RefreshJobId?: string }[]>('/api/v1/dataSet')
  expect(listed.body).toMatchObject([{ Key: 'register', RefreshJobId: job.jobId }])
  open()
  expect(await ended(tenant, job.jobId)).toMatchObject({
    status: 'Completed',
    progress: { done: 2, total: 2 },
    counts: { rows: 2, unknownSubjects: 0 },
  })
  expect(await points(tenant)).toEqual(rows)
})

test('a request joins the refresh under way at any moment, also while pages are written', async () => {
  const long = (n: number) => ({ dataPoints: [point(`r${n}`, 'ada')], next: n < 50 ? String(n + 1) : null })
  provider.says(({ cursor }) => long(Number(cursor ?? 0)))
  const waiting = tenant.post<{ jobId: string; rows: number }>(refreshPath())
  let done = false
  waiting.finally(() => {
    done = true
  })
  const joined: JobBody[] = []
  const joining = async () => {
    while (!done) {
      const { status, body } = await tenant.post<JobBody>(refreshPath(), undefined, asyncly)
      expect([200, 202]).toContain(status)
      if (status === 202) joined.push(body)
    }
  }
  await Promise.all([joining(), joining(), joining()])
  const { status, body } = await waiting
  expect({ status, rows: body.rows }).toEqual({ status: 200, rows: 51 })
  const others = new Set(joined.map(({ jobId }) => jobId).filter(jobId => jobId !== body.jobId))
  // Those that came after its end.
  for (const jobId of others)
    expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { rows: 51 } })
  expect(joined.filter(({ jobId }) => jobId === body.jobId).length).toBeGreaterThan(10)
})

test('the same Idempotency-Key answers with the first job, another request with it is refused', async () => {
  provider.says(twoPages)
  const key = { 'idempotency-key': 'nightly' }
  const first = await tenant.post<{ jobId: string }>(refreshPath(), undefined, key)
  const asked = provider.questions.length
  expect(await tenant.post(refreshPath(), undefined, key)).toMatchObject({ status: 200, body: first.body })
  expect(provider.questions.length).toBe(asked)
  const other = await tenant.put('/api/v1/structureType/bulk', [aType('ward')], key)
  expect(other).toMatchObject({ status: 422, body: { type: '/problems/idempotency-key-reused' } })
})

test('a refresh that is cancelled between two pages leaves the old data, and a retry goes on with the second', async () => {
  provider.says(() => ({ dataPoints: [point('old', 'ada')] }))
  await refreshed(tenant)
  const { job, open } = await held()
  expect(await tenant.post(`${job.links.self}/cancel`)).toMatchObject({ status: 202 })
  expect(await ended(tenant, job.jobId)).toMatchObject({
    status: 'Cancelled',
    progress: { done: 1 },
    counts: { rows: 1 },
  })
  open()
  expect(await points(tenant)).toEqual([point('old', 'ada')])

  const asked = provider.questions.length
  expect(await tenant.post(`${job.links.self}/retry`)).toMatchObject({ status: 202 })
  expect(await ended(tenant, job.jobId)).toMatchObject({ status: 'Completed', counts: { rows: 2 } })
  expect(provider.questions.slice(asked).map(({ cursor }) => cursor)).not.toContain(null)
  expect(await points(tenant)).toEqual(rows)
})

test('a request that waits for a refresh is told when that refresh is cancelled', async () => {
  const { job, open } = await held()
  const waiting = tenant.post(refreshPath())
  await until('it waits', async () => (await db('data_set_requests').where({ job_id: job.jobId })).length === 2)
  await tenant.post(`${job.links.self}/cancel`)
  expect(await waiting).toMatchObject({ status: 409, body: { type: '/problems/job-cancelled' } })
  open()
})

test('a retry of a refresh that a later one has replaced is refused with an explanation', async () => {
  const { job, open } = await held()
  await tenant.post(`${job.links.self}/cancel`)
  await ended(tenant, job.jobId)
  open()
  provider.says(() => ({ dataPoints: [point('later', 'ada')] }))
  await refreshed(tenant)
  await tenant.post(`${job.links.self}/retry`)
  const again = await ended(tenant, job.jobId)
  expect(again).toMatchObject({ status: 'Failed', problem: { status: 409, type: '/problems/refresh-superseded' } })
  expect(await points(tenant)).toEqual([point('later', 'ada')])
})

test('a data set that the manifest does not have is 404, and so is another tenant’s', async () => {
  const glue = scriptedGlue(provider.url, { extracts: { theirs: {} } })
  const other = await dataTenant(glue, [])
  for (const key of ['nowhere', 'register', '%20', 'REGISTER']) {
    for (const reply of [await other.post(refreshPath(key)), await other.get(rowsPath(key))]) {
      expect(reply).toMatchObject({ status: 404, body: { type: '/problems/not-found' } })
    }
  }
  expect((await other.get<{ Key: string }[]>('/api/v1/dataSet')).body.map(({ Key }) => Key)).toEqual(['theirs'])
})

test('two tenants with the same keys do not see each other', async () => {
  const other = await dataTenant(scriptedGlue(provider.url), ['ada'])
  provider.says(() => ({ dataPoints: [point('ours', 'ada')] }))
  await refreshed(tenant)
  provider.says(() => ({ dataPoints: [point('theirs', 'ada')] }))
  await refreshed(other)
  expect([await points(tenant), await points(other)]).toEqual([[point('ours', 'ada')], [point('theirs', 'ada')]])
  const { id } = tenant.subjects.ada ?? { id: '' }
  expect(await other.get(`${rowsPath()}?SubjectIdentifier=${id}`)).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/query/SubjectIdentifier', code: 'unknown-subject' }] },
  })
})

test.each([
  ['POST', refreshPath(), 'Edit:DataSet'],
  ['GET', rowsPath(), 'View:DataSet'],
  ['GET', '/api/v1/dataSet', 'View:DataSet'],
])('%s %s needs %s', async (method, path, permission) => {
  provider.says(twoPages)
  const before = await points(tenant)
  const asked = provider.questions.length
  const others = ['Edit:DataSet', 'View:DataSet'].filter(each => each !== permission)
  const [without, just] = await tenant.clients([others, [permission]])
  expect(await without?.send(method, path)).toMatchObject({
    status: 403,
    body: { type: '/problems/forbidden', detail: expect.stringContaining(permission) },
  })
  expect(await api(inject('baseUrl'), '').send(method, path)).toMatchObject({ status: 401 })
  expect(provider.questions.length).toBe(asked)
  expect(await points(tenant)).toEqual(before)
  expect((await just?.send(method, path))?.status).toBe(200)
})

test('a token without the scope FrameApi is refused', async () => {
  const elsewhere = await tenant.client(['*'], ['FormsApi'])
  expect(await elsewhere.post(refreshPath())).toMatchObject({
    status: 403,
    body: { type: '/problems/insufficient-scope' },
  })
})
