// Faults of data changes.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Problem } from '../support/api.js'
import {
  type ChangeAnswer,
  changePaths,
  points,
  refreshed,
  scriptedGlue,
  scriptedProvider,
} from '../support/data-sets.js'
import { type DataTenant, dataTenant, point } from '../support/factories.js'
import { ended } from '../support/faults.js'

const provider = await scriptedProvider()
let tenant: DataTenant
const there = [point('a', 'ada'), point('b', 'ada')]
beforeAll(async () => {
  const glue = scriptedGlue(provider.url, { by: ['subject'], extracts: { register: { name: 'x' } } })
  tenant = await dataTenant(glue, ['ada', 'bob'])
  provider.says(({ subjectIdentifier }) => ({ dataPoints: subjectIdentifier === 'ada' ? there : [] }))
  await refreshed(tenant)
  provider.questions.length = 0
})
afterAll(() => provider.stop())

const change = (more: object = {}) => ({
  SubjectIdentifier: 'ada',
  DataExtractsOptionsValuesFilter: { name: 'x' },
  NewOrUpdatedDataPoints: [point('new', 'ada')],
  ...more,
})

async function refused(path: string, body: unknown) {
  const reply = await tenant.provider.post<Problem>(path, body)
  expect(reply.headers.get('content-type')).toMatch(/^application\/problem\+json/)
  expect(reply).toMatchObject({ status: 400, body: { type: '/problems/validation', instance: path } })
  expect(await points(tenant)).toEqual(there)
  expect(provider.questions).toEqual([])
  return reply.body.errors?.map(({ pointer, code }) => `${code} ${pointer}`)
}

const values = '/NewOrUpdatedDataPoints/0/DataPointItems/0/Value'
const typed = (DataType: string, value: unknown) =>
  change({ NewOrUpdatedDataPoints: [point('a', 'ada', value, DataType)] })

test.each<[string, unknown, string[]]>([
  ['no object', [], ['wrong-type ']],
  ['nothing', {}, ['required /SubjectIdentifier', 'required /DataExtractsOptionsValuesFilter']],
  ['an empty filter', change({ DataExtractsOptionsValuesFilter: {} }), ['too-few /DataExtractsOptionsValuesFilter']],
  [
    'a filter that is a list',
    change({ DataExtractsOptionsValuesFilter: [1] }),
    ['wrong-type /DataExtractsOptionsValuesFilter'],
  ],
  [
    'a blank subject',
    change({ SubjectIdentifier: ' ', NewOrUpdatedDataPoints: [] }),
    ['wrong-format /SubjectIdentifier'],
  ],
  [
    'a subject that is a number',
    change({ SubjectIdentifier: 7, NewOrUpdatedDataPoints: [] }),
    ['wrong-type /SubjectIdentifier'],
  ],
  ['points that are no list', change({ NewOrUpdatedDataPoints: {} }), ['wrong-type /NewOrUpdatedDataPoints']],
  [
    'a point of another subject',
    change({ NewOrUpdatedDataPoints: [point('a', 'ada'), point('b', 'bob')] }),
    ['other-subject /NewOrUpdatedDataPoints/1/SubjectIdentifier'],
  ],
  [
    'an Id twice',
    change({ NewOrUpdatedDataPoints: [point('a', 'ada'), point('a', 'ada')] }),
    ['duplicate-key /NewOrUpdatedDataPoints/1/Id'],
  ],
  [
    'an Id that is too long',
    change({ NewOrUpdatedDataPoints: [point('x'.repeat(256), 'ada')] }),
    ['too-long /NewOrUpdatedDataPoints/0/Id'],
  ],
  [
    'an Id with a blank at its end',
    change({ NewOrUpdatedDataPoints: [point('a ', 'ada')] }),
    ['wrong-format /NewOrUpdatedDataPoints/0/Id'],
  ],
  [
    'a point without members',
    change({ NewOrUpdatedDataPoints: [{}] }),
    ['Id', 'SubjectIdentifier', 'DataPointItems'].map(name => `required /NewOrUpdatedDataPoints/0/${name}`),
  ],
  [
    'an item without Value',
    change({ NewOrUpdatedDataPoints: [{ ...point('a', 'ada'), DataPointItems: [{ Key: 'k' }] }] }),
    ['required /NewOrUpdatedDataPoints/0/DataPointItems/0/Value'],
  ],
  [
    'a Value without members',
    change({ NewOrUpdatedDataPoints: [{ ...point('a', 'ada'), DataPointItems: [{ Key: 'k', Value: {} }] }] }),
    [`required ${values}/DataType`, `required ${values}/Value`],
  ],
  ...(
    [
      ['Boolean', 0],
      ['String', true],
      ['Integer', '1'],
      ['Decimal', 'x'],
      ['DateTime', '2026-11-21'],
      ['Date', '21.11.2026'],
      ['Time', '7 pm'],
      ['UserIdentifier', {}],
    ] as const
  ).map(([type, value]): [string, unknown, string[]] => [
    `a wrong ${type}`,
    typed(type, value),
    [`wrong-data-type ${values}/Value`],
  ]),
])('%s is refused, and nothing is written', async (_, body, errors) => {
  expect(await refused(changePaths.created, body)).toEqual(errors)
})

test.each([
  ['', ''],
  ['name[', 'name['],
  ['[0]', '[0]'],
  ['a..b', 'a..b'],
  ['a.', 'a.'],
  ['.a', '.a'],
  ['a[x]', 'a[x]'],
  ['a[-1]', 'a[-1]'],
  ['a[]', 'a[]'],
  ['a[0]b', 'a[0]b'],
  ['a]', 'a]'],
  ['a/b~.', 'a~1b~0.'],
])('the path "%s" is refused by both endpoints', async (path, pointed) => {
  const DataExtractsOptionsValuesFilter = { name: 'x', [path]: 1 }
  const errors = [`path /DataExtractsOptionsValuesFilter/${pointed}`]
  expect(await refused(changePaths.created, change({ DataExtractsOptionsValuesFilter }))).toEqual(errors)
  const removal = { SubjectIdentifier: 'ada', DataExtractsOptionsValuesFilter, RemovedDataPointIdentifiers: ['a'] }
  expect(await refused(changePaths.removed, removal)).toEqual(errors)
})

test('every fault of a change is named at once', async () => {
  const body = {
    DataExtractsOptionsValuesFilter: { 'a..b': 1, name: 'x', 'c[': 2 },
    NewOrUpdatedDataPoints: [
      { ...point('a', 'ada'), Id: 7 },
      point('b', 'ada', 'many', 'Integer'),
      point('c', 'ada'),
      {},
      point('c', 'ada'),
    ],
  }
  expect((await refused(changePaths.created, body))?.sort()).toEqual([
    'duplicate-key /NewOrUpdatedDataPoints/4/Id',
    'path /DataExtractsOptionsValuesFilter/a..b',
    'path /DataExtractsOptionsValuesFilter/c[',
    ...['DataPointItems', 'Id', 'SubjectIdentifier'].map(name => `required /NewOrUpdatedDataPoints/3/${name}`),
    'required /SubjectIdentifier',
    'wrong-data-type /NewOrUpdatedDataPoints/1/DataPointItems/0/Value/Value',
    'wrong-type /NewOrUpdatedDataPoints/0/Id',
  ])
})

test('the faults of a removal are named at once, too', async () => {
  const removal = {
    DataExtractsOptionsValuesFilter: { 'a.': 1 },
    RemovedDataPointIdentifiers: ['a', 7, '', 'x'.repeat(256)],
  }
  expect((await refused(changePaths.removed, removal))?.sort()).toEqual([
    'path /DataExtractsOptionsValuesFilter/a.',
    'required /SubjectIdentifier',
    'too-long /RemovedDataPointIdentifiers/3',
    'too-short /RemovedDataPointIdentifiers/2',
    'wrong-format /RemovedDataPointIdentifiers/2',
    'wrong-type /RemovedDataPointIdentifiers/1',
  ])
})

test.each([
  ['an unknown query parameter', `${changePaths.created}?dry=true`, 400],
  ['explain that is no boolean', `${changePaths.created}?explain=perhaps`, 400],
])('%s is refused', async (_, path, status) => {
  expect((await tenant.provider.post(path, change())).status).toBe(status)
  expect(await points(tenant)).toEqual(there)
})

test('malformed JSON, another content type and another method are refused', async () => {
  expect((await tenant.provider.post(changePaths.created, '{"SubjectIdentifier":')).status).toBe(400)
  const headers = { 'content-type': 'text/plain' }
  expect((await tenant.provider.post(changePaths.created, JSON.stringify(change()), headers)).status).toBe(415)
  expect((await tenant.provider.put(changePaths.created, change())).status).toBe(405)
  expect(await points(tenant)).toEqual(there)
})

test('two different rows with one Id fail the fetch after a change, and the subject keeps its rows', async () => {
  provider.says(() => ({ dataPoints: [point('twice', 'ada', 'first'), point('twice', 'ada', 'second')] }))
  const { body } = await tenant.provider.post<ChangeAnswer>(changePaths.created, change({ NewOrUpdatedDataPoints: [] }))
  const { status, problem } = await ended(tenant, body.JobId ?? '')
  expect({ status, problem }).toMatchObject({ status: 'Failed', problem: { type: '/problems/duplicate-row' } })
  expect(await points(tenant)).toEqual(there)
})
