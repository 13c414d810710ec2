import { beforeAll, describe, expect, inject, test } from 'vitest'
import { newTenant, type Tenant } from '../support/api.js'
import { anEntity, aType, keysOf, list, type Page, paths, plant, put } from '../support/frame.js'

const named: Record<string, string> = {
  'clinic-a': 'Clinique de la Forêt',
  'clinic-b': 'CLINIQUE DU LAC',
  'ward-100%': 'Ward one',
  'ward-100x': 'Ward two',
  snow_case: 'Under score',
  snowXcase: 'Any letter',
  'back\\slash': 'Odd one',
  hospital: '🏥 Hôpital',
  home: '🏠 Home',
  Größe: 'Straße 7',
  quoted: `O'Neill "Ward"`,
}

let tenant: Tenant
beforeAll(async () => {
  tenant = await newTenant(inject('baseUrl'))
  const all = Object.entries(named)
  await put(tenant, paths.types, aType('unit', { Name: 'zzz' }))
  await put(
    tenant,
    `${paths.types}/bulk`,
    all.map(([Key, Name]) => aType(Key, { Name })),
  )
  await put(
    tenant,
    `${paths.entities}/bulk`,
    all.map(([Key, DisplayName]) => anEntity(Key, { DisplayName })),
  )
  await put(
    tenant,
    `${paths.groups}/bulk`,
    all.map(([Key, Name]) => ({ Key, Name })),
  )
})

const searches: [term: string, keys: string[]][] = [
  ['clinique', ['clinic-a', 'clinic-b']],
  ['CLINIQUE', ['clinic-a', 'clinic-b']],
  ['foret', ['clinic-a']],
  ['FORÊT', ['clinic-a']],
  ['hopital', ['hospital']],
  ['niq', ['clinic-a', 'clinic-b']],
  ['clinic-', ['clinic-a', 'clinic-b']],
  ['CLINIC-B', ['clinic-b']],
  ['größe', ['Größe']],
  ['grosse 7', []],
  ['clinique lac', ['clinic-b']],
  ['  lac \t clinique ', ['clinic-b']],
  ['lac clinic-b', ['clinic-b']],
  ['clinique forêt lac', []],
  ['ward two', ['ward-100x']],
  ['100%', ['ward-100%']],
  ['%', ['ward-100%']],
  ['***', []],
  ['_', ['snow_case']],
  ['snow_case', ['snow_case']],
  ['\\', ['back\\slash']],
  ['\\%', []],
  ['k\\s', ['back\\slash']],
  [`o'neill`, ['quoted']],
  ['"ward"', ['quoted']],
  [`' OR 1=1 --`, []],
  ['🏥', ['hospital']],
  ['nothing of the kind', []],
]

describe.each([
  ['types', paths.types],
  ['entities', paths.entities],
  ['groups', paths.groups],
])('the search in %s', (_, path) => {
  test.each(searches)(
    'for %j finds %j: every word, in name or key, whatever the case or accent',
    async (term, keys) => {
      expect(await keysOf(tenant, path, { SearchTerm: term })).toEqual(keys.toSorted())
      const { body } = await tenant.get<Page<object>>(list(path, { searchterm: term, First: '1' }))
      expect(body.PageInfo).toMatchObject({ TotalCount: keys.length, HasNextPage: keys.length > 1 })
    },
  )

  test.each(['', '  '])('for %j, which has no word, finds all', async term => {
    const all = Object.keys(named).concat(path === paths.types ? ['unit'] : [])
    expect(await keysOf(tenant, path, { SearchTerm: term })).toEqual(all.toSorted())
  })
})

test('a search is paged in its own set', async () => {
  const first = await tenant.get<Page<{ Key: string }>>(list(paths.entities, { SearchTerm: 'ward', First: '2' }))
  expect(first.body.Edges.map(edge => edge.Node.Key)).toEqual(['quoted', 'ward-100%'])
  expect(first.body.PageInfo).toMatchObject({ TotalCount: 3, HasNextPage: true })
  const query = { SearchTerm: 'ward', First: '2', After: first.body.PageInfo.EndCursor }
  const { body } = await tenant.get<Page<{ Key: string }>>(list(paths.entities, query))
  expect(body.Edges.map(edge => edge.Node.Key)).toEqual(['ward-100x'])
  expect(body.PageInfo).toMatchObject({ TotalCount: 3, HasNextPage: false, HasPreviousPage: true })
})

test('what is renamed or deleted is found as it is now', async () => {
  const own = await newTenant(inject('baseUrl'))
  await plant(own, { a: null, b: null })
  await put(own, paths.entities, anEntity('a', { DisplayName: 'Lighthouse' }))
  expect(await keysOf(own, paths.entities, { SearchTerm: 'light' })).toEqual(['a'])
  await own.delete(`${paths.entities}/a`)
  expect(await keysOf(own, paths.entities, { SearchTerm: 'light' })).toEqual([])
})
