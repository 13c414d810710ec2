// Groups of structural entities.
import { expect, inject, test } from 'vitest'
import { newTenant } from '../support/api.js'
import { plant } from '../support/factories.js'
import { at, type GroupBody, invalid, keysOf, list, type Page, paths, put, refusal } from '../support/frame.js'

const tenant = await newTenant(inject('baseUrl'))
await plant(tenant, { a: null, b: 'a', c: 'b' })
const path = paths.groups

const written = { Key: 'north', Name: 'North', StructuralEntityKeys: ['c', 'a'] }
const read = { Key: 'north', DisplayName: 'North', StructuralEntityKeys: ['a', 'c'] }

test('a new group answers 201 and an existing one 200, both with the read shape; a PUT replaces the whole', async () => {
  const first = await tenant.put(path, written)
  expect([first.status, first.body]).toEqual([201, read])
  const again = await tenant.put(path, written)
  expect([again.status, again.body]).toEqual([200, read])
  expect((await tenant.get(at(path, 'north'))).body).toEqual(read)

  const other = await tenant.put(path, { Key: 'north', Name: 'Nord', StructuralEntityKeys: ['b'] })
  expect(other.body).toEqual({ Key: 'north', DisplayName: 'Nord', StructuralEntityKeys: ['b'] })
  const bare = await tenant.put(path, { Key: 'north', Name: 'Nord' })
  expect([bare.status, bare.body]).toEqual([200, { Key: 'north', DisplayName: 'Nord', StructuralEntityKeys: [] }])
  expect((await tenant.get(at(path, 'north'))).body).toEqual(bare.body)
})

test('an entity named twice belongs to the group once', async () => {
  const { body } = await tenant.put<GroupBody>(path, {
    ...written,
    Key: 'twice',
    StructuralEntityKeys: ['b', 'a', 'b'],
  })
  expect(body.StructuralEntityKeys).toEqual(['a', 'b'])
})

test('an entity may be in several groups, and leaves all of them when it is deleted', async () => {
  const own = await newTenant(inject('baseUrl'))
  await plant(own, { a: null, b: null })
  for (const Key of ['one', 'two']) await put(own, path, { Key, Name: Key, StructuralEntityKeys: ['a', 'b'] })
  await own.delete(at(paths.entities, 'a'))
  const { body } = await own.get<Page<GroupBody>>(path)
  expect(body.Edges.map(({ Node }) => Node)).toEqual([
    { Key: 'one', DisplayName: 'one', StructuralEntityKeys: ['b'] },
    { Key: 'two', DisplayName: 'two', StructuralEntityKeys: ['b'] },
  ])
  await plant(own, { a: null })
  expect((await own.get<GroupBody>(at(path, 'one'))).body.StructuralEntityKeys).toEqual(['b'])
})

test('a moved or renamed entity stays in its groups', async () => {
  await put(tenant, path, { Key: 'stays', Name: 'S', StructuralEntityKeys: ['c'] })
  await put(tenant, paths.entities, { Key: 'c', DisplayName: 'New', ParentKey: 'a', StructureTypeKey: 'unit' })
  expect((await tenant.get<GroupBody>(at(path, 'stays'))).body.StructuralEntityKeys).toEqual(['c'])
})

test('a deleted group is gone, its entities are not; a new one of its key starts empty', async () => {
  await put(tenant, path, { ...written, Key: 'passing' })
  const deleted = await tenant.delete(at(path, 'passing'))
  expect([deleted.status, deleted.body]).toEqual([204, ''])
  const gone = { status: 404, code: 'not-found', errors: [] }
  expect(refusal(await tenant.delete(at(path, 'passing')))).toEqual(gone)
  expect(refusal(await tenant.get(at(path, 'passing')))).toEqual(gone)
  expect((await tenant.get(at(paths.entities, 'a'))).status).toBe(200)
  const { body } = await tenant.put<GroupBody>(path, { Key: 'passing', Name: 'Again' })
  expect(body.StructuralEntityKeys).toEqual([])
})

test('the list is a page of groups, each with its entities, in exactly the shape of the specification', async () => {
  const own = await newTenant(inject('baseUrl'))
  await plant(own, { a: null, b: null })
  await put(own, path, { Key: 'y', Name: 'First', StructuralEntityKeys: ['b', 'a'] }, { Key: 'x', Name: 'Second' })
  const { status, body } = await own.get<Page<GroupBody>>(path)
  expect([status, body]).toEqual([
    200,
    {
      PageInfo: {
        HasNextPage: false,
        HasPreviousPage: false,
        StartCursor: body.Edges[0]?.Cursor,
        EndCursor: body.Edges[1]?.Cursor,
        TotalCount: 2,
      },
      Edges: [
        { Node: { Key: 'x', DisplayName: 'Second', StructuralEntityKeys: [] }, Cursor: expect.stringMatching(/./) },
        {
          Node: { Key: 'y', DisplayName: 'First', StructuralEntityKeys: ['a', 'b'] },
          Cursor: expect.stringMatching(/./),
        },
      ],
    },
  ])
  expect(await keysOf(own, path, { OrderBy: 'DisplayName' })).toEqual(['y', 'x'])
  const found = await own.get<Page<GroupBody>>(list(path, { SearchTerm: 'second' }))
  expect(found.body).toMatchObject({ PageInfo: { TotalCount: 1 }, Edges: [{ Node: { Key: 'x' } }] })
})

test('a group that was read can be changed and written again; null for its entities means that they are absent', async () => {
  await put(tenant, path, { Key: 'again', Name: 'Again', StructuralEntityKeys: ['b'] })
  const { body } = await tenant.get<GroupBody>(at(path, 'again'))
  const changed = { ...body, DisplayName: 'Changed' }
  expect(await tenant.put(path, changed)).toMatchObject({ status: 200, body: changed })
  expect((await tenant.put(`${path}/bulk`, [body])).status).toBe(204)
  expect((await tenant.get(at(path, 'again'))).body).toEqual(body)
  const none = await tenant.put<GroupBody>(path, { ...body, StructuralEntityKeys: null })
  expect([none.status, none.body.StructuralEntityKeys]).toEqual([200, []])
})

const wrong: [string, object, string[]][] = [
  ['no name', { Name: undefined }, ['required /Name']],
  ['a name of 256', { Name: 'n'.repeat(256) }, ['too-long /Name']],
  ['a blank name', { Name: ' ' }, ['wrong-format /Name']],
  ['keys that are no list', { StructuralEntityKeys: 'a' }, ['wrong-type /StructuralEntityKeys']],
  ['a key that is null', { StructuralEntityKeys: ['a', null] }, ['wrong-type /StructuralEntityKeys/1']],
  [
    'unknown entities, all listed',
    { StructuralEntityKeys: ['x', 'a', 'A', ''] },
    [0, 2, 3].map(n => `unknown-structural-entity /StructuralEntityKeys/${n}`),
  ],
  [
    'faults everywhere, all listed',
    { Name: 1, StructuralEntityKeys: [1] },
    ['wrong-type /Name', 'wrong-type /StructuralEntityKeys/0'],
  ],
]
test.each(wrong)('%s is refused and nothing is written', async (key, more, errors) => {
  expect(refusal(await tenant.put(path, { Key: key, Name: 'N', StructuralEntityKeys: ['a'], ...more }))).toEqual(
    invalid(...errors),
  )
  expect((await tenant.get(at(path, key))).status).toBe(404)
})

test('a refused change leaves the group as it was', async () => {
  await put(tenant, path, { ...written, Key: 'kept' })
  const answer = await tenant.put(path, { Key: 'kept', Name: 'New', StructuralEntityKeys: ['nowhere'] })
  expect(refusal(answer)).toEqual(invalid('unknown-structural-entity /StructuralEntityKeys/0'))
  expect((await tenant.get(at(path, 'kept'))).body).toEqual({ ...read, Key: 'kept' })
})
