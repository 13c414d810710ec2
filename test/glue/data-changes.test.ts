// Data changes.
import { afterAll, expect, test } from 'vitest'
import {
  type ChangeAnswer,
  changePaths,
  gate,
  points,
  type RowsBody,
  refreshed,
  rowsPath,
  scriptedGlue,
  scriptedProvider,
} from '../support/data-sets.js'
import { dataTenant, point } from '../support/factories.js'
import { ended } from '../support/faults.js'
import { until } from '../support/until.js'

const provider = await scriptedProvider()
/** What the provider has, by subject. */
const register: Record<string, ReturnType<typeof point>[]> = {}
const extracts = { routine: { programme: 'routine' }, seasonal: { programme: 'seasonal' } }
const tenant = await dataTenant(scriptedGlue(provider.url, { by: ['subject'], extracts }), ['ada', 'bob'])
afterAll(() => provider.stop())

const ofProgramme = (subject: string, { programme = '' }: { programme?: string }) =>
  (register[subject] ?? []).filter(({ Id }) => Id.startsWith(programme))
const asItIs = () =>
  provider.says(({ subjectIdentifier = '', options }) => ({
    dataPoints: ofProgramme(subjectIdentifier, Object(options)),
  }))

async function begin(rows: typeof register): Promise<void> {
  for (const key of Object.keys(register)) delete register[key]
  Object.assign(register, rows)
  asItIs()
  for (const key of Object.keys(extracts)) await refreshed(tenant, key)
}

const filter = { programme: 'routine' }
const created = (SubjectIdentifier: string, rows: object[], DataExtractsOptionsValuesFilter: object = filter) =>
  tenant.provider.post<ChangeAnswer>(changePaths.created, {
    SubjectIdentifier,
    DataExtractsOptionsValuesFilter,
    NewOrUpdatedDataPoints: rows,
  })
const removed = (SubjectIdentifier: string, ids: string[], DataExtractsOptionsValuesFilter: object = filter) =>
  tenant.provider.post<ChangeAnswer>(changePaths.removed, {
    SubjectIdentifier,
    DataExtractsOptionsValuesFilter,
    RemovedDataPointIdentifiers: ids,
  })

/** Lets the provider wait with its answers, and says when it is asked. */
function slow() {
  const door = gate()
  provider.says(async ({ subjectIdentifier = '', options }) => {
    const dataPoints = ofProgramme(subjectIdentifier, Object(options))
    door.arrive()
    await door.passed
    return { dataPoints }
  })
  return door
}

test("pushed points are readable at once, until the subject is fetched again and the provider's rows replace them", async () => {
  await begin({ ada: [point('routine-1', 'ada', 'old')], bob: [point('routine-2', 'bob')] })
  const { open } = slow()
  register.ada = [point('routine-1', 'ada', 'as at the provider')]
  const { status, body } = await created('ada', [
    point('routine-1', 'ada', 'pushed'),
    point('routine-3', 'ada', 'pushed'),
  ])
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      JobId: expect.stringMatching(/^[\da-f-]{36}$/),
      Status: 'Refreshing',
      MatchedDataExtracts: ['routine'],
      AffectedDataPoints: 2,
      Generations: { routine: expect.any(Number) },
    },
  })
  expect(await points(tenant, 'routine')).toEqual([
    point('routine-1', 'ada', 'pushed'),
    point('routine-2', 'bob'),
    point('routine-3', 'ada', 'pushed'),
  ])
  open()
  const job = await ended(tenant, body.JobId ?? '')
  expect(job).toMatchObject({ kind: 'dataChange', status: 'Completed', progress: { done: 1, total: 1 } })
  expect(await points(tenant, 'routine')).toEqual([
    point('routine-1', 'ada', 'as at the provider'),
    point('routine-2', 'bob'),
  ])
})

test('minGeneration waits for what is fetched after the change, also where later changes come first', async () => {
  await begin({ ada: [point('routine-1', 'ada', 'old')] })
  const door = slow()
  const first = await created('ada', [])
  await door.reached
  register.ada = [point('routine-1', 'ada', 'new')]
  const later = await created('ada', [])
  const generations = [first, later].map(({ body }) => body.Generations.routine ?? 0)
  expect(generations[1]).toBeGreaterThan(generations[0] ?? 0)
  const read = (n: number | undefined) => tenant.get<RowsBody>(`${rowsPath('routine')}?minGeneration=${n}`)
  let early = 0
  const waits = generations.map(async n => {
    const { status, body } = await read(n)
    early += 1
    return { status, reached: body.Generation >= (n ?? 0), value: body.Edges[0]?.Node.DataPointItems[0]?.Value.Value }
  })
  const { body: now } = await tenant.get<RowsBody>(rowsPath('routine'))
  expect(now.Generation).toBeLessThan(generations[0] ?? 0)
  expect(early).toBe(0)
  door.open()
  const [, second] = await Promise.all(waits)
  expect((await waits[0])?.reached).toBe(true)
  expect(second).toEqual({ status: 200, reached: true, value: 'new' })
  expect(await read((generations[1] ?? 0) + 1)).toMatchObject({
    status: 400,
    body: { type: '/problems/unknown-generation' },
  })
})

test('a change is not undone by an older answer that was still on its way', async () => {
  await begin({ ada: [point('routine-1', 'ada', 'old')] })
  const door = slow()
  const { body } = await created('ada', [])
  await door.reached
  register.ada = [point('routine-1', 'ada', 'new')]
  const second = slow()
  await created('ada', [point('routine-1', 'ada', 'new')])
  door.open()
  await second.reached
  expect(await points(tenant, 'routine')).toEqual([point('routine-1', 'ada', 'new')])
  second.open()
  expect(await ended(tenant, body.JobId ?? '')).toMatchObject({ status: 'Completed' })
  expect(await points(tenant, 'routine')).toEqual([point('routine-1', 'ada', 'new')])
})

test('removed points are gone at once, and unknown ids are no error and not counted', async () => {
  await begin({ ada: [point('routine-1', 'ada'), point('routine-2', 'ada')], bob: [point('routine-3', 'bob')] })
  const { open } = slow()
  register.ada = [point('routine-2', 'ada')]
  const { status, body } = await removed('ada', ['routine-1', 'routine-1', 'unknown', 'routine-3'])
  expect({ status, body }).toMatchObject({ status: 200, body: { Status: 'Refreshing', AffectedDataPoints: 1 } })
  expect(await points(tenant, 'routine')).toEqual([point('routine-2', 'ada'), point('routine-3', 'bob')])
  open()
  expect(await ended(tenant, body.JobId ?? '')).toMatchObject({ status: 'Completed' })
  expect(await points(tenant, 'routine')).toEqual([point('routine-2', 'ada'), point('routine-3', 'bob')])
  expect(await removed('bob', [])).toMatchObject({ status: 200, body: { AffectedDataPoints: 0, Status: 'Refreshing' } })
})

test('points are applied to every matched extract, and each is fetched again by one job', async () => {
  const three = { routine: { of: 'a' }, seasonal: { of: 'a' }, third: { of: 'b' } }
  const other = await dataTenant(scriptedGlue(provider.url, { by: ['subject'], extracts: three }), ['ada'])
  register.ada = [point('y', 'ada')]
  const door = slow()
  const { body } = await other.provider.post<ChangeAnswer>(changePaths.created, {
    SubjectIdentifier: 'ada',
    DataExtractsOptionsValuesFilter: { of: 'a' },
    NewOrUpdatedDataPoints: [point('x', 'ada')],
  })
  expect(body).toMatchObject({ MatchedDataExtracts: ['routine', 'seasonal'], AffectedDataPoints: 2 })
  expect(Object.keys(body.Generations)).toEqual(['routine', 'seasonal'])
  for (const key of ['routine', 'seasonal']) expect(await points(other, key)).toEqual([point('x', 'ada')])
  expect(await points(other, 'third')).toEqual([])
  door.open()
  expect(await ended(other, body.JobId ?? '')).toMatchObject({ status: 'Completed', progress: { done: 2, total: 2 } })
  for (const key of ['routine', 'seasonal']) expect(await points(other, key)).toEqual([point('y', 'ada')])
  expect(await points(other, 'third')).toEqual([])
})

test("a change that names the subject by id asks the provider by the provider's own identifier", async () => {
  await begin({ ada: [point('routine-1', 'ada')] })
  register.ada = [point('routine-2', 'ada')]
  provider.questions.length = 0
  const { id = '' } = tenant.subjects.ada ?? {}
  const { body } = await created(id, [point('routine-9', id)])
  expect(await ended(tenant, body.JobId ?? '')).toMatchObject({ status: 'Completed' })
  expect(provider.questions.map(({ subjectIdentifier }) => subjectIdentifier)).toEqual(['ada'])
  expect(await points(tenant, 'routine')).toEqual([point('routine-2', 'ada')])
})

test('a subject whose rows come on several pages is fetched page by page, after a change as in a refresh', async () => {
  const glue = scriptedGlue(provider.url, { by: ['subject'], pageSize: 10, extracts: { register: { of: 'all' } } })
  const paged = await dataTenant(glue, ['ada'])
  const all = Array.from({ length: 25 }, (_, n) => point(`v${String(n).padStart(2, '0')}`, 'ada'))
  provider.says(({ cursor, pageSize = 0 }) => {
    const from = Number(cursor ?? 0)
    const next = from + pageSize < all.length ? { next: from + pageSize } : {}
    return { dataPoints: all.slice(from, from + pageSize), ...next }
  })
  await refreshed(paged)
  expect(await points(paged)).toEqual(all)
  all.splice(0, 1)
  const announced = { SubjectIdentifier: 'ada', DataExtractsOptionsValuesFilter: { of: 'all' } }
  const { body } = await paged.provider.post<ChangeAnswer>(changePaths.created, announced)
  expect(await ended(paged, body.JobId ?? '')).toMatchObject({ status: 'Completed', counts: { rows: 24 } })
  expect(await points(paged)).toEqual(all)

  provider.says(() => ({ dataPoints: [], next: 'again' }))
  const { body: endless } = await paged.provider.post<ChangeAnswer>(changePaths.created, announced)
  expect(await ended(paged, endless.JobId ?? '')).toMatchObject({
    status: 'Failed',
    problem: { type: '/problems/provider-answer', errors: [{ pointer: '/next', code: 'repeated-cursor' }] },
  })
  expect(await points(paged)).toEqual(all)
})

test('a change that matches no data set has no effect', async () => {
  await begin({ ada: [point('routine-1', 'ada')] })
  provider.questions.length = 0
  const jobs = await tenant.get<{ PageInfo: { TotalCount: number } }>('/api/v1/jobs')
  const nothing = {
    JobId: null,
    Status: 'NothingMatched',
    MatchedDataExtracts: [],
    AffectedDataPoints: 0,
    Generations: {},
  }
  expect(await created('ada', [point('x', 'ada')], { programme: 'travel' })).toMatchObject({
    status: 200,
    body: nothing,
  })
  expect((await removed('ada', ['routine-1'], { programme: 'travel' })).body).toEqual(nothing)
  expect(await points(tenant, 'routine')).toEqual([point('routine-1', 'ada')])
  expect(await tenant.get('/api/v1/jobs')).toMatchObject({ body: { PageInfo: jobs.body.PageInfo } })
  expect(provider.questions).toEqual([])
})

test('a provider that fails for good fails the job in words, keeps what was pushed, and holds up no other data set', async () => {
  await begin({ ada: [point('routine-1', 'ada'), point('seasonal-1', 'ada', 'old')] })
  register.ada = [point('routine-2', 'ada'), point('seasonal-1', 'ada', 'new')]
  provider.says(({ subjectIdentifier = '', options }) =>
    Object(options).programme === 'routine'
      ? { status: 404 }
      : { dataPoints: ofProgramme(subjectIdentifier, Object(options)) },
  )
  const both = await Promise.all([
    created('ada', [point('routine-9', 'ada')]),
    created('ada', [], { programme: 'seasonal' }),
  ])
  const failed = await ended(tenant, both[0].body.JobId ?? '')
  expect(failed).toMatchObject({
    kind: 'dataChange',
    status: 'Failed',
    problem: {
      status: 502,
      type: '/problems/provider-failed',
      detail: expect.stringContaining(tenant.subjects.ada?.id ?? '-'),
    },
  })
  await until('the other data set is fetched', async () => {
    const [row] = await points(tenant, 'seasonal')
    return row?.DataPointItems[0]?.Value.Value === 'new'
  })
  expect(await points(tenant, 'routine')).toEqual([point('routine-1', 'ada'), point('routine-9', 'ada')])
  asItIs()
  const again = await created('ada', [])
  expect(await ended(tenant, again.body.JobId ?? '')).toMatchObject({ status: 'Completed' })
  expect(await points(tenant, 'routine')).toEqual([point('routine-2', 'ada')])
})
