// Users.
import { describe, expect, inject, test } from 'vitest'
import { newTenant } from '../support/api.js'
import { openDatabase, plant, storeSubject } from '../support/factories.js'
import { invalid, list, paths, put, refusal } from '../support/frame.js'

const db = openDatabase()

const path = '/api/v1/users'
const user = (id: string, displayName: string, more: object = {}) => ({ id, displayName, ...more })
const tenant = await newTenant(
  inject('baseUrl'),
  {},
  {
    users: [
      user('u3', 'Zoë Ångström'),
      user('u2', 'Anna Berg'),
      user('u1', 'anna berg'),
      user('u4', 'Bergljot 100%'),
      user('u5', 'Carl Berg', { active: false }),
      user('u6', 'Under_score'),
    ],
  },
)
const found = async (query: Record<string, string> = {}) => {
  const { status, body } = await tenant.get<{ id: string }[]>(list(path, query))
  expect(status).toBe(200)
  return body.map(({ id }) => id)
}

test('the list is a bare array of all active users, by name whatever the case, then by id', async () => {
  const { status, body } = await tenant.get(path)
  expect([status, body]).toEqual([
    200,
    [
      { id: 'u1', displayName: 'anna berg' },
      { id: 'u2', displayName: 'Anna Berg' },
      { id: 'u4', displayName: 'Bergljot 100%' },
      { id: 'u6', displayName: 'Under_score' },
      { id: 'u3', displayName: 'Zoë Ångström' },
    ],
  ])
})

test('a tenant without users has an empty list', async () => {
  expect((await (await newTenant(inject('baseUrl'))).get(path)).body).toEqual([])
})

const searches: [searchTerm: string, ...ids: string[]][] = [
  ['berg', 'u1', 'u2', 'u4'],
  ['BERG  ann', 'u1', 'u2'],
  ['zoe angstrom', 'u3'],
  ['erglj', 'u4'],
  ['anna zoe'],
  ['***'],
  ['%', 'u4'],
  ['_', 'u6'],
  ['', 'u1', 'u2', 'u4', 'u6', 'u3'],
  [' ', 'u1', 'u2', 'u4', 'u6', 'u3'],
  ['u3'],
  ["'"],
  ['\\'],
]
test.each(searches)('searchTerm "%s" finds those in whose names every word occurs', async (searchTerm, ...ids) => {
  expect(await found({ searchTerm })).toEqual(ids)
})

test('includeInactive adds those who are not active', async () => {
  expect(await found({ includeInactive: 'true' })).toEqual(['u1', 'u2', 'u4', 'u5', 'u6', 'u3'])
  expect(await found({ includeInactive: 'true', searchTerm: 'carl' })).toEqual(['u5'])
  expect(await found({ includeInactive: 'false', searchTerm: 'carl' })).toEqual([])
})

test('names of parameters may be in any case', async () => {
  expect(await found({ SEARCHTERM: 'carl', IncludeInactive: 'TRUE' })).toEqual(['u5'])
})

describe('withAccessToSubjectId', async () => {
  await plant(tenant, { root: null, ward: 'root', bed: 'ward', other: 'root' })
  for (const [Key, ...StructuralEntityKeys] of [['of-root', 'root'], ['of-ward', 'ward', 'other'], ['of-none']]) {
    await put(tenant, paths.groups, { Key, Name: Key, StructuralEntityKeys })
  }
  const member = (id: string, ...groups: string[]) => tenant.post(`${path}/${id}/groups`, groups)
  await member('u1', 'of-ward')
  await member('u2', 'of-root')
  await member('u3', 'of-ward', 'of-root', 'of-none')
  await member('u4', 'of-none')
  await member('u5', 'of-ward')
  const inWard = await storeSubject(db, tenant.tenantKey, {}, ['ward'])
  const inTwo = await storeSubject(db, tenant.tenantKey, {}, ['root', 'other', 'bed'])
  const inBed = await storeSubject(db, tenant.tenantKey, {}, ['bed'])
  const nowhere = await storeSubject(db, tenant.tenantKey)

  const cases: [name: string, subject: string, more: Record<string, string>, ...ids: string[]][] = [
    ['an entity of a group', inWard, {}, 'u1', 'u3'],
    ['two entities: each user once', inTwo, {}, 'u1', 'u2', 'u3'],
    ['an entity below one of a group: nobody', inBed, {}],
    ['no entity: nobody', nowhere, {}],
    ['inactive users on request', inWard, { includeInactive: 'true' }, 'u1', 'u5', 'u3'],
    ['a search as well', inWard, { searchTerm: 'zoe' }, 'u3'],
  ]
  test.each(cases)('finds the users in groups that list where the subject is assigned: %s', async (...given) => {
    const [, withAccessToSubjectId, more, ...ids] = given
    expect(await found({ withAccessToSubjectId, ...more })).toEqual(ids)
  })

  test('with IncludeDescendants, groups that list an entity above count too', async () => {
    const query = { withAccessToSubjectId: inBed, IncludeDescendants: 'true' }
    expect(await found(query)).toEqual(['u1', 'u2', 'u3'])
    expect(await found({ ...query, withAccessToSubjectId: nowhere })).toEqual([])
  })

  test('includes descendants by default for a tenant whose userAccess is descendants', async () => {
    const access = { withAccessToSubjectId: inBed }
    await tenant.change({ userAccess: 'descendants' })
    expect(await found(access)).toEqual(['u1', 'u2', 'u3'])
    expect(await found({ ...access, IncludeDescendants: 'false' })).toEqual([])
    await tenant.change({ userAccess: 'direct' })
    expect(await found(access)).toEqual([])
  })

  test('IncludeDescendants alone is 400', async () => {
    expect(refusal(await tenant.get(list(path, { IncludeDescendants: 'true' })))).toEqual(
      invalid('descendants-without-subject /query/IncludeDescendants'),
    )
  })

  test('follows the groups: an entity added, a user taken out', async () => {
    await put(tenant, paths.groups, { Key: 'of-none', Name: 'n', StructuralEntityKeys: ['bed'] })
    expect(await found({ withAccessToSubjectId: inBed })).toEqual(['u4', 'u3'])
    await tenant.delete(`${path}/u3/groups?groupKey=of-none`)
    expect(await found({ withAccessToSubjectId: inBed })).toEqual(['u4'])
  })

  const other = await newTenant(inject('baseUrl'))
  const theirs = await storeSubject(db, other.tenantKey)
  test.each([['00000000-0000-7000-8000-000000000000'], [theirs]])(
    'of an unknown subject (%s) is 400',
    async withAccessToSubjectId => {
      expect(refusal(await tenant.get(list(path, { withAccessToSubjectId })))).toEqual(
        invalid('unknown-subject /query/withAccessToSubjectId'),
      )
    },
  )
  test.each([['no id'], [''], ['é'], ['\u{1f642}'], [`${inWard} `]])(
    'that is no guid (%s) is 400',
    async withAccessToSubjectId => {
      expect(refusal(await tenant.get(list(path, { withAccessToSubjectId })))).toEqual(
        invalid('wrong-format /query/withAccessToSubjectId'),
      )
    },
  )
  test('is taken in any letter case', async () => {
    expect(await found({ withAccessToSubjectId: inWard.toUpperCase() })).toEqual(['u1', 'u3'])
  })
})

const wrong: [name: string, query: Record<string, string>, ...errors: string[]][] = [
  ['an unknown parameter', { search: 'a' }, 'unknown-parameter /query/search'],
  ['includeInactive that is no boolean', { includeInactive: '1' }, 'wrong-type /query/includeInactive'],
  ['a term of 256', { searchTerm: 'a'.repeat(256) }, 'too-long /query/searchTerm'],
  [
    'several at once',
    { First: '1', includeInactive: 'x' },
    'unknown-parameter /query/First',
    'wrong-type /query/includeInactive',
  ],
]
test.each(wrong)('%s is 400', async (_, query, ...errors) => {
  expect(refusal(await tenant.get(list(path, query)))).toEqual({ status: 400, code: 'validation', errors })
})

test('List:User is needed, and no other', async () => {
  const [may, mayNot] = await tenant.clients([['List:User'], ['View:User', 'List:UserGroup', 'Create:UserGroup']])
  expect((await may?.get(path))?.status).toBe(200)
  expect((await mayNot?.get(path))?.body).toMatchObject({ status: 403, type: '/problems/forbidden' })
})
