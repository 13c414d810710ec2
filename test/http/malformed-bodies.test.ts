// Malformed JSON.
import { describe, expect, inject, test } from 'vitest'
import { newTenant, type Problem } from '../support/api.js'
import { problem, sendBytes } from '../support/http.js'

const one = '/api/v1/group'
const bulk = '/api/v1/structuralEntity/bulk'

const tenant = await newTenant(inject('baseUrl'))
const totals = async () =>
  (
    await Promise.all(
      [one, '/api/v1/structuralEntity', '/api/v1/structureType', '/api/v1/jobs'].map(path => tenant.get(path)),
    )
  ).map(({ body }) => Object(body).PageInfo.TotalCount)

test.each([
  '{',
  '[',
  '{"Key":"a",}',
  "{'Key':'a'}",
  'Key=a',
  '<a/>',
  '{"Key":"a"}}',
  'NaN',
  '01',
  '"\u0001"',
  '\u0000',
])('the text %j is no JSON: 400 that says where', async text => {
  for (const path of [one, bulk]) {
    expect((await tenant.put(path, text)).body).toEqual(
      problem(400, 'malformed-json', path, { detail: expect.stringMatching(/^The body is no JSON: ./) }),
    )
  }
})

test.each(['', ' ', '\r\n\t '])('the body %j is empty: 400', async text => {
  expect((await tenant.put(one, text)).body).toEqual(problem(400, 'empty-body', one))
})

test.each([null, true, 0, -1.5e300, 'text', [], [[]]])(
  '%j where an object is wanted is 400 at the root',
  async value => {
    const { status, body } = await tenant.put<Problem>(one, JSON.stringify(value))
    expect([status, body.errors]).toEqual([400, [{ pointer: '', code: 'wrong-type', detail: 'It must be object.' }]])
  },
)

test.each([null, true, 0, 'text', {}, { 0: {} }])('%j where a list is wanted is 400 at the root', async value => {
  const { status, body } = await tenant.put<Problem>(bulk, JSON.stringify(value))
  expect([status, body.errors]).toEqual([400, [{ pointer: '', code: 'wrong-type', detail: 'It must be array.' }]])
})

describe('JSON nested 100,000 deep', () => {
  const deep = 100_000
  const lists = '['.repeat(deep) + ']'.repeat(deep)
  const objects = `${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`
  test.each([
    ['lists', one, lists],
    ['lists', bulk, lists],
    ['lists that never end', bulk, '['.repeat(deep)],
    ['objects', one, objects],
    ['objects', bulk, `[${objects}]`],
    ['lists where numbers keep their digits', bulk, `[{"Decimal":${lists}}]`],
    ['lists in a member that is known', one, `{"Key":"a","Name":"a","StructuralEntityKeys":${lists}}`],
    ['values of custom fields', bulk, `[{"Key":"a","CustomFieldValues":[{"Key":"a","Value":${lists}}]}]`],
    ['lists in a member that nobody knows', one, `{"Key":"deep","Name":"a","unknown":${lists}}`],
  ])('%s in %s is 400', async (_, path, text) => {
    const detail = 'The body has over 100 levels of lists and objects.'
    expect((await tenant.put(path, text)).body).toEqual(problem(400, 'too-deep', path, { detail }))
  })
})

test('a hundred levels are read', async () => {
  const lists = '['.repeat(99) + ']'.repeat(99)
  expect((await tenant.put(one, `{"Key":"deep","Name":"a","unknown":${lists}}`)).status).toBe(201)
  expect((await tenant.delete(`${one}/deep`)).status).toBe(204)
})

const withName = (name: string) => `{"Key":"n","Name":"${name}"}`

test.each(['x\\ud800y', '\\udc00', '\\ude00\\ud83d', '\\\\\\ud83d', '\\uD83D\\uD83D\\uDE00', '\\ud83d\\\\ude00'])(
  'half of a surrogate pair (%s) is 400: it would not be stored as it is',
  async name => {
    expect((await tenant.put(one, withName(name))).body).toEqual(problem(400, 'not-unicode', one))
  },
)

test.each(['\\ud83d\\ude00', '\\\\ud800', '\\\\\\\\ud800', '\\uD83D\\uDE00\\ud83d\\ude00', '😀', '\\u00e9'])(
  'the name %s is stored as it is',
  async name => {
    const DisplayName: string = JSON.parse(`"${name}"`)
    expect(await tenant.put(one, withName(name))).toMatchObject({ status: 201, body: { DisplayName } })
    expect((await tenant.get(`${one}/n`)).body).toMatchObject({ DisplayName })
    expect((await tenant.delete(`${one}/n`)).status).toBe(204)
  },
)

test('members that every JavaScript object has are ordinary unknown members', async () => {
  const text = '{"Key":"p","Name":"a","__proto__":{"StructuralEntityKeys":["x"]},"constructor":{"prototype":{"x":1}}}'
  expect(await tenant.put(one, text)).toMatchObject({ status: 201, body: { StructuralEntityKeys: [] } })
  expect((await tenant.delete(`${one}/p`)).status).toBe(204)
})

test('a list that is too long may have anything in it, and around it', async () => {
  const entries = [{ Key: 'a' }, null, 0, 'a', [null], ...Array.from({ length: 600 }, () => ({}))]
  const faults = expect.arrayContaining([expect.objectContaining({ code: 'too-many' })])
  const tooLong = { status: 400, body: { errors: faults } }
  const type = { Key: 't', Name: 5, SubjectAssignable: null, CustomFields: entries }
  const entity = { Key: 'e', DisplayName: 5, StructureTypeKey: null, CustomFieldValues: entries }
  for (const [path, body] of [
    ['structureType', type],
    ['structuralEntity', entity],
  ] as const) {
    expect(await tenant.put(`/api/v1/${path}`, body)).toMatchObject(tooLong)
    expect(await tenant.put(`/api/v1/${path}/bulk`, [body])).toMatchObject(tooLong)
  }
  expect(await tenant.post('/api/v2/subject', { CustomFieldValues: entries })).toMatchObject({ status: 400 })
})

test('a list that is too long hides no fault beside it', async () => {
  const keys = Array.from({ length: 1_001 }, () => '')
  const both = { StructuralEntityKeys: keys, CustomFieldValues: 'x' }
  const faults = (at: string, more: object = {}) => [
    { pointer: `${at}/StructuralEntityKeys`, code: 'too-many', detail: 'It must have at most 1000 items.', ...more },
    { pointer: `${at}/CustomFieldValues`, code: 'wrong-type', detail: 'It must be array.', ...more },
  ]
  for (const path of ['/api/v2/subject', '/api/v2/messaging/subject']) {
    expect(await tenant.post<Problem>(path, both)).toMatchObject({ status: 400, body: { errors: faults('') } })
    const bulk = await tenant.post<Problem>(`${path}/bulk`, [both])
    expect(bulk).toMatchObject({ status: 400, body: { errors: faults('/0', { index: 0 }) } })
  }
})

test('a member given in two spellings is a fault, not a guess', async () => {
  const { body } = await tenant.put<Problem>(one, '{"Key":"a","key":"b","Name":"a"}')
  expect(body.errors).toEqual([
    { pointer: '/key', code: 'duplicate-member', detail: 'The member Key is given twice, also as key.' },
  ])
})

test.each(['identity', 'gzip'])(
  'an upload (%s) whose sender disconnects is not accepted as complete',
  async encoding => {
    const head = [
      `PUT ${one} HTTP/1.1`,
      'Host: x',
      `Authorization: Bearer ${tenant.token}`,
      'Content-Type: application/json',
      `Content-Encoding: ${encoding}`,
      'Content-Length: 1000',
    ]
    await sendBytes(inject('baseUrl'), [`${head.join('\r\n')}\r\n\r\n{"Key":"cut","Name":"cut"}`], { cut: true })
    expect((await tenant.get('/health/live')).body).toMatchObject({ status: 'live' })
  },
)

test('none of the refused bodies has written anything', async () => {
  expect(await totals()).toEqual([0, 0, 0, 0])
})
