// Refreshes from sources for single subjects.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import type { Problem } from '../support/api.js'
import {
  points,
  type RowsBody,
  refreshed,
  refreshPath,
  rowsPath,
  scriptedGlue,
  scriptedProvider,
} from '../support/data-sets.js'
import { dataTenant, type Point, point } from '../support/factories.js'
import { demoSubjects } from '../support/manifest.js'
import { person, subjectsPath } from '../support/subjects.js'

const provider = await scriptedProvider()
const people = Array.from({ length: 120 }, (_, n) => `p${String(n).padStart(3, '0')}`)
const tenant = await dataTenant(scriptedGlue(provider.url, { by: ['subject'] }), people)
afterAll(() => provider.stop())

const two = (subject: string) => [point(`${subject}-1`, subject), point(`${subject}-2`, subject)]

test('a source that answers for one subject is asked about each once, some at a time', async () => {
  let open = 0
  let max = 0
  provider.questions.length = 0
  provider.says(async ({ subjectIdentifier = '' }) => {
    max = Math.max(max, ++open)
    await sleep(20)
    open--
    return { dataPoints: two(subjectIdentifier) }
  })
  expect(await tenant.post(refreshPath())).toMatchObject({ status: 200, body: { rows: 240, unknownSubjects: 0 } })
  expect(await points(tenant)).toEqual(people.flatMap(two))
  expect(provider.questions.map(({ subjectIdentifier }) => subjectIdentifier).sort()).toEqual(people)
  expect(max).toBeGreaterThan(1)
  expect(max).toBeLessThanOrEqual(20)
})

test('a subject that fails for good fails the refresh, no more subjects are asked about, and the old data stays', async () => {
  provider.questions.length = 0
  provider.says(async ({ subjectIdentifier = '' }) => {
    await sleep(20)
    return subjectIdentifier === 'p055' ? { status: 404 } : { dataPoints: [point('new', subjectIdentifier)] }
  })
  expect(await tenant.post(refreshPath())).toMatchObject({
    status: 502,
    body: { type: '/problems/provider-failed', detail: expect.stringContaining('answered 404 (page 2)') },
  })
  // Those that were on their way have arrived by then, and the others would have.
  await sleep(200)
  expect(provider.questions.length).toBeLessThan(80)
  expect(await points(tenant)).toEqual(people.flatMap(two))
})

test('points of another subject than was asked for are refused with their place, and the old data stays', async () => {
  provider.says(({ subjectIdentifier = '' }) => ({
    dataPoints: [
      point('mine', subjectIdentifier),
      point('not-mine', subjectIdentifier === 'p003' ? 'p004' : subjectIdentifier),
    ],
  }))
  const { status, body } = await tenant.post<Problem>(refreshPath())
  expect({ status, body }).toMatchObject({
    status: 502,
    body: {
      type: '/problems/provider-answer',
      detail: expect.stringContaining(`subject ${tenant.subjects.p003?.id}`),
      errors: [{ pointer: '/dataPoints/1/SubjectIdentifier', code: 'other-subject' }],
    },
  })
  expect(await points(tenant)).toEqual(people.flatMap(two))
})

test("a provider may name a subject by Id, ExternalId or the tenant's identifier field; an ambiguous name is unknown", async () => {
  const byField = { ...demoSubjects, matchingFields: ['nationalId'], identifierField: 'email' }
  const other = await dataTenant(scriptedGlue(provider.url, { pageSize: 10 }), [])
  await other.change({ subjects: byField })
  const add = async (nationalId: string, email: string) => {
    const { status, body } = await other.post<{ internalId: string; externalId: string }>(
      subjectsPath,
      person(nationalId, { email }),
    )
    expect(status).toBe(201)
    return body
  }
  const ada = await add('ada', 'ada@example.org')
  await add('bob', 'both@example.org')
  await add('cyd', 'both@example.org')
  await add('dan', 'two@example.org')
  await add('eve', 'two@example.org ')
  const rows: [string, string, boolean][] = [
    ['by-id', ada.internalId, true],
    ['by-external-id', ada.externalId, true],
    ['by-field', 'ada@example.org', true],
    ['by-field-with-blanks', ' ada@example.org ', true],
    ['by-matching-field', 'ada', false],
    ['ambiguous', 'both@example.org', false],
    ['ambiguous-by-blanks', 'two@example.org ', false],
    ['in-capitals', ada.internalId.toUpperCase(), true],
    ['of-nobody', '019ac000-0000-7000-8000-000000000000', false],
  ]
  provider.says(() => ({ dataPoints: rows.map(([id, named]) => point(id, named)) }))
  expect(await other.post(refreshPath())).toMatchObject({ status: 200, body: { rows: 5, unknownSubjects: 4 } })
  const known = rows.filter(([, , isKnown]) => isKnown).map(([id, named]) => point(id, named))
  expect(await points(other)).toEqual(known.sort((a, b) => (a.Id < b.Id ? -1 : 1)))
  for (const named of [ada.internalId, ada.externalId, 'ada@example.org']) {
    const { body } = await other.get<RowsBody>(`${rowsPath()}?subjectIdentifier=${named}`)
    expect(body.Edges.map(({ Node }) => Node.SubjectId)).toEqual(known.map(() => ada.internalId))
  }
  for (const named of ['both@example.org', 'ada']) {
    expect(await other.get(`${rowsPath()}?SubjectIdentifier=${named}`)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/query/SubjectIdentifier', code: 'unknown-subject' }] },
    })
  }
})

test('without such a field a source is asked by the id of each subject', async () => {
  const { identifierField: _, ...noField } = demoSubjects as typeof demoSubjects & { identifierField?: string }
  const other = await dataTenant(scriptedGlue(provider.url, { by: ['subject'] }), ['ada'])
  await other.change({ subjects: noField })
  provider.says(({ subjectIdentifier = '' }) => ({ dataPoints: two(subjectIdentifier) }))
  await refreshed(other)
  const named: Point[] = two(other.subjects.ada?.id ?? '')
  expect(await points(other)).toEqual(named)
})

test('a provider with limits is never asked more at once, nor more a second, than it allows', async () => {
  const limits = { requestsPerSecond: 5, concurrency: 1 }
  const other = await dataTenant(scriptedGlue(provider.url, { by: ['page'], pageSize: 1, provider: { limits } }), [
    'ada',
  ])
  let open = 0
  let max = 0
  const times: number[] = []
  provider.says(async ({ cursor }) => {
    max = Math.max(max, ++open)
    times.push(Date.now())
    await sleep(5)
    open--
    const n = Number(cursor ?? 0)
    return { dataPoints: [point(`r${String(n).padStart(2, '0')}`, 'ada')], next: n < 11 ? n + 1 : null }
  })
  await refreshed(other)
  expect((await points(other)).map(({ Id }) => Id)).toEqual(
    Array.from({ length: 12 }, (_, n) => `r${String(n).padStart(2, '0')}`),
  )
  expect(max).toBe(1)
  expect(times).toHaveLength(12)
  // Twice as many at most: a second's worth may have been saved up.
  expect(
    Math.max(...times.map(from => times.filter(at => at >= from && at < from + 1_000).length)),
  ).toBeLessThanOrEqual(10)
})
