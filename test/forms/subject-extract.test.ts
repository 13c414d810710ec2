// The extract of one subject's instance.
import { describe, expect, test } from 'vitest'
import { reportedInstance, subjectExtract } from '../../db/forms/extracts/subject-extract.js'
import { createPublishedForms } from '../../db/forms/templates/published-forms.js'
import type { Problem } from '../support/api.js'
import { type ExtractResult, instanceExtractPath, pairForm, pairValues, textsIn } from '../support/extracts.js'
import { addPerson, aTemplate, notesTenant, openDatabase, whole } from '../support/factories.js'
import { invalid, refusal } from '../support/frame.js'

// The shapes of values are in extract-shapes.test.ts, who may have it in extract-access.test.ts.

/** A form of so many building blocks. */
const manyBlocks = aTemplate({
  key: 'many',
  buildingBlocks: Array.from({ length: 30 }, (_, n) => ({
    key: `block${n}`,
    sections: [{ id: 'only', controls: [{ id: `control${n}`, label: 'It' }] }],
  })),
})

const db = openDatabase()
const { tenant, patient } = await notesTenant()
await tenant.publish(pairForm, manyBlocks)
/** Of {@link pairForm} and {@link manyBlocks}, submitted. */
const pair = await submitted(pairValues, { formKey: 'pair' })
const many = await submitted({ control7: '7' }, { formKey: 'many' })

async function submitted(values: object = whole, more: object = {}): Promise<string> {
  const guid = await patient.created(more)
  expect(await patient.submit(guid, values)).toMatchObject({ status: 200 })
  return guid
}

const path = (guid: string, subject = tenant.subjectId) => instanceExtractPath(subject, guid)
const read = (guid: string, subject?: string) => tenant.forms.get<ExtractResult>(path(guid, subject))

test('the extract of an instance has all building blocks and controls, its subject and its submitter', async () => {
  const before = new Date().toISOString()
  const guid = await submitted(pairValues, { formKey: 'pair', correlationId: 'visit 7' })
  const { status, headers, body } = await read(guid)
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  const control = (id: string, label: string, value: string) => ({
    id,
    label,
    dataType: 'string',
    values: [{ type: 'single-value', repeatIterationIndex: null, value }],
  })
  const history = (await patient.history(guid)).body.compositeInstanceHistory.at(-1)
  expect(body).toEqual({
    instanceGuid: guid,
    subjectIdentifier: tenant.subjectId,
    submittedByUserIdentifier: history?.createdByUserIdentifier,
    submissionDateTime: history?.createdDateTimeUtc,
    correlationId: 'visit 7',
    buildingBlocks: [
      { key: 'first', controls: [control('a', 'A', '1'), control('b', 'B', '2')] },
      { key: 'second', controls: [control('c', 'C', '3')] },
    ],
  })
  expect(body.submissionDateTime >= before).toBe(true)
})

test('the subject is named by its Id or its ExternalId, and guids count in any letter case', async () => {
  const { body } = await read(pair)
  for (const subject of [tenant.externalId, tenant.subjectId.toUpperCase()])
    expect((await read(pair.toUpperCase(), subject)).body).toEqual(body)
})

describe('the latest version that is complete counts', () => {
  const noteOf = async (guid: string) => {
    const { status, body } = await read(guid)
    return status === 200 ? textsIn(body).small?.note : status
  }

  test('also while it is amended; what is submitted then takes its place', async () => {
    const guid = await submitted()
    const first = (await read(guid)).body
    await patient.amend(guid)
    await patient.save(guid, { ...whole, note: 'draft' }, '*')
    expect((await read(guid)).body).toEqual(first)
    expect((await patient.submit(guid, { ...whole, note: 'amended' }, '*')).status).toBe(200)
    const second = (await read(guid)).body
    expect(textsIn(second)).toEqual({ small: { note: ['amended'], must: ['b'] } })
    expect(second.submissionDateTime > first.submissionDateTime).toBe(true)
  })

  test('and again when an amendment is discarded', async () => {
    const guid = await submitted()
    await patient.amend(guid)
    await patient.save(guid, { ...whole, note: 'draft' }, '*')
    expect((await patient.discard(guid, '*')).status).toBe(200)
    expect(await noteOf(guid)).toEqual(['a'])
  })

  test('not while the instance is withdrawn, and again when it is reinstated', async () => {
    const guid = await submitted()
    await patient.withdraw(guid)
    expect(await noteOf(guid)).toBe(404)
    await patient.reinstate(guid)
    expect(await noteOf(guid)).toEqual(['a'])
  })
})

describe('it is 404', () => {
  const gone = { status: 404, code: 'not-found', errors: [] }
  const isGone = async (at: string) => {
    expect(refusal(await tenant.forms.get(at))).toEqual(gone)
    for (const body of [{ definitions: [{ key: 'first' }] }, { definitions: [{ key: 'unknown' }] }, {}])
      expect(refusal(await tenant.forms.post(at, body))).toEqual(gone)
  }

  test.each<[string, (guid: string) => Promise<unknown>]>([
    ['new', async () => undefined],
    ['a draft', guid => patient.save(guid, whole)],
    ['discarded', guid => patient.discard(guid, '*')],
  ])('where the instance is %s and was never complete', async (_, step) => {
    const guid = await patient.created()
    await step(guid)
    await isGone(path(guid))
  })

  test('where there is no such instance or subject, or it is of another subject', async () => {
    const stranger = await addPerson(tenant, 'stranger')
    const none = crypto.randomUUID()
    for (const at of [path(none), path(pair, none), path(pair, 'nobody'), path(pair, stranger)]) await isGone(at)
  })
})

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

test('of more faults than 500 the first are named, and that there are more', async () => {
  const definitions = Array.from({ length: 6 }, (_, n) => ({ key: `block${n}`, controlIds: Array(2_000).fill('x') }))
  const { status, body } = await tenant.forms.post<Problem>(instanceExtractPath(tenant.subjectId, many), {
    definitions,
  })
  expect([status, body.errors?.length, body.errors?.at(-1)?.code]).toEqual([400, 500, 'more-faults'])
})
