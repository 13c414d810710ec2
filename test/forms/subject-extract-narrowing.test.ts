import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { createPublishedForms } from '../../db/forms/published-forms.js'
import { reportedInstance, subjectExtract } from '../../db/forms/subject-extract.js'
import type { Problem } from '../support/api.js'
import { pairForm, pairValues } from '../support/extract-forms.js'
import { type ExtractResult, instanceExtractPath, textsIn } from '../support/extracts.js'
import { aTemplate, type FormsTenant, formsTenant } from '../support/forms.js'
import { invalid, refusal } from '../support/frame.js'
import { patientOf } from '../support/instances.js'

/** A form of so many building blocks. */
const manyBlocks = aTemplate({
  key: 'many',
  buildingBlocks: Array.from({ length: 30 }, (_, n) => ({
    key: `block${n}`,
    sections: [{ id: 'only', controls: [{ id: `control${n}`, label: 'It' }] }],
  })),
})

let tenant: FormsTenant
/** Of {@link pairForm} and {@link manyBlocks}, submitted. */
let pair: string
let many: string
const db = connect(inject('databaseUrl'), { poolSize: 1 })
beforeAll(async () => {
  tenant = await formsTenant()
  await tenant.publish(pairForm, manyBlocks)
  const patient = patientOf(tenant)
  ;[pair, many] = [await patient.created({ formKey: 'pair' }), await patient.created({ formKey: 'many' })]
  for (const [guid, values] of [
    [pair, pairValues],
    [many, { control7: '7' }],
  ] as const)
    expect(await patient.submit(guid, values)).toMatchObject({ status: 200 })
})
afterAll(() => db.destroy())

const narrowed = (body: unknown) => tenant.forms.post<ExtractResult>(instanceExtractPath(tenant.subjectId, pair), body)

describe('definitions narrow it', () => {
  test.each<[string, object, object]>([
    ['to building blocks', { definitions: [{ key: 'second' }] }, { second: { c: ['3'] } }],
    ['to controls', { definitions: [{ key: 'first', controlIds: ['b'] }] }, { first: { b: ['2'] } }],
    [
      'in the order of the form, whatever their own',
      {
        definitions: [
          { key: 'second', controlIds: ['c'] },
          { key: 'first', controlIds: ['b', 'a'] },
        ],
      },
      { first: { a: ['1'], b: ['2'] }, second: { c: ['3'] } },
    ],
    [
      'with member names in any letter case, and members that nobody knows',
      { Definitions: [{ Key: 'first', ControlIDs: ['a'], more: 1 }], more: 1 },
      { first: { a: ['1'] } },
    ],
  ])('%s', async (_, body, texts) => {
    const { status, headers, body: answer } = await narrowed(body)
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
    expect(JSON.stringify(textsIn(answer))).toBe(JSON.stringify(texts))
    const { buildingBlocks, ...head } = answer
    expect((await tenant.forms.get(instanceExtractPath(tenant.subjectId, pair))).body).toMatchObject(head)
  })
})

test.each<[string, unknown, string[]]>([
  ['nothing', {}, ['required /definitions']],
  ['no definitions', { definitions: [] }, ['too-few /definitions']],
  ['definitions of another type', { definitions: 'first' }, ['wrong-type /definitions']],
  ['a definition without its key', { definitions: [{ controlIds: ['a'] }] }, ['required /definitions/0/key']],
  ['no controls', { definitions: [{ key: 'first', controlIds: [] }] }, ['too-few /definitions/0/controlIds']],
  [
    'controls of another type',
    { definitions: [{ key: 'first', controlIds: [1] }] },
    ['wrong-type /definitions/0/controlIds/0'],
  ],
  [
    'what is wrong in itself and what is not there',
    { definitions: [{ key: 7 }, { key: 'unknown' }, { key: 'first', controlIds: [1, 'c'] }] },
    [
      'wrong-type /definitions/0/key',
      'wrong-type /definitions/2/controlIds/0',
      'unknown-building-block /definitions/1/key',
      'unknown-control /definitions/2/controlIds/1',
    ],
  ],
  [
    'building blocks that are not there',
    { definitions: ['__proto__', 'constructor', 'First', 'first '].map(key => ({ key })) },
    [0, 1, 2, 3].map(n => `unknown-building-block /definitions/${n}/key`),
  ],
  [
    'controls that are not there, that could have no value, or of another block',
    { definitions: [{ key: 'first', controlIds: ['a', 'constructor', '__proto__', 'toRead', 'c'] }, { key: 'x' }] },
    [
      ...[1, 2, 3, 4].map(n => `unknown-control /definitions/0/controlIds/${n}`),
      'unknown-building-block /definitions/1/key',
    ],
  ],
  [
    'a building block or control twice',
    { definitions: [{ key: 'first', controlIds: ['a', 'b', 'a'] }, { key: 'first' }] },
    ['duplicate-control /definitions/0/controlIds/2', 'duplicate-building-block /definitions/1/key'],
  ],
])('a request for %s is 400, with every fault', async (_, body, faults) => {
  expect(refusal(await narrowed(body))).toEqual(invalid(...faults))
})

test('it reads the instance and its values in one query each, however many building blocks there are', async () => {
  const stores = { db, forms: createPublishedForms({ db }) }
  const { id } = await db('tenants').where({ tenant_key: tenant.tenantKey }).first('id')
  const queries: string[] = []
  db.on('query', ({ sql }: { sql: string }) => queries.push(sql))
  const rows: number[] = []
  db.on('query-response', (response: object) => rows.push([response].flat().length))
  const extracted = async (guid: string, selected?: { key: string }[]) => {
    const instance = await reportedInstance(stores, id, { id: guid, patient: tenant.subjectId })
    return textsIn(JSON.parse(await subjectExtract(stores, id, instance, selected)))
  }
  // Published forms stay in memory.
  await extracted(many)
  queries.length = 0
  rows.length = 0
  expect(Object.keys(await extracted(many))).toHaveLength(30)
  expect(await extracted(many, [{ key: 'block7' }, { key: 'block9' }])).toEqual({
    block7: { control7: ['7'] },
    block9: { control9: [undefined] },
  })
  expect(queries).toHaveLength(4)
  expect(rows, 'and no values that are not asked for').toEqual([1, 30, 1, 2])
})

test('of more faults than 10,000 the first are named', async () => {
  const definitions = Array.from({ length: 6 }, (_, n) => ({ key: `block${n}`, controlIds: Array(2_000).fill('x') }))
  const { status, body } = await tenant.forms.post<Problem>(instanceExtractPath(tenant.subjectId, many), {
    definitions,
  })
  expect([status, body.errors?.length]).toEqual([400, 10_000])
})
