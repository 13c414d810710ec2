// Bulks with a limit of 20 items.
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { newTenant, type Tenant } from '../support/api.js'
import { aType, plant } from '../support/factories.js'
import { at, type GroupBody, invalid, keysOf, paths, put, refusal, type TypeBody } from '../support/frame.js'

// Structure types and groups are bulk upserted by the same rules: at most 20, all or nothing (spec frame "Limits").
const aGroup = (Key: string, more: object = {}) => ({ Key, Name: `Group ${Key}`, StructuralEntityKeys: ['a'], ...more })

async function newTree(): Promise<Tenant> {
  const tenant = await newTenant(inject('baseUrl'))
  await plant(tenant, { a: null, b: 'a' })
  return tenant
}
/** For what is refused: nothing is written, so every test finds it as it was. */
let tenant: Tenant
beforeAll(async () => {
  tenant = await newTree()
})

describe.each([
  ['structure types', paths.types, aType, ['unit']],
  ['groups', paths.groups, aGroup, []],
])('a bulk of %s', (_, path, make, before) => {
  const bulk = `${path}/bulk`
  const many = (count: number) => Array.from({ length: count }, (_, n) => make(`k${String(n).padStart(2, '0')}`))

  test('of 20 answers 204 without a body, and all are there', async () => {
    const own = await newTree()
    const { status, body } = await own.put(bulk, many(20))
    expect([status, body]).toEqual([204, ''])
    expect(await keysOf(own, path)).toEqual([...many(20).map(item => item.Key), ...before])
  })

  test('of 21 is refused whole', async () => {
    expect(refusal(await tenant.put(bulk, many(21)))).toEqual(invalid('too-many'))
    expect(await keysOf(tenant, path)).toEqual(before)
  })

  test('of none is refused', async () => {
    expect(refusal(await tenant.put(bulk, []))).toEqual(invalid('too-few'))
  })

  test('without a body, or with something that is no list, is refused', async () => {
    expect(refusal(await tenant.put(bulk, ''))).toEqual({ status: 400, code: 'empty-body', errors: [] })
    expect(refusal(await tenant.put(bulk, make('single')))).toEqual(invalid('wrong-type'))
    expect(refusal(await tenant.put(bulk, '[{'))).toEqual({ status: 400, code: 'malformed-json', errors: [] })
    expect(await keysOf(tenant, path)).toEqual(before)
  })

  test('creates what is new and replaces what is there', async () => {
    const own = await newTree()
    await put(own, path, make('old', { Name: 'Before' }))
    expect((await own.put(bulk, [make('old', { Name: 'After' }), make('young')])).status).toBe(204)
    const names = await Promise.all(['old', 'young'].map(key => own.get<TypeBody & GroupBody>(at(path, key))))
    expect(names.map(({ body }) => body.Name ?? body.DisplayName)).toEqual(['After', make('young').Name])
  })

  test('with a key given twice or thrice names each repetition, and nothing is written', async () => {
    const batch = [make('x'), make('y'), make('x', { Name: 'Other' }), make('y'), make('x')]
    expect(refusal(await tenant.put(bulk, batch))).toEqual(
      invalid('duplicate-key /2/Key #2', 'duplicate-key /3/Key #3', 'duplicate-key /4/Key #4'),
    )
    expect(await keysOf(tenant, path)).toEqual(before)
  })

  test('takes keys that differ only in letter case for two keys', async () => {
    const own = await newTree()
    expect((await own.put(bulk, [make('case'), make('CASE')])).status).toBe(204)
    expect(await keysOf(own, path)).toEqual(['CASE', 'case', ...before])
  })

  test('lists every fault of every item with its place, and writes nothing', async () => {
    const batch = [make('good'), make('bad ', { Name: '' }), make('fine'), make('worse', { Name: 5 }), 'text', null]
    const { errors, ...rest } = refusal(await tenant.put(bulk, batch))
    expect(rest).toEqual({ status: 400, code: 'validation' })
    expect(errors.sort()).toEqual(
      [
        'wrong-format /1/Key #1',
        'too-short /1/Name #1',
        'wrong-format /1/Name #1',
        'wrong-type /3/Name #3',
        'wrong-type /4 #4',
        'wrong-type /5 #5',
      ].sort(),
    )
    expect(await keysOf(tenant, path)).toEqual(before)
  })
})

test('a bulk of types lists double custom field keys of every item', async () => {
  const CustomFields = ['a', 'b', 'a'].map(Key => ({ TypeKey: 'Text', Name: 'N', Key, Required: false }))
  const batch = [aType('x', { CustomFields }), aType('y'), aType('z', { CustomFields })]
  expect(refusal(await tenant.put(`${paths.types}/bulk`, batch))).toEqual(
    invalid('duplicate-key /0/CustomFields/2/Key #0', 'duplicate-key /2/CustomFields/2/Key #2'),
  )
  expect(await keysOf(tenant, paths.types)).toEqual(['unit'])
})

test('a bulk of types in which one is in conflict answers 409 and writes none of them', async () => {
  const own = await newTree()
  const CustomFields = [{ TypeKey: 'Text', Name: 'Note', Key: 'note', Required: false }]
  await put(own, paths.types, aType('noted', { CustomFields }))
  const Value = { String: { Value: 'x' } }
  const entity = { Key: 'n', DisplayName: 'N', StructureTypeKey: 'noted', CustomFieldValues: [{ Key: 'note', Value }] }
  await put(own, paths.entities, entity)
  const answer = await own.put(`${paths.types}/bulk`, [aType('new'), aType('noted'), aType('unit', { Name: 'U' })])
  expect(refusal(answer)).toEqual({
    status: 409,
    code: 'structure-type-in-use',
    errors: ['custom-field-in-use /1/CustomFields #1'],
  })
  expect(await keysOf(own, paths.types)).toEqual(['noted', 'unit'])
  expect((await own.get<TypeBody>(at(paths.types, 'unit'))).body.Name).toBe('Type unit')
})

test('a bulk of groups lists every unknown entity of every group, and writes nothing', async () => {
  const batch = [
    aGroup('x', { StructuralEntityKeys: ['a', 'nowhere', 'b', 'A'] }),
    aGroup('y'),
    aGroup('z', { StructuralEntityKeys: ['gone'] }),
  ]
  expect(refusal(await tenant.put(`${paths.groups}/bulk`, batch))).toEqual(
    invalid(
      'unknown-structural-entity /0/StructuralEntityKeys/1 #0',
      'unknown-structural-entity /0/StructuralEntityKeys/3 #0',
      'unknown-structural-entity /2/StructuralEntityKeys/0 #2',
    ),
  )
  expect(await keysOf(tenant, paths.groups)).toEqual([])
})
