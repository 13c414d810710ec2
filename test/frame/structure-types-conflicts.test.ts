import { beforeEach, expect, inject, test } from 'vitest'
import { newTenant, type Problem, type Tenant } from '../support/api.js'
import { anEntity, assignSubject, aType, at, paths, put, refusal } from '../support/frame.js'

let tenant: Tenant
beforeEach(async () => {
  tenant = await newTenant(inject('baseUrl'))
})

const text = (Key: string, more: object = {}) => ({ TypeKey: 'Text', Name: Key, Key, Required: false, ...more })
const holding = (Key: string, value = 'x') => ({ CustomFieldValues: [{ Key, Value: { String: { Value: value } } }] })
const inUse = (...errors: string[]) => ({ status: 409, code: 'structure-type-in-use', errors })
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

test('a type is free again when its entity has become one of another type', async () => {
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

test('a field without values may go or change its type; any field may change its name, order and Required', async () => {
  await put(tenant, paths.types, aType('unit', { CustomFields: [text('a'), text('b'), text('c')] }))
  await put(tenant, paths.entities, anEntity('ward-7', holding('a')))
  const CustomFields = [text('b', { TypeKey: 'Date' }), text('a', { Name: 'A', Required: true }), text('d')]
  expect((await tenant.put(paths.types, aType('unit', { CustomFields }))).status).toBe(200)
  expect((await tenant.get(at(paths.entities, 'ward-7'))).body).toMatchObject({
    CustomFieldValues: [{ Field: { Key: 'a', Name: 'A', Required: true }, Value: { ValueText: 'x' } }],
  })
})

test('a field may go once its last value is gone', async () => {
  await put(tenant, paths.types, aType('unit', { CustomFields: [text('a')] }))
  await put(tenant, paths.entities, anEntity('one', holding('a')), anEntity('two', holding('a')), anEntity('one'))
  expect(refusal(await tenant.put(paths.types, aType('unit')))).toEqual(inUse('custom-field-in-use /CustomFields'))
  await put(tenant, paths.entities, anEntity('two'))
  expect((await tenant.put(paths.types, aType('unit'))).status).toBe(200)
})

test.each([
  ['a value that looks like the field', 'note', '"gone":["String","x"]'],
  ['a field whose key ends like it', 'be"gone', 'x'],
  ['a field whose key begins like it', 'gone too', 'x'],
  ['a field that differs in letter case', 'GONE', 'x'],
  ['a field whose key has wildcards', '%_', 'x'],
])('%s is not taken for a value of the field that goes', async (_, other, value) => {
  await put(tenant, paths.types, aType('unit', { CustomFields: [text('gone'), text(other)] }))
  await put(tenant, paths.entities, anEntity('a', holding(other, value)))
  const { status, body } = await tenant.put(paths.types, aType('unit', { CustomFields: [text(other)] }))
  expect([status, body]).toMatchObject([200, { CustomFields: [{ Key: other }] }])
})

test.each(['with "quotes"', 'back\\slash', '%', 'é', '😀', '],"x'])(
  'a value of a field with the key %s counts, whatever letters it has, in whatever place',
  async key => {
    await put(tenant, paths.types, aType('unit', { CustomFields: [text('first'), text(key)] }))
    const values = ['first', key].flatMap(each => holding(each).CustomFieldValues)
    await put(tenant, paths.entities, anEntity('a', { CustomFieldValues: values }))
    expect(refusal(await tenant.put(paths.types, aType('unit', { CustomFields: [text('first')] })))).toEqual(
      inUse('custom-field-in-use /CustomFields'),
    )
    expect(refusal(await tenant.put(paths.types, aType('unit', { CustomFields: [text(key)] })))).toEqual(
      inUse('custom-field-in-use /CustomFields'),
    )
  },
)

test('SubjectAssignable is not turned off while subjects are assigned to an entity of the type', async () => {
  await put(tenant, paths.types, aType('unit'), aType('other'))
  await put(tenant, paths.entities, anEntity('ward-7'), anEntity('o', { StructureTypeKey: 'other' }))
  await assignSubject(tenant.tenantKey, 'ward-7')
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
  await assignSubject(tenant.tenantKey, 'ward-7')
  const closed = (key: string) => anEntity(key, { StructureTypeKey: 'closed' })
  const refused = (...errors: string[]) => ({ status: 409, code: 'subjects-assigned', errors })
  expect(refusal(await tenant.put(entities, closed('ward-7')))).toEqual(refused('subjects-assigned /StructureTypeKey'))
  expect(refusal(await tenant.put(`${entities}/bulk`, [closed('ward-8'), closed('ward-7')]))).toEqual(
    refused('subjects-assigned /1/StructureTypeKey #1'),
  )
  expect((await tenant.get(at(entities, 'ward-8'))).body).toMatchObject({ StructureType: { Key: 'unit' } })

  expect((await tenant.put(entities, anEntity('ward-7', { StructureTypeKey: 'other' }))).status).toBe(200)
  expect((await tenant.put(entities, closed('ward-8'))).status).toBe(200)
})

test("another tenant's values, subjects and entities stand against nothing", async () => {
  const other = await newTenant(inject('baseUrl'))
  const type = aType('unit', { CustomFields: [text('a')] })
  for (const each of [tenant, other]) await put(each, paths.types, type)
  await put(other, paths.entities, anEntity('ward-7', holding('a')))
  await assignSubject(other.tenantKey, 'ward-7')
  expect((await tenant.put(paths.types, aType('unit', { SubjectAssignable: false }))).status).toBe(200)
  expect((await tenant.delete(at(paths.types, 'unit'))).status).toBe(204)
})
