// Names of members in any letter case.
import { describe, expect, inject, test } from 'vitest'
import { newTenant } from '../support/api.js'
import { plant } from '../support/factories.js'
import { at, type EntityBody, invalid, keysOf, paths, put, refusal, timeless } from '../support/frame.js'

const tenant = await newTenant(inject('baseUrl'))
await plant(tenant, { root: null })

/** The same body with the names of its members, at every depth, in other letters. */
function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map(each => renamed(each, rename))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [rename(name), renamed(each, rename)]))
}

const spellings: [string, (name: string) => string][] = [
  ['lower case', name => name.toLowerCase()],
  ['upper case', name => name.toUpperCase()],
  ['camel case', name => `${name[0]?.toLowerCase()}${name.slice(1)}`],
]

const bodies: [string, string, { Key: string }][] = [
  [
    'a structure type',
    paths.types,
    {
      Key: 'cased',
      ...{ Name: 'Cased', SubjectAssignable: true },
      ...{ CustomFields: [{ TypeKey: 'Number', Name: 'Beds', Key: 'Beds', Required: true }] },
    },
  ],
  [
    'a structural entity',
    paths.entities,
    {
      Key: 'cased',
      ...{ DisplayName: 'Cased', ParentKey: 'root', StructureTypeKey: 'cased' },
      ...{ CustomFieldValues: [{ Key: 'Beds', Value: { Decimal: { Value: 1.5 } } }] },
    },
  ],
  ['a group', paths.groups, { Key: 'cased', ...{ Name: 'Cased', StructuralEntityKeys: ['root'] } }],
]

describe.each(bodies)('the names of %s', (_, path, body) => {
  test.each(spellings)(
    'are taken in %s, singly and in bulk, and answered in the casing of the specification',
    async (_, rename) => {
      const plain = await tenant.put(path, body)
      const answer = await tenant.put(path, renamed(body, rename))
      expect([answer.status, timeless(answer.body)]).toEqual([200, timeless(plain.body)])
      const read = await tenant.get(at(path, 'cased'))
      expect((await tenant.put(`${path}/bulk`, renamed([body], rename))).status).toBe(204)
      expect(timeless((await tenant.get(at(path, 'cased'))).body)).toEqual(timeless(read.body))
    },
  )

  test('that are not known are ignored, at every depth, and not kept', async () => {
    const plain = await tenant.put(path, body)
    const more = { Id: 7, key2: 'x', ParentKeys: [null], constructor: 'x', Depth: 99, StructureType: {}, é: { Key: 1 } }
    const padded = { ...body, ...more }
    const answer = await tenant.put(path, padded)
    expect([answer.status, timeless(answer.body)]).toEqual([200, timeless(plain.body)])
    expect((await tenant.put(`${path}/bulk`, [padded])).status).toBe(204)
  })

  test('given in two spellings are refused, singly and in bulk, and nothing is written', async () => {
    const twice = { ...body, Key: 'twice', key: 'other' }
    expect(refusal(await tenant.put(path, twice))).toEqual(invalid('duplicate-member /key'))
    const bulk = refusal(await tenant.put(`${path}/bulk`, [body, twice, { ...body, KEY: 'a', key: 'b', Key: 'c' }]))
    expect({ ...bulk, errors: bulk.errors.map(error => error.replace(/ #\d$/, '')) }).toEqual(
      invalid('duplicate-member /1/key', 'duplicate-member /2/KEY', 'duplicate-member /2/key'),
    )
    expect(await keysOf(tenant, path)).not.toContain('twice')
    expect(await keysOf(tenant, path)).not.toContain('other')
  })
})

test('a member inside a custom field value given in two spellings is refused', async () => {
  const entity = { Key: 'inner', DisplayName: 'I', StructureTypeKey: 'cased' }
  const send = (value: string) =>
    tenant.put(paths.entities, `${JSON.stringify(entity).slice(0, -1)},"CustomFieldValues":[${value}]}`)
  expect(refusal(await send('{"Key":"Beds","Value":{"Decimal":{"Value":1.50,"value":2}}}'))).toEqual(
    invalid('duplicate-member /CustomFieldValues/0/Value/Decimal/value'),
  )
  expect(refusal(await send('{"Key":"Beds","Value":{"Integer":{"Value":1},"integer":{"Value":2}}}'))).toEqual(
    invalid('duplicate-member /CustomFieldValues/0/Value/integer'),
  )
  expect((await tenant.get(at(paths.entities, 'inner'))).status).toBe(404)
})

test('query parameters are accepted in any letter case, and the fault of an unknown one quotes it as sent', async () => {
  await put(tenant, paths.entities, { Key: 'leaf', DisplayName: 'Leaf', ParentKey: 'root', StructureTypeKey: 'unit' })
  for (const query of ['ParentKey=root&Depth=2', 'parentkey=root&DEPTH=2', 'parentKey=root&depth=2&searchTERM=leaf']) {
    const { body } = await tenant.get<{ Edges: { Node: EntityBody }[] }>(
      `${paths.entities}?${query}&structureTypeKEY=unit&subjectassignable=True&FIRST=1`,
    )
    expect(body.Edges.map(edge => edge.Node.Key)).toEqual(['leaf'])
  }
  expect(refusal(await tenant.get(`${paths.entities}?parent_Key=root`))).toEqual(
    invalid('unknown-parameter /query/parent_Key'),
  )
})

test.each([
  ['one structure type', at(paths.types, 'unit')],
  ['one entity', at(paths.entities, 'root')],
])('%s takes no query parameter', async (_, path) => {
  expect(refusal(await tenant.get(`${path}?verbose=true`))).toEqual(invalid('unknown-parameter /query/verbose'))
})
