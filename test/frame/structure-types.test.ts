// Structure types.
import { beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { newTenant, type Problem, type Tenant } from '../support/api.js'
import { anEntity, aType, openDatabase, storeSubject } from '../support/factories.js'
import { at, invalid, keysOf, list, type Page, paths, put, refusal, type TypeBody } from '../support/frame.js'

const db = openDatabase()

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

test('a type that was read is written again', async () => {
  const CustomFields = [{ TypeKey: 'Date', Name: 'Opened', Key: 'opened', Required: null }]
  await put(tenant, path, aType('again', { CustomFields }))
  const { body } = await tenant.get(at(path, 'again'))
  expect(await tenant.put(path, body)).toMatchObject({ status: 200, body })
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

describe('the list', () => {
  let filtered: Tenant
  beforeAll(async () => {
    filtered = await newTenant(inject('baseUrl'))
    await put(filtered, path, aType('open'), aType('open ward'), aType('closed', { SubjectAssignable: false }))
  })

  test.each([
    [{}, ['closed', 'open', 'open ward']],
    [{ SubjectAssignable: 'true' }, ['open', 'open ward']],
    [{ SubjectAssignable: 'FALSE' }, ['closed']],
    [{ SearchTerm: 'open' }, ['open', 'open ward']],
    [{ SearchTerm: 'ward', SubjectAssignable: 'true' }, ['open ward']],
    [{ SearchTerm: 'ward', SubjectAssignable: 'false' }, []],
  ])('the filter %j finds %j', async (filter, keys) => {
    expect(await keysOf(filtered, path, filter)).toEqual(keys)
    const { body } = await filtered.get<Page<TypeBody>>(list(path, filter))
    expect(body.PageInfo.TotalCount).toBe(keys.length)
  })
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

test('the fault of an unknown TypeKey names the known ones', async () => {
  const { body } = await tenant.put<Problem>(path, aType('x', field({ TypeKey: 'Colour' })))
  expect(body.errors?.[0]?.detail).toBe(
    'It must be one of Text, PhoneNumber, Number, Date, DateTime, Time, UserIdentifier.',
  )
})

const text = (Key: string, more: object = {}) => ({ TypeKey: 'Text', Name: Key, Key, Required: false, ...more })
const holding = (Key: string, value = 'x') => ({ CustomFieldValues: [{ Key, Value: { String: { Value: value } } }] })
const inUse = (...errors: string[]) => ({ status: 409, code: 'structure-type-in-use', errors })

describe('what is in use', () => {
  let tenant: Tenant
  beforeEach(async () => {
    tenant = await newTenant(inject('baseUrl'))
  })
  const typeAsRead = async (key: string) => (await tenant.get(at(paths.types, key))).body

  test('a type in use is not deleted: 409 that names an entity, and it is still there', async () => {
    await put(tenant, paths.types, aType('unit'))
    await put(tenant, paths.entities, anEntity('ward-7'))
    const answer = await tenant.delete(at(paths.types, 'unit'))
    expect(refusal(answer)).toEqual(inUse())
    expect((answer.body as Problem).detail).toContain("'ward-7'")
    expect((await tenant.get(at(paths.entities, 'ward-7'))).body).toMatchObject({ StructureType: { Key: 'unit' } })

    await tenant.delete(at(paths.entities, 'ward-7'))
    expect((await tenant.delete(at(paths.types, 'unit'))).status).toBe(204)
  })

  test('a type can be deleted once its last entity has become one of another type', async () => {
    await put(tenant, paths.types, aType('unit'), aType('other'))
    await put(tenant, paths.entities, anEntity('a'), anEntity('a', { StructureTypeKey: 'other' }))
    expect((await tenant.delete(at(paths.types, 'unit'))).status).toBe(204)
    expect(refusal(await tenant.delete(at(paths.types, 'other')))).toEqual(inUse())
  })

  test('a custom field that holds values is neither removed nor given another type: 409 that names the fields', async () => {
    await put(tenant, paths.types, aType('unit', { CustomFields: [text('a'), text('b'), text('c')] }))
    const values = ['a', 'b'].flatMap(key => holding(key).CustomFieldValues)
    await put(tenant, paths.entities, anEntity('ward-7', { CustomFieldValues: values }))
    const before = await typeAsRead('unit')
    const CustomFields = [text('a', { TypeKey: 'PhoneNumber' })]
    const answer = await tenant.put(paths.types, aType('unit', { Name: 'New', CustomFields }))
    expect(refusal(answer)).toEqual(inUse('custom-field-in-use /CustomFields', 'custom-field-in-use /CustomFields'))
    expect((answer.body as Problem).errors?.map(error => error.detail)).toEqual([
      "The custom field 'a' of 'unit' cannot change from Text to PhoneNumber: structural entities hold values, for example 'ward-7'.",
      "The custom field 'b' of 'unit' cannot be removed: structural entities hold values, for example 'ward-7'.",
    ])
    expect(await typeAsRead('unit')).toEqual(before)
  })

  test('a field without values may be removed or change its type; any field may change its name, order and Required', async () => {
    await put(tenant, paths.types, aType('unit', { CustomFields: [text('a'), text('b'), text('c')] }))
    await put(tenant, paths.entities, anEntity('ward-7', holding('a')))
    const CustomFields = [text('b', { TypeKey: 'Date' }), text('a', { Name: 'A', Required: true }), text('d')]
    expect((await tenant.put(paths.types, aType('unit', { CustomFields }))).status).toBe(200)
    expect((await tenant.get(at(paths.entities, 'ward-7'))).body).toMatchObject({
      CustomFieldValues: [{ Field: { Key: 'a', Name: 'A', Required: true }, Value: { ValueText: 'x' } }],
    })
  })

  test('a field may be removed once its last value is gone', async () => {
    await put(tenant, paths.types, aType('unit', { CustomFields: [text('a')] }))
    await put(tenant, paths.entities, anEntity('one', holding('a')), anEntity('two', holding('a')), anEntity('one'))
    expect(refusal(await tenant.put(paths.types, aType('unit')))).toEqual(inUse('custom-field-in-use /CustomFields'))
    await put(tenant, paths.entities, anEntity('two'))
    expect((await tenant.put(paths.types, aType('unit'))).status).toBe(200)
  })

  test('SubjectAssignable is not turned off while subjects are assigned to an entity of the type', async () => {
    await put(tenant, paths.types, aType('unit'), aType('other'))
    await put(tenant, paths.entities, anEntity('ward-7'), anEntity('o', { StructureTypeKey: 'other' }))
    await storeSubject(db, tenant.tenantKey, {}, ['ward-7'])
    const answer = await tenant.put(paths.types, aType('unit', { SubjectAssignable: false, Name: 'New' }))
    expect(refusal(answer)).toEqual(inUse('subjects-assigned /SubjectAssignable'))
    expect((answer.body as Problem).detail).toContain("'ward-7'")
    expect(await typeAsRead('unit')).toMatchObject({ SubjectAssignable: true, Name: 'Type unit' })

    expect((await tenant.put(paths.types, aType('unit', { Name: 'New' }))).status).toBe(200)
    expect((await tenant.put(paths.types, aType('other', { SubjectAssignable: false }))).status).toBe(200)
  })

  test('an entity with subjects does not become one of a type that takes none, alone or in a batch', async () => {
    const { types, entities } = paths
    await put(tenant, types, aType('unit'), aType('other'), aType('closed', { SubjectAssignable: false }))
    await put(tenant, entities, anEntity('ward-7'), anEntity('ward-8'))
    await storeSubject(db, tenant.tenantKey, {}, ['ward-7'])
    const closed = (key: string) => anEntity(key, { StructureTypeKey: 'closed' })
    const refused = (...errors: string[]) => ({ status: 409, code: 'subjects-assigned', errors })
    expect(refusal(await tenant.put(entities, closed('ward-7')))).toEqual(
      refused('subjects-assigned /StructureTypeKey'),
    )
    expect(refusal(await tenant.put(`${entities}/bulk`, [closed('ward-8'), closed('ward-7')]))).toEqual(
      refused('subjects-assigned /1/StructureTypeKey #1'),
    )
    expect((await tenant.get(at(entities, 'ward-8'))).body).toMatchObject({ StructureType: { Key: 'unit' } })

    expect((await tenant.put(entities, anEntity('ward-7', { StructureTypeKey: 'other' }))).status).toBe(200)
    expect((await tenant.put(entities, closed('ward-8'))).status).toBe(200)
  })

  test("another tenant's values, subjects and entities prevent no change", async () => {
    const other = await newTenant(inject('baseUrl'))
    const type = aType('unit', { CustomFields: [text('a')] })
    for (const each of [tenant, other]) await put(each, paths.types, type)
    await put(other, paths.entities, anEntity('ward-7', holding('a')))
    await storeSubject(db, other.tenantKey, {}, ['ward-7'])
    expect((await tenant.put(paths.types, aType('unit', { SubjectAssignable: false }))).status).toBe(200)
    expect((await tenant.delete(at(paths.types, 'unit'))).status).toBe(204)
  })
})

describe('the values of a field that goes', () => {
  let last = 0
  /** The key of a type and of its entity, which no other test has. */
  const newKey = () => `type ${++last}`

  test.each([
    ['a value that looks like the field', 'note', '"gone":["String","x"]'],
    ['a field whose key ends like it', 'be"gone', 'x'],
    ['a field whose key begins like it', 'gone too', 'x'],
    ['a field that differs in letter case', 'GONE', 'x'],
    ['a field whose key has wildcards', '%_', 'x'],
  ])('%s is not taken for a value of the field that goes', async (_, other, value) => {
    const type = newKey()
    await put(tenant, paths.types, aType(type, { CustomFields: [text('gone'), text(other)] }))
    await put(tenant, paths.entities, anEntity(type, { StructureTypeKey: type, ...holding(other, value) }))
    const { status, body } = await tenant.put(paths.types, aType(type, { CustomFields: [text(other)] }))
    expect([status, body]).toMatchObject([200, { CustomFields: [{ Key: other }] }])
  })

  test.each(['with "quotes"', 'back\\slash', '%', 'é', '😀', '],"x'])(
    'a value of a field with the key %s counts, whatever letters it has, in whatever place',
    async key => {
      const type = newKey()
      await put(tenant, paths.types, aType(type, { CustomFields: [text('first'), text(key)] }))
      const CustomFieldValues = ['first', key].flatMap(each => holding(each).CustomFieldValues)
      await put(tenant, paths.entities, anEntity(type, { StructureTypeKey: type, CustomFieldValues }))
      for (const CustomFields of [[text('first')], [text(key)]]) {
        expect(refusal(await tenant.put(paths.types, aType(type, { CustomFields })))).toEqual(
          inUse('custom-field-in-use /CustomFields'),
        )
      }
    },
  )
})
