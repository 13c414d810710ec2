// Rounds of a refresh.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { transaction } from '../../db/errors.js'
import { acceptChange } from '../../db/glue/data/data-changes.js'
import { placeOfRefresh, startOver, writePage } from '../../db/glue/data/data-set-refresh.js'
import { acceptRefresh, joinRefresh, refreshRequests } from '../../db/glue/data/refresh-requests.js'
import { jobStore } from '../../db/jobs/jobs.js'
import { newId } from '../../runtime/ids.js'
import {
  gate,
  points,
  type RowsBody,
  refreshed,
  refreshPath,
  rowsPath,
  scriptedGlue,
  scriptedProvider,
} from '../support/data-sets.js'
import { aType, dataTenant, openDatabase, type Point, point } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { until } from '../support/until.js'

const provider = await scriptedProvider()
const db = openDatabase()
const tenant = await dataTenant(scriptedGlue(provider.url), ['ada'])
afterAll(() => provider.stop())

const asyncly = { prefer: 'respond-async' }

/** How many requests the log says have joined a job. */
async function joinings(jobId: string): Promise<number> {
  const lines = (await readFile(join(inject('dataDir'), 'logs', 'api.log'), 'utf8')).split('\n')
  return lines.filter(line => line.includes(jobId) && line.includes('"joined":true')).length
}

/** What a refresh answers. */
interface RefreshedBody {
  jobId: string
  refreshedAt: string
  asOf: string
  rows: number
  unknownSubjects: number
}

/** Rows of a round of a refresh; the second round has one more than the first. */
const rowsOf = (round: number): Point[] =>
  ['a', 'b', 'c'].slice(0, round + 1).map(id => point(id, 'ada', `round ${round}`))

/** The provider counts its rounds, of two pages each, and waits at a gate of the round before the second page. */
function inRounds(answer: (round: number) => object = round => ({ dataPoints: rowsOf(round).slice(1) })) {
  const [first, second] = [gate(), gate()]
  let rounds = 0
  provider.says(async ({ cursor }) => {
    if (!cursor) rounds++
    const round = rounds
    if (!cursor) return { dataPoints: rowsOf(round).slice(0, 1), next: 'second' }
    const door = round === 1 ? first : second
    door.arrive()
    await door.passed
    return answer(round)
  })
  return { first, second, rounds: () => rounds }
}

const ask = (headers = {}) => tenant.post<RefreshedBody>(refreshPath(), undefined, headers)

test('requests that join a refresh get rows no older than themselves by one more round for all, and the first does not wait for it', async () => {
  const { first, second, rounds } = inRounds()
  const one = ask()
  await first.reached
  const since = Date.now()
  const joiners = [ask(), ask(), ask()]
  const { status, body: job } = await tenant.post<JobBody>(refreshPath(), undefined, asyncly)
  expect(status).toBe(202)
  await until('all have joined', async () => (await joinings(job.jobId)) === 4)
  first.open()
  await second.reached
  expect(await one).toMatchObject({ status: 200, body: { jobId: job.jobId, rows: 2 } })
  expect(await points(tenant)).toEqual(rowsOf(1))
  expect((await tenant.get<JobBody>(job.links.self)).body).toMatchObject({ status: 'Running' })
  second.open()
  for (const { status, body } of await Promise.all(joiners)) {
    expect({ status, body }).toMatchObject({ status: 200, body: { jobId: job.jobId, rows: 3, unknownSubjects: 0 } })
    expect(Date.parse(body.asOf)).toBeGreaterThanOrEqual(since)
    expect(Date.parse(body.refreshedAt)).toBeGreaterThanOrEqual(Date.parse(body.asOf))
  }
  expect(await ended(tenant, job.jobId)).toMatchObject({
    status: 'Completed',
    counts: { rows: 3, unknownSubjects: 0 },
    progress: { done: 5, total: 5 },
  })
  expect(await points(tenant)).toEqual(rowsOf(2))
  expect(rounds()).toBe(2)
})

test('a round that fails for good is begun anew for a request that came during it', async () => {
  const { first, second, rounds } = inRounds(round =>
    round === 1 ? { status: 403 } : { dataPoints: rowsOf(round).slice(1) },
  )
  const { body: job } = await tenant.post<JobBody>(refreshPath(), undefined, asyncly)
  await first.reached
  const joiner = ask()
  await until('it has joined', async () => (await joinings(job.jobId)) === 1)
  first.open()
  second.open()
  expect(await joiner).toMatchObject({ status: 200, body: { jobId: job.jobId, rows: 3 } })
  expect(await ended(tenant, job.jobId)).toMatchObject({ status: 'Completed', counts: { rows: 3 } })
  expect({ points: await points(tenant), rounds: rounds() }).toEqual({ points: rowsOf(2), rounds: 2 })
})

test('a problem names the page of its own round', async () => {
  const door = gate()
  let rounds = 0
  provider.says(async ({ cursor }) => {
    if (!cursor) return ++rounds > 1 ? { status: 403 } : { dataPoints: rowsOf(1), next: 'second' }
    door.arrive()
    await door.passed
    return { dataPoints: [] }
  })
  const { body: job } = await tenant.post<JobBody>(refreshPath(), undefined, asyncly)
  await door.reached
  await tenant.post<JobBody>(refreshPath(), undefined, asyncly)
  door.open()
  const failed = await ended(tenant, job.jobId)
  expect(failed).toMatchObject({ status: 'Failed', problem: { detail: expect.stringContaining('(page 1)') } })
})

test('a late page of an earlier round is not written', async () => {
  const tenantId = await tenantIdOf(db, tenant.tenantKey)
  const origin = { tenantKey: tenant.tenantKey, actor: 'schedule', traceId: newId() }
  const { jobId } = await transaction(db, tenantId, trx => acceptRefresh(trx, tenantId, 'register', origin))
  await jobStore(db, tenantId).assignRun(jobId, 'none', null)
  const refresh = { jobId, runId: 'none', extractKey: 'register', whole: false, mostVanished: 50 }
  const late = await placeOfRefresh(db, tenantId, refresh)
  const joiner = { id: newId(), actor: 'somebody' }
  await transaction(db, tenantId, trx => joinRefresh(trx, tenantId, 'register', joiner))
  expect(await startOver(db, tenantId, refresh)).toMatchObject({ state: 'open' })
  const place = await placeOfRefresh(db, tenantId, refresh)
  const page = { points: [], unknownSubjects: 0, next: undefined, total: undefined }
  await writePage(db, tenantId, refresh, { ...late, ...page })
  expect((await tenant.get<JobBody>(`/api/v1/jobs/${jobId}`)).body).toMatchObject({ status: 'Accepted' })
  await writePage(db, tenantId, refresh, { ...place, ...page })
  expect((await tenant.get<JobBody>(`/api/v1/jobs/${jobId}`)).body).toMatchObject({ status: 'Completed' })
})

test('the Idempotency-Key of a joining request repeats its answer, and is refused for another request', async () => {
  const { first, second, rounds } = inRounds()
  const creator = ask()
  await first.reached
  const key = { 'idempotency-key': 'joins' }
  const twice = [ask(key), ask(key)]
  const { body: job } = await tenant.post<JobBody>(refreshPath(), undefined, { ...asyncly, ...key })
  first.open()
  await second.reached
  expect(await creator).toMatchObject({ status: 200 })
  const third = ask(key)
  second.open()
  const [answer, ...others] = await Promise.all([...twice, third])
  expect(answer).toMatchObject({ status: 200, body: { jobId: job.jobId, rows: 3 } })
  for (const other of others) expect(other).toMatchObject({ status: 200, body: answer?.body })
  provider.says(() => ({ dataPoints: rowsOf(0) }))
  await refreshed(tenant)
  expect(await ask(key)).toMatchObject({ status: 200, body: answer?.body })
  expect(rounds()).toBe(2)
  const other = await tenant.put('/api/v1/structureType/bulk', [aType('ward')], key)
  expect(other).toMatchObject({ status: 422, body: { type: '/problems/idempotency-key-reused' } })
})

test('a round serves all requests made before it began, and a job that others have joined is not withdrawn', async () => {
  const tenantId = await tenantIdOf(db, tenant.tenantKey)
  const origin = { tenantKey: tenant.tenantKey, actor: 'schedule', traceId: newId() }
  const { jobId } = await transaction(db, tenantId, trx => acceptRefresh(trx, tenantId, 'register', origin))
  const joiner = { id: newId(), actor: 'somebody' }
  expect(await transaction(db, tenantId, trx => joinRefresh(trx, tenantId, 'register', joiner))).toBe(jobId)
  expect(await jobStore(db, tenantId).withdraw(jobId)).toBe(false)
  const refresh = { jobId, runId: 'none', extractKey: 'register', whole: false, mostVanished: 50 }
  await jobStore(db, tenantId).assignRun(jobId, 'none', null)
  const place = await placeOfRefresh(db, tenantId, refresh)
  const page = { ...place, points: [], unknownSubjects: 0, next: undefined, total: undefined }
  await writePage(db, tenantId, refresh, page)
  expect(await refreshRequests(db, tenantId).shown(joiner.id)).toMatchObject({ rows: 0, unknownSubjects: 0 })
  expect((await tenant.get<JobBody>(`/api/v1/jobs/${jobId}`)).body).toMatchObject({ status: 'Completed' })
})

test('a job that a change has joined is not withdrawn, and one that nobody has joined is', async () => {
  const tenantId = await tenantIdOf(db, tenant.tenantKey)
  const origin = { tenantKey: tenant.tenantKey, actor: 'schedule', traceId: newId() }
  const accept = () => transaction(db, tenantId, trx => acceptRefresh(trx, tenantId, 'register', origin))
  const { jobId: alone } = await accept()
  expect(await jobStore(db, tenantId).withdraw(alone)).toBe(true)
  const { jobId } = await accept()
  const extracts = [{ key: 'register', bySubject: false }]
  const change = { subjectId: newId(), subjectIdentifier: 'ada', extracts, points: [], removedIds: [] }
  expect(await acceptChange(db, tenantId, change, origin)).toMatchObject({ jobId, started: [] })
  expect(await jobStore(db, tenantId).withdraw(jobId)).toBe(false)
  await jobStore(db, tenantId).assignRun(jobId, 'none', null)
  const refresh = { jobId, runId: 'none', extractKey: 'register', whole: true, mostVanished: 100 }
  const place = await placeOfRefresh(db, tenantId, refresh)
  await writePage(db, tenantId, refresh, {
    ...place,
    points: [],
    unknownSubjects: 0,
    next: undefined,
    total: undefined,
  })
  expect((await tenant.get<JobBody>(`/api/v1/jobs/${jobId}`)).body).toMatchObject({ status: 'Completed' })
})

test('a reader with the generation of a joining request waits for its round', async () => {
  const { first, second } = inRounds()
  const { body: job } = await tenant.post<JobBody>(refreshPath(), undefined, asyncly)
  await first.reached
  const { body: before } = await tenant.get<RowsBody>(rowsPath())
  await tenant.post<JobBody>(refreshPath(), undefined, asyncly)
  first.open()
  await second.reached
  const { body: between } = await tenant.get<RowsBody>(rowsPath())
  expect(between.Generation).toBeGreaterThan(before.Generation)
  const read = tenant.get<RowsBody>(`${rowsPath()}?MinGeneration=${between.Generation + 1}`)
  second.open()
  expect((await read).body.Edges).toHaveLength(3)
  await ended(tenant, job.jobId)
})
