import { expect, inject, test } from 'vitest'
import { newTenant, type Problem } from '../support/api.js'
import { aType, at, invalid, keysOf, list, type Page, paths, put, refusal, type TypeBody } from '../support/frame.js'

const tenant = await newTenant(inject('baseUrl'))
const path = paths.types

const written = {
  Name: 'Ward',
  Key: 'ward',
  SubjectAssignable: true,
  CustomFields: [
    { TypeKey: 'Number', Name: 'Beds', Key: 'beds', Required: true },
    { TypeKey: 'Text', Name: 'Note', Key: 'note', Required: false },
  ],
}
const read = {
  Name: 'Ward',
  Key: 'ward',
  SubjectAssignable: true,
  CustomFields: [
    { Name: 'Beds', Key: 'beds', Type: 'Number', Required: true },
    { Name: 'Note', Key: 'note', Type: 'Text', Required: false },
  ],
}

test('a new type answers 201 and an existing one 200, both with the read shape; a PUT replaces the whole', async () => {
  const first = await tenant.put(path, written)
  expect([first.status, first.body]).toEqual([201, read])
  const again = await tenant.put(path, written)
  expect([again.status, again.body]).toEqual([200, read])
  expect((await tenant.get(at(path, 'ward'))).body).toEqual(read)

  const smaller = await tenant.put(path, { Name: 'Ward 2', Key: 'ward', SubjectAssignable: false })
  expect([smaller.status, smaller.body]).toEqual([
    200,
    { Name: 'Ward 2', Key: 'ward', SubjectAssignable: false, CustomFields: [] },
  ])
  expect((await tenant.get(at(path, 'ward'))).body).toEqual(smaller.body)
})

test('a field that says nothing about Required is optional', async () => {
  const field = { TypeKey: 'Date', Name: 'Opened', Key: 'opened' }
  const { body } = await tenant.put<TypeBody>(path, aType('optional', { CustomFields: [field] }))
  expect(body.CustomFields).toEqual([{ Name: 'Opened', Key: 'opened', Type: 'Date', Required: false }])
})

test('a deleted type is gone: 204, then 404 for delete and get', async () => {
  await put(tenant, path, aType('passing'))
  const deleted = await tenant.delete(at(path, 'passing'))
  expect([deleted.status, deleted.body]).toEqual([204, ''])
  const gone = { status: 404, code: 'not-found', errors: [] }
  expect(refusal(await tenant.delete(at(path, 'passing')))).toEqual(gone)
  expect(refusal(await tenant.get(at(path, 'passing')))).toEqual(gone)
})

test('the list is a page of types in the order of their keys, in exactly the shape of the specification', async () => {
  const other = await newTenant(inject('baseUrl'))
  await put(other, path, written, aType('bed'))
  const { status, body } = await other.get<Page<TypeBody>>(path)
  expect(status).toBe(200)
  expect(body).toEqual({
    PageInfo: {
      HasNextPage: false,
      HasPreviousPage: false,
      StartCursor: body.Edges[0]?.Cursor,
      EndCursor: body.Edges[1]?.Cursor,
      TotalCount: 2,
    },
    Edges: [
      {
        Node: { Name: 'Type bed', Key: 'bed', SubjectAssignable: true, CustomFields: [] },
        Cursor: expect.stringMatching(/./),
      },
      { Node: read, Cursor: expect.stringMatching(/./) },
    ],
  })
})

test('a list of nothing is an empty page', async () => {
  const other = await newTenant(inject('baseUrl'))
  expect((await other.get(path)).body).toEqual({
    PageInfo: { HasNextPage: false, HasPreviousPage: false, StartCursor: '', EndCursor: '', TotalCount: 0 },
    Edges: [],
  })
})

test.each([
  [{}, ['closed', 'open', 'open ward']],
  [{ SubjectAssignable: 'true' }, ['open', 'open ward']],
  [{ SubjectAssignable: 'FALSE' }, ['closed']],
  [{ SearchTerm: 'open' }, ['open', 'open ward']],
  [{ SearchTerm: 'ward', SubjectAssignable: 'true' }, ['open ward']],
  [{ SearchTerm: 'ward', SubjectAssignable: 'false' }, []],
])('the filter %j finds %j', async (filter, keys) => {
  const other = await newTenant(inject('baseUrl'))
  await put(other, path, aType('open'), aType('open ward'), aType('closed', { SubjectAssignable: false }))
  expect(await keysOf(other, path, filter)).toEqual(keys)
  const { body } = await other.get<Page<TypeBody>>(list(path, filter))
  expect(body.PageInfo.TotalCount).toBe(keys.length)
})

const field = (more: object) => ({ CustomFields: [{ TypeKey: 'Text', Name: 'A', Key: 'a', Required: false, ...more }] })

const wrong: [string, object, string[]][] = [
  ['no name', { Name: undefined }, ['required /Name']],
  ['an empty name', { Name: '' }, ['too-short /Name', 'wrong-format /Name']],
  ['a blank name', { Name: '  ' }, ['wrong-format /Name']],
  ['a name of 256', { Name: 'n'.repeat(256) }, ['too-long /Name']],
  ['a number as name', { Name: 7 }, ['wrong-type /Name']],
  ['SubjectAssignable as a text', { SubjectAssignable: 'true' }, ['wrong-type /SubjectAssignable']],
  ['no SubjectAssignable', { SubjectAssignable: undefined }, ['required /SubjectAssignable']],
  ['fields that are no list', { CustomFields: {} }, ['wrong-type /CustomFields']],
  ['an unknown TypeKey', field({ TypeKey: 'Colour' }), ['unknown-value /CustomFields/0/TypeKey']],
  ['Boolean as TypeKey', field({ TypeKey: 'Boolean' }), ['unknown-value /CustomFields/0/TypeKey']],
  ['a field without TypeKey', field({ TypeKey: undefined }), ['required /CustomFields/0/TypeKey']],
  ['a field without Key', field({ Key: undefined }), ['required /CustomFields/0/Key']],
  ['a field without Name', field({ Name: undefined }), ['required /CustomFields/0/Name']],
  ['a field with a blank at its end', field({ Key: 'a ' }), ['wrong-format /CustomFields/0/Key']],
  ['Required as a text', field({ Required: 'yes' }), ['wrong-type /CustomFields/0/Required']],
  [
    'a field key given twice',
    { CustomFields: [...field({}).CustomFields, ...field({ Name: 'B' }).CustomFields] },
    ['duplicate-key /CustomFields/1/Key'],
  ],
  [
    'faults everywhere, all listed',
    { Name: undefined, SubjectAssignable: 1, ...field({ TypeKey: 'x', Required: 0 }) },
    [
      'required /Name',
      'unknown-value /CustomFields/0/TypeKey',
      'wrong-type /CustomFields/0/Required',
      'wrong-type /SubjectAssignable',
    ],
  ],
]

test.each(wrong)('%s is refused and nothing is written', async (name, more, errors) => {
  const key = `wrong ${name}`
  const answer = refusal(await tenant.put(path, aType(key, more)))
  expect({ ...answer, errors: answer.errors.sort() }).toEqual(invalid(...errors.sort()))
  expect((await tenant.get(at(path, key))).status).toBe(404)
})

test.each(['null', '[]', '"text"', '7'])('a body that is %s is no structure type', async body => {
  expect(refusal(await tenant.put(path, body))).toEqual(invalid('wrong-type'))
})

test('the enum that refuses an unknown TypeKey names those that there are', async () => {
  const { body } = await tenant.put<Problem>(path, aType('x', field({ TypeKey: 'Colour' })))
  expect(body.errors?.[0]?.detail).toBe(
    'It must be one of Text, PhoneNumber, Number, Date, DateTime, Time, UserIdentifier.',
  )
})
