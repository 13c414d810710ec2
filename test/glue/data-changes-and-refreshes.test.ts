// Data changes beside refreshes.
import { afterAll, expect, test } from 'vitest'
import {
  type ChangeAnswer,
  changePaths,
  gate,
  points,
  type RowsBody,
  refreshed,
  refreshPath,
  rowsPath,
  scriptedGlue,
  scriptedProvider,
} from '../support/data-sets.js'
import { type DataTenant, dataTenant, type Point, point } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { until } from '../support/until.js'

const provider = await scriptedProvider()
let register: Point[] = []
const people = ['ada', 'bob']
const extracts = { register: { kind: 'all' } }
const whole = await dataTenant(scriptedGlue(provider.url, { by: ['page'], extracts }), people)
const both = await dataTenant(scriptedGlue(provider.url, { by: ['page', 'subject'], extracts }), people)
afterAll(() => provider.stop())

/** Two pages: ada's, then those of the others. With a door, the second page waits at it. */
const say = (door?: ReturnType<typeof gate>) =>
  provider.says(async ({ subjectIdentifier, cursor }) => {
    if (subjectIdentifier !== undefined)
      return { dataPoints: register.filter(each => each.SubjectIdentifier === subjectIdentifier) }
    if (!cursor) return { dataPoints: register.filter(each => each.SubjectIdentifier === 'ada'), next: 'others' }
    door?.arrive()
    await door?.passed
    return { dataPoints: register.filter(each => each.SubjectIdentifier !== 'ada') }
  })

const changed = (tenant: DataTenant, rows: Point[], SubjectIdentifier = 'ada') =>
  tenant.provider.post<ChangeAnswer>(changePaths.created, {
    SubjectIdentifier,
    DataExtractsOptionsValuesFilter: { kind: 'all' },
    NewOrUpdatedDataPoints: rows,
  })

const pages = () => provider.questions.filter(({ subjectIdentifier }) => subjectIdentifier === undefined).length

async function begin(tenant: DataTenant): Promise<void> {
  register = [point('a', 'ada', 'old'), point('b', 'bob', 'old')]
  say()
  await refreshed(tenant)
  provider.questions.length = 0
}

/** A refresh that has fetched ada's page and waits for the other. */
async function underWay(tenant: DataTenant) {
  const door = gate()
  say(door)
  const { body } = await tenant.post<JobBody>(refreshPath(), undefined, { prefer: 'respond-async' })
  await door.reached
  return { ...door, jobId: body.jobId }
}

test('a change starts a refresh, which later changes join, if the source answers for all subjects only', async () => {
  await begin(whole)
  const door = gate()
  say(door)
  register = [point('a', 'ada', 'new'), point('c', 'bob')]
  const first = await changed(whole, [point('a', 'ada', 'pushed')])
  expect(first).toMatchObject({ status: 200, body: { MatchedDataExtracts: ['register'], AffectedDataPoints: 1 } })
  expect(await points(whole)).toEqual([point('a', 'ada', 'pushed'), point('b', 'bob', 'old')])
  await door.reached
  const later = await changed(whole, [], 'bob')
  expect(later.body.JobId).toBe(first.body.JobId)
  door.open()
  expect(await ended(whole, first.body.JobId ?? '')).toMatchObject({ kind: 'dataSetRefresh', status: 'Completed' })
  expect(await points(whole)).toEqual(register)
})

test('a change during a refresh of the whole starts another round, and the pushed points stay visible throughout', async () => {
  await begin(whole)
  const { open, jobId } = await underWay(whole)
  register = [point('a', 'ada', 'new'), point('b', 'bob', 'new')]
  const { body } = await changed(whole, [point('a', 'ada', 'pushed')])
  expect(body.JobId).toBe(jobId)
  const second = gate()
  say(second)
  open()
  await second.reached
  await until('the first round is over', async () => (await points(whole))[1]?.DataPointItems[0]?.Value.Value === 'new')
  expect(await points(whole)).toEqual([point('a', 'ada', 'pushed'), point('b', 'bob', 'new')])
  const generation = body.Generations.register ?? 0
  const { body: now } = await whole.get<RowsBody>(rowsPath())
  expect(now.Generation).toBeLessThan(generation)
  const waiting = whole.get<RowsBody>(`${rowsPath()}?MinGeneration=${generation}`)
  second.open()
  const { status, body: reached } = await waiting
  expect({ status, values: reached.Edges.map(({ Node }) => Node.DataPointItems[0]?.Value.Value) }).toEqual({
    status: 200,
    values: ['new', 'new'],
  })
  expect(await ended(whole, jobId)).toMatchObject({ status: 'Completed', counts: { rows: 2 } })
  expect(pages()).toBe(4)
})

test('a change whose refresh fails keeps its pushed points and makes no reader wait, and the job says why', async () => {
  await begin(whole)
  provider.says(() => ({ status: 403 }))
  const { body } = await changed(whole, [point('x', 'ada', 'pushed')])
  expect(await ended(whole, body.JobId ?? '')).toMatchObject({ status: 'Failed', problem: { status: 502 } })
  const read = () => whole.get<RowsBody>(`${rowsPath()}?MinGeneration=${body.Generations.register}`)
  expect((await read()).status).toBe(200)
  expect(await points(whole)).toEqual([point('a', 'ada', 'old'), point('b', 'bob', 'old'), point('x', 'ada', 'pushed')])
  say()
  const next = await changed(whole, [])
  expect(next.body.JobId).not.toBe(body.JobId)
  expect(await ended(whole, next.body.JobId ?? '')).toMatchObject({ status: 'Completed' })
  expect(await points(whole)).toEqual(register)
})

test('a change during a refresh is not undone by a page that was fetched before it', async () => {
  await begin(both)
  const { open, jobId } = await underWay(both)
  register = [point('a', 'ada', 'new'), point('b', 'bob', 'new')]
  const { body } = await changed(both, [point('a', 'ada', 'new')])
  expect(await ended(both, body.JobId ?? '')).toMatchObject({ kind: 'dataChange', status: 'Completed' })
  expect(await points(both)).toEqual([point('a', 'ada', 'new'), point('b', 'bob', 'old')])
  open()
  expect(await ended(both, jobId)).toMatchObject({ status: 'Completed' })
  expect(await points(both)).toEqual(register)
  expect(pages()).toBe(2)
})

test('a removal during a refresh is not undone by a page that was fetched before it', async () => {
  await begin(both)
  const { open, jobId } = await underWay(both)
  register = [point('b', 'bob', 'new')]
  const removal = {
    SubjectIdentifier: 'ada',
    DataExtractsOptionsValuesFilter: { kind: 'all' },
    RemovedDataPointIdentifiers: ['a'],
  }
  const { body } = await both.provider.post<ChangeAnswer>(changePaths.removed, removal)
  expect(body).toMatchObject({ AffectedDataPoints: 1 })
  expect(await points(both)).toEqual([point('b', 'bob', 'old')])
  open()
  await ended(both, jobId)
  await ended(both, body.JobId ?? '')
  expect(await points(both)).toEqual(register)
})

test('an answer that was requested before a refresh began does not replace what the refresh has fetched', async () => {
  await begin(both)
  const door = gate()
  provider.says(async ({ subjectIdentifier }) => {
    if (subjectIdentifier === undefined) return { dataPoints: register }
    const dataPoints = register.filter(each => each.SubjectIdentifier === subjectIdentifier)
    door.arrive()
    await door.passed
    return { dataPoints }
  })
  const { body } = await changed(both, [])
  await door.reached
  register = [point('a', 'ada', 'new'), point('b', 'bob', 'new')]
  const inner = gate()
  const older = register
  provider.says(async ({ subjectIdentifier, cursor }) => {
    if (subjectIdentifier !== undefined)
      return { dataPoints: older.filter(each => each.SubjectIdentifier === subjectIdentifier) }
    if (!cursor) return { dataPoints: older, next: 'end' }
    inner.arrive()
    await inner.passed
    return { dataPoints: [] }
  })
  const refresh = await both.post<JobBody>(refreshPath(), undefined, { prefer: 'respond-async' })
  await inner.reached
  door.open()
  await ended(both, body.JobId ?? '')
  expect(await points(both)).toEqual([point('a', 'ada', 'old'), point('b', 'bob', 'old')])
  inner.open()
  expect(await ended(both, refresh.body.jobId)).toMatchObject({ status: 'Completed' })
  expect(await points(both)).toEqual(register)
})
