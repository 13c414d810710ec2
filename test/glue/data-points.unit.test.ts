// Checks of data points.
import { expect, test } from 'vitest'
import { readDataPoints } from '../../activities/glue/data/structured-data.js'
import { Problem } from '../../runtime/problems/problem.js'

const point = (Id: string, SubjectIdentifier: string, Value: unknown = Id, DataType = 'String') => ({
  Id,
  SubjectIdentifier,
  DataPointItems: [{ Key: 'value', Value: { DataType, Value } }],
})

const old = [point('old', 'ada')]
const item = (DataType: string, value: unknown) => ({
  dataPoints: [point('a', 'ada'), point('b', 'ada', value, DataType)],
})

const refused = (json: unknown) => {
  try {
    return readDataPoints({ status: 200, headers: {}, body: { json } }, 'page 2')
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { status, code, message, faults } = error
    return { status, code, message, errors: faults.map(each => `${each.code} ${each.pointer}`) }
  }
}

test.each<[string, object, string[]]>([
  ['nothing of what it should be', { rows: [] }, ['wrong-type /dataPoints']],
  ['no object', [1], ['wrong-type /dataPoints']],
  ['data points that are no list', { dataPoints: { 0: old } }, ['wrong-type /dataPoints']],
  [
    'a data point that is none',
    { dataPoints: [point('a', 'ada'), null] },
    [
      'wrong-type /dataPoints/1/Id',
      'wrong-type /dataPoints/1/SubjectIdentifier',
      'wrong-type /dataPoints/1/DataPointItems',
    ],
  ],
  [
    'a data point without Id',
    { dataPoints: [{ ...point('a', 'ada'), Id: undefined }] },
    ['wrong-type /dataPoints/0/Id'],
  ],
  [
    'an Id that is too long',
    { dataPoints: [point('a', 'ada'), point('x'.repeat(256), 'ada')] },
    ['wrong-type /dataPoints/1/Id'],
  ],
  ['an Id with a blank at its end', { dataPoints: [point('a ', 'ada')] }, ['wrong-format /dataPoints/0/Id']],
  [
    'items that are no list',
    { dataPoints: [{ ...point('a', 'ada'), DataPointItems: 'none' }] },
    ['wrong-type /dataPoints/0/DataPointItems'],
  ],
  [
    'an item without Key and DataType',
    { dataPoints: [{ ...point('a', 'ada'), DataPointItems: [{}] }] },
    ['wrong-type /dataPoints/0/DataPointItems/0/Key', 'wrong-type /dataPoints/0/DataPointItems/0/Value/DataType'],
  ],
  ['a cursor that is none', { dataPoints: [], next: {} }, ['wrong-type /next']],
  ...(
    [
      ['Boolean', 'true'],
      ['String', 1],
      ['Integer', 1.5],
      ['Decimal', '1.5'],
      ['DateTime', '2026-13-01T00:00:00Z'],
      ['Date', '2026-02-30'],
      ['Time', '25:00:00'],
      ['UserIdentifier', 7],
    ] as const
  ).map(([type, value]): [string, object, string[]] => [
    `a wrong ${type}`,
    item(type, value),
    ['wrong-data-type /dataPoints/1/DataPointItems/0/Value/Value'],
  ]),
])('a page with %s is named with its row', (_, page, errors) => {
  const message = expect.stringContaining('(page 2)')
  expect(refused(JSON.parse(JSON.stringify(page)))).toEqual({ status: 502, code: 'provider-answer', message, errors })
})
