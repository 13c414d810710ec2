// Single structural entities.
import { expect, inject, test } from 'vitest'
import { newTenant, type Problem } from '../support/api.js'
import { anEntity, aType, openDatabase, plant, storeSubject } from '../support/factories.js'
import {
  at,
  type EntityBody,
  type GroupBody,
  invalid,
  keysOf,
  type Page,
  paths,
  put,
  readTree,
  refusal,
  timeless,
} from '../support/frame.js'
import { until } from '../support/until.js'

const db = openDatabase()

const baseUrl = inject('baseUrl')
const tenant = await newTenant(baseUrl)
const path = paths.entities
const CustomFields = [
  { TypeKey: 'Number', Name: 'Beds', Key: 'beds', Required: true },
  { TypeKey: 'Text', Name: 'Note', Key: 'note', Required: false },
]
await put(tenant, paths.types, aType('unit'), aType('ward', { Name: 'Ward', SubjectAssignable: false, CustomFields }))
await put(tenant, path, anEntity('root'))

const StructureType = {
  Name: 'Ward',
  Key: 'ward',
  SubjectAssignable: false,
  CustomFields: [
    { Name: 'Beds', Key: 'beds', Type: 'Number', Required: true },
    { Name: 'Note', Key: 'note', Type: 'Text', Required: false },
  ],
}
const [Beds, Note] = StructureType.CustomFields
const ward = {
  Key: 'ward-7',
  DisplayName: 'Ward 7',
  ParentKey: 'root',
  StructureTypeKey: 'ward',
  CustomFieldValues: [
    { Key: 'note', Value: { String: { Value: 'by the lake' } } },
    { Key: 'beds', Value: { Integer: { Value: 24 } } },
  ],
}
const UpdatedAt = expect.any(String)
const common = { UpdatedAt, Key: 'ward-7', DisplayName: 'Ward 7', ParentKey: 'root', Depth: 2, StructureType }
const answered = {
  ...common,
  CustomFieldValues: [
    { Field: Beds, Value: { $type: 'Integer', DataType: 'Integer', Value: 24, ValueText: '24' } },
    { Field: Note, Value: { $type: 'String', DataType: 'String', Value: 'by the lake', ValueText: 'by the lake' } },
  ],
}
const read = {
  ...common,
  CustomFieldValues: [
    { Field: Beds, Value: { DataType: 'Integer', ValueText: '24' } },
    { Field: Note, Value: { DataType: 'String', ValueText: 'by the lake' } },
  ],
}

test('a new entity answers 201 and an existing one 200, in the upsert shape; reading has the read shape', async () => {
  const first = await tenant.put(path, ward)
  expect([first.status, first.body]).toEqual([201, answered])
  const again = await tenant.put(path, ward)
  expect([again.status, again.body]).toEqual([200, answered])
  const got = await tenant.get(at(path, 'ward-7'))
  expect([got.status, got.body]).toEqual([200, read])
  const { body } = await tenant.get<Page<EntityBody>>(`${path}?ParentKey=root`)
  expect(body).toEqual({
    PageInfo: {
      HasNextPage: false,
      HasPreviousPage: false,
      StartCursor: body.Edges[0]?.Cursor,
      EndCursor: body.Edges[0]?.Cursor,
      TotalCount: 1,
    },
    Edges: [{ Node: read, Cursor: expect.stringMatching(/./) }],
  })
})

test('AncestorKey lists all that is below an entity, with the other filters', async () => {
  const tree = { 'a-top': null, 'a-mid': 'a-top', 'a-leaf': 'a-mid', 'a-twig': 'a-leaf', 'a-side': null }
  for (const [key, ParentKey] of Object.entries(tree)) await put(tenant, path, anEntity(key, { ParentKey }))
  const found = (query: Record<string, string>) => keysOf(tenant, path, { AncestorKey: 'a-top', ...query })
  expect(await found({})).toEqual(['a-leaf', 'a-mid', 'a-twig'])
  expect(await found({ First: '1', OrderBy: 'Depth', OrderDirection: 'Descending' })).toEqual([
    'a-twig',
    'a-leaf',
    'a-mid',
  ])
  expect(await found({ Depth: '3' })).toEqual(['a-leaf'])
  expect(await found({ SearchTerm: 'tw' })).toEqual(['a-twig'])
  expect(await found({ AncestorKey: 'a-twig' })).toEqual([])
  const posted = await tenant.post(`${path}/query`, { ancestorKey: 'a-top', Depth: 3 })
  expect([posted.status, posted.body]).toEqual([200, (await tenant.get(`${path}?AncestorKey=a-top&Depth=3`)).body])
  expect(refusal(await tenant.post(`${path}/query`, { AncestorKey: 'nowhere' }))).toEqual(
    invalid('unknown-ancestor /AncestorKey'),
  )
  expect(refusal(await tenant.get(`${path}?AncestorKey=nowhere&ParentKey=nobody`))).toEqual(
    invalid('unknown-parent /query/ParentKey', 'unknown-ancestor /query/AncestorKey'),
  )
})

test('UpdatedFrom finds what was written since, moved subtrees too, in the order of UpdatedAt', async () => {
  const nextMillisecond = async () => {
    const moment = new Date(Date.now() + 1).toISOString()
    await until('the next millisecond', async () => Date.now() > Date.parse(moment))
    return moment
  }
  for (const [key, ParentKey] of Object.entries({ 'u-top': null, 'u-mid': 'u-top', 'u-leaf': 'u-mid' })) {
    await put(tenant, path, anEntity(key, { ParentKey }))
    await nextMillisecond()
  }
  const since = async (UpdatedFrom: string) =>
    keysOf(tenant, path, { UpdatedFrom, SearchTerm: 'u-', OrderBy: 'UpdatedAt', First: '1' })
  expect(await since('2026-01-01T00:00:00Z')).toEqual(['u-top', 'u-mid', 'u-leaf'])
  const moment = await nextMillisecond()
  await put(tenant, path, anEntity('u-mid'))
  expect((await since(moment)).sort()).toEqual(['u-leaf', 'u-mid'])
})

test('an entity that was read is written again, in either shape and any letter case', async () => {
  await put(tenant, path, ward)
  const written = await tenant.put<EntityBody>(path, ward)
  const { body } = await tenant.get<EntityBody>(at(path, 'ward-7'))
  const camel = JSON.parse(JSON.stringify(body).replace(/"([A-Z])(\w*)":/g, (_, a, b) => `"${a.toLowerCase()}${b}":`))
  for (const again of [body, written.body, camel]) {
    expect(timeless(await tenant.put(path, again))).toMatchObject({ status: 200, body: timeless(written.body) })
    expect(timeless((await tenant.get(at(path, 'ward-7'))).body)).toEqual(timeless(body))
  }
  const changed = { ...body, DisplayName: 'Renamed', CustomFieldValues: null }
  expect(refusal(await tenant.put(path, changed)).errors).toEqual(['required-custom-field /CustomFieldValues'])
  const { CustomFieldValues } = body
  expect((await tenant.put(path, { ...body, CustomFieldValues: CustomFieldValues.slice(0, 1) })).status).toBe(200)
})

test('a PUT says the whole state: without ParentKey it is a root, without CustomFieldValues it has none', async () => {
  const full = { ParentKey: 'root', CustomFieldValues: [{ Key: 'note', Value: { String: { Value: 'x' } } }] }
  await put(tenant, paths.types, aType('noted', { CustomFields: CustomFields.slice(1) }))
  await put(tenant, path, anEntity('whole', { StructureTypeKey: 'noted', ...full }))
  const { status, body } = await tenant.put(path, {
    Key: 'whole',
    DisplayName: 'Bare',
    StructureTypeKey: 'noted',
  })
  const bare = { Key: 'whole', DisplayName: 'Bare', ParentKey: null, Depth: 1, CustomFieldValues: [] }
  expect([status, body]).toMatchObject([200, bare])
  expect((await tenant.get(at(path, 'whole'))).body).toMatchObject(bare)

  await put(tenant, path, anEntity('whole', { StructureTypeKey: 'noted', ...full }))
  const explicit = { Key: 'whole', DisplayName: 'Bare', StructureTypeKey: 'noted', ParentKey: null }
  await put(tenant, path, { ...explicit, CustomFieldValues: [] })
  expect((await tenant.get(at(path, 'whole'))).body).toMatchObject(bare)
})

test('a null value counts as absent, also in a bulk', async () => {
  const [note, beds] = ward.CustomFieldValues
  const noNote = { ...ward, Key: 'nulled', CustomFieldValues: [{ Key: 'note', Value: null }, beds] }
  expect((await tenant.put<EntityBody>(path, noNote)).body.CustomFieldValues).toMatchObject([{ Field: Beds }])
  await put(tenant, path, { ...ward, Key: 'nulled' })
  expect((await tenant.put(`${path}/bulk`, [noNote])).status).toBe(204)
  const { body } = await tenant.get<EntityBody>(at(path, 'nulled'))
  expect(body.CustomFieldValues).toMatchObject([{ Field: Beds }])
  const noBeds = { ...noNote, CustomFieldValues: [note, { Key: 'beds', Value: null }] }
  expect(refusal(await tenant.put(path, noBeds)).errors).toEqual(['required-custom-field /CustomFieldValues/1/Value'])
})

test("after a change of the structure type, values must be of the new type's fields", async () => {
  await put(tenant, path, { ...ward, Key: 'changing' })
  const answer = await tenant.put(path, { ...ward, Key: 'changing', StructureTypeKey: 'unit' })
  expect(refusal(answer)).toEqual(
    invalid('unknown-custom-field /CustomFieldValues/0/Key', 'unknown-custom-field /CustomFieldValues/1/Key'),
  )
  expect((await tenant.get(at(path, 'changing'))).body).toMatchObject({ StructureType: { Key: 'ward' } })
  const { body } = await tenant.put(path, anEntity('changing'))
  expect(body).toMatchObject({ StructureType: { Key: 'unit' }, CustomFieldValues: [] })
})

const wrong: [string, object, string[]][] = [
  ['no key', { Key: undefined }, ['required /Key']],
  ['no name', { DisplayName: undefined }, ['required /DisplayName']],
  ['a blank name', { DisplayName: ' \t' }, ['wrong-format /DisplayName']],
  ['a name of 256', { DisplayName: 'n'.repeat(256) }, ['too-long /DisplayName']],
  ['a name that is a number', { DisplayName: 1 }, ['wrong-type /DisplayName']],
  ['a parent that is a number', { ParentKey: 1 }, ['wrong-type /ParentKey']],
  ['no type', { StructureTypeKey: undefined }, ['required /StructureTypeKey']],
  ['a type that is null', { StructureTypeKey: null }, ['wrong-type /StructureTypeKey']],
  ['values that are no list', { CustomFieldValues: {} }, ['wrong-type /CustomFieldValues']],
  ['an unknown parent', { ParentKey: 'nowhere' }, ['unknown-parent /ParentKey']],
  ['an empty parent key', { ParentKey: '' }, ['unknown-parent /ParentKey']],
  ['a parent in other letters', { ParentKey: 'ROOT' }, ['unknown-parent /ParentKey']],
  [
    'faults everywhere, all listed',
    { DisplayName: '', ParentKey: 1, StructureTypeKey: 2, CustomFieldValues: 'none' },
    [
      'too-short /DisplayName',
      'wrong-format /DisplayName',
      'wrong-type /ParentKey',
      'wrong-type /StructureTypeKey',
      'wrong-type /CustomFieldValues',
    ],
  ],
]
test.each(wrong)('%s is refused and nothing is written', async (name, more, errors) => {
  const answer = refusal(await tenant.put(path, anEntity(name, more)))
  expect({ ...answer, errors: answer.errors.sort() }).toEqual(invalid(...errors.sort()))
  expect((await tenant.get(at(path, name))).status).toBe(404)
})

test('an unknown structure type is 404 with its pointer, and 400 together with other faults', async () => {
  const unknown = 'unknown-structure-type /StructureTypeKey'
  const alone = await tenant.put(path, anEntity('typeless', { StructureTypeKey: 'nothing' }))
  expect(refusal(alone)).toEqual({ status: 404, code: 'not-found', errors: [unknown] })
  expect((alone.body as Problem).detail).toBe("There is no structure type 'nothing'.")
  const both = await tenant.put(path, anEntity('typeless', { StructureTypeKey: 'nothing', ParentKey: 'nowhere' }))
  const answer = refusal(both)
  expect({ ...answer, errors: answer.errors.sort() }).toEqual(invalid('unknown-parent /ParentKey', unknown))
  expect((await tenant.get(at(path, 'typeless'))).status).toBe(404)
})

test('an entity with children is not deleted: 409 that names one; a leaf is, and leaves its groups', async () => {
  const own = await newTenant(baseUrl)
  await plant(own, { top: null, below: 'top' })
  await put(own, paths.groups, { Key: 'g', Name: 'G', StructuralEntityKeys: ['top', 'below'] })
  const answer = await own.delete(at(path, 'top'))
  expect(refusal(answer)).toEqual({ status: 409, code: 'structural-entity-has-children', errors: [] })
  expect((answer.body as Problem).detail).toContain("'below'")
  expect(await readTree(own)).toEqual({ top: '-@1', below: 'top@2' })

  const deleted = await own.delete(at(path, 'below'))
  expect([deleted.status, deleted.body]).toEqual([204, ''])
  expect((await own.get<GroupBody>(at(paths.groups, 'g'))).body.StructuralEntityKeys).toEqual(['top'])
  expect((await own.delete(at(path, 'top'))).status).toBe(204)
  expect(await readTree(own)).toEqual({})
  expect((await own.get<GroupBody>(at(paths.groups, 'g'))).body.StructuralEntityKeys).toEqual([])
})

test('an entity with subjects assigned is not deleted: 409', async () => {
  const own = await newTenant(baseUrl)
  await plant(own, { ward: null, free: null })
  await storeSubject(db, own.tenantKey, {}, ['ward'])
  expect(refusal(await own.delete(at(path, 'ward')))).toEqual({
    status: 409,
    code: 'structural-entity-has-subjects',
    errors: [],
  })
  expect((await own.delete(at(path, 'free'))).status).toBe(204)
  expect(await readTree(own)).toEqual({ ward: '-@1' })
})

test('an unknown entity is 404 for get and delete', async () => {
  const gone = { status: 404, code: 'not-found', errors: [] }
  expect(refusal(await tenant.get(at(path, 'nowhere')))).toEqual(gone)
  expect(refusal(await tenant.delete(at(path, 'nowhere')))).toEqual(gone)
})
