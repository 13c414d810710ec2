// The feeds of changes of structural entities, groups and structure types.
import { expect, inject, test } from 'vitest'
import { newTenant, type Tenant } from '../support/api.js'
import { anEntity, aType } from '../support/factories.js'
import { at, invalid, list, type Page, paths, put, refusal } from '../support/frame.js'

interface Change {
  Key: string
  Change: string
  ChangedAt: string
}

const feedPath = (feed: string) => `/api/v1/changes/${feed}`

/** Begins to follow a feed. @returns a function that reads what has changed since it was called last, as `Change Key`. */
async function follow(tenant: Tenant, feed: string): Promise<() => Promise<string[]>> {
  const from = await tenant.get<Page<Change>>(list(feedPath(feed), { FromNow: 'true' }))
  let cursor = from.body.PageInfo.EndCursor
  return async () => {
    const { body } = await tenant.get<Page<Change>>(list(feedPath(feed), { After: cursor, First: '1000' }))
    cursor = body.PageInfo.EndCursor
    return body.Edges.map(({ Node }) => `${Node.Change} ${Node.Key}`)
  }
}

test('each write of an entity is a change, singly and in a bulk, unless it changes nothing', async () => {
  const tenant = await newTenant(inject('baseUrl'))
  await put(tenant, paths.types, aType('unit'))
  await put(tenant, paths.entities, anEntity('old'))
  const changes = await follow(tenant, 'structuralEntity')
  await put(tenant, paths.entities, anEntity('old'), anEntity('top'), anEntity('old', { ParentKey: 'top' }))
  expect(await changes()).toEqual(['created top', 'moved old'])
  const many = Array.from({ length: 40 }, (_, n) => anEntity(`ward-${n}`, { ParentKey: 'top' }))
  expect((await tenant.put(`${paths.entities}/bulk`, [...many, anEntity('top', { DisplayName: 'New' })])).status).toBe(
    204,
  )
  expect((await changes()).sort()).toEqual([...many.map(({ Key }) => `created ${Key}`), 'updated top'].sort())
  expect((await tenant.delete(at(paths.entities, 'old'))).status).toBe(204)
  expect([await changes(), await changes()]).toEqual([['deleted old'], []])
})

test('each write of a group or a type is a change; an entity that is deleted changes its groups', async () => {
  const tenant = await newTenant(inject('baseUrl'))
  const [types, groups] = [await follow(tenant, 'structureType'), await follow(tenant, 'group')]
  await put(tenant, paths.types, aType('unit'), aType('unit'), aType('other'), aType('unit', { Name: 'Renamed' }))
  expect(await types()).toEqual(['created unit', 'created other', 'updated unit'])
  expect((await tenant.delete(at(paths.types, 'other'))).status).toBe(204)
  expect(await types()).toEqual(['deleted other'])

  await put(tenant, paths.entities, anEntity('a'), anEntity('b'))
  const group = { Key: 'g', Name: 'G', StructuralEntityKeys: ['a', 'b'] }
  const reordered = { ...group, StructuralEntityKeys: ['b', 'a', 'a'] }
  await put(tenant, paths.groups, group, reordered, { ...group, Name: 'Renamed' })
  expect(await groups()).toEqual(['created g', 'updated g'])
  expect((await tenant.delete(at(paths.entities, 'a'))).status).toBe(204)
  expect((await tenant.delete(at(paths.groups, 'g'))).status).toBe(204)
  expect(await groups()).toEqual(['updated g', 'deleted g'])
})

test("the feeds need the permission to list, refuse each other's cursors, and show nothing of other tenants", async () => {
  const [tenant, other] = [await newTenant(inject('baseUrl')), await newTenant(inject('baseUrl'))]
  await put(other, paths.types, aType('unit'))
  expect((await tenant.get<Page<Change>>(feedPath('structureType'))).body.Edges).toEqual([])
  const cursor = (await other.get<Page<Change>>(feedPath('structureType'))).body.PageInfo.EndCursor
  for (const feed of ['structuralEntity', 'group'])
    expect((await other.get(list(feedPath(feed), { After: cursor }))).status).toBe(400)
  expect(refusal(await other.get(list(feedPath('group'), { First: '0' })))).toEqual(
    invalid('out-of-range /query/First'),
  )
  const reader = await other.client(['List:Group'])
  const statuses = ['structuralEntity', 'structureType', 'group'].map(
    async feed => (await reader.get(feedPath(feed))).status,
  )
  expect(await Promise.all(statuses)).toEqual([403, 403, 200])
})
