// Groups of users.
import { beforeEach, describe, expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { newTenant } from '../support/api.js'
import { openDatabase } from '../support/factories.js'
import { at, invalid, paths, put, refusal } from '../support/frame.js'

const db = openDatabase()

const users = ['ann', 'bob', 'eve/1 %'].map(id => ({ id, displayName: id }))
const tenant = await newTenant(inject('baseUrl'), {}, { users })
const groups = ['a', 'b', 'c/ü', 'D']
for (const Key of groups) await put(tenant, paths.groups, { Key, Name: Key })
const groupsOf = (id: string) => `/api/v1/users/${encodeURIComponent(id)}/groups`
const without = (id: string, ...keys: string[]) =>
  tenant.delete(`${groupsOf(id)}?${keys.map(key => `groupKey=${encodeURIComponent(key)}`).join('&')}`)

/** No endpoint tells which groups a user is in. */
const stored = async (userId: string): Promise<string[]> =>
  (
    await db('user_groups')
      .where({ tenant_id: await tenantIdOf(db, tenant.tenantKey), user_id: userId })
      .orderBy('group_key')
  ).map(row => row.group_key)

beforeEach(async () => {
  await without('ann', ...groups)
})

test('POST adds to groups, 204 without a body; groups the user is in already stay, and a key given twice is one', async () => {
  const first = await tenant.post(groupsOf('ann'), ['b', 'a', 'b'])
  expect([first.status, first.body]).toEqual([204, ''])
  expect(await stored('ann')).toEqual(['a', 'b'])
  expect((await tenant.post(groupsOf('ann'), ['a', 'c/ü'])).status).toBe(204)
  expect(await stored('ann')).toEqual(['a', 'b', 'c/ü'])
  expect(await stored('bob')).toEqual([])
})

test('DELETE takes out of the groups named, 204 without a body; not being there is no fault', async () => {
  await tenant.post(groupsOf('ann'), groups)
  await tenant.post(groupsOf('bob'), ['a'])
  const first = await without('ann', 'a', 'c/ü', 'a')
  expect([first.status, first.body]).toEqual([204, ''])
  expect(await stored('ann')).toEqual(['D', 'b'])
  expect((await without('ann', 'a', 'b')).status).toBe(204)
  expect(await stored('ann')).toEqual(['D'])
  expect(await stored('bob')).toEqual(['a'])
})

test('a user is found whose id has characters that paths must escape', async () => {
  expect((await tenant.post(groupsOf('eve/1 %'), ['a'])).status).toBe(204)
  expect(await stored('eve/1 %')).toEqual(['a'])
})

describe('a user that does not exist is 404, whatever the keys', () => {
  test.each(['nobody', 'ANN', 'ann ', 'é'])('%s', async id => {
    const gone = { status: 404, code: 'not-found', errors: [] }
    for (const keys of [['a'], ['a', 'unknown']]) {
      expect(refusal(await tenant.post(groupsOf(id), keys))).toEqual(gone)
      expect(refusal(await without(id, ...keys))).toEqual(gone)
    }
  })

  test("another tenant's", async () => {
    const other = await newTenant(inject('baseUrl'), {}, { users: [{ id: 'theirs', displayName: 'T' }] })
    await put(other, paths.groups, { Key: 'a', Name: 'a' })
    expect(refusal(await tenant.post(groupsOf('theirs'), ['a']))).toMatchObject({ status: 404 })
    expect((await other.post(groupsOf('theirs'), ['a'])).status).toBe(204)
  })
})

const wrong: [name: string, body: unknown, ...errors: string[]][] = [
  ['an empty list', [], 'too-few '],
  ['no list', { groupKeys: ['a'] }, 'wrong-type '],
  [
    'unknown keys, all listed',
    ['x', 'a', 'A', ''],
    'unknown-group /0 #0',
    'unknown-group /2 #2',
    'unknown-group /3 #3',
  ],
  [
    'keys that are no texts, with those that are unknown',
    ['a', 1, 'x', null, ['b']],
    'wrong-type /1 #1',
    'unknown-group /2 #2',
    'wrong-type /3 #3',
    'wrong-type /4 #4',
  ],
  ['a key of 256', ['x', 'k'.repeat(256)], 'unknown-group /0 #0', 'too-long /1 #1'],
]
test.each(wrong)('POST of %s is 400, and nothing is written', async (_, body, ...errors) => {
  const trimmed = errors.map(error => error.trim())
  expect(refusal(await tenant.post(groupsOf('ann'), body))).toEqual(invalid(...trimmed))
  expect(await stored('ann')).toEqual([])
})

const wrongQueries: [query: string, ...errors: string[]][] = [
  ['', 'required /query/groupKey'],
  ['?groupKey=x&groupKey=a&groupKey=', 'unknown-group /query/groupKey/0', 'unknown-group /query/groupKey/2'],
  ['?groupKey=a&keys=b', 'unknown-parameter /query/keys'],
]
test.each(wrongQueries)('DELETE with "%s" is 400, and nothing is taken away', async (query, ...errors) => {
  await tenant.post(groupsOf('ann'), ['a'])
  expect(refusal(await tenant.delete(`${groupsOf('ann')}${query}`))).toEqual(invalid(...errors))
  expect(await stored('ann')).toEqual(['a'])
})

test('Create:UserGroup and Delete:UserGroup are needed, each for its own', async () => {
  const [adds, removes] = await tenant.clients([['Create:UserGroup'], ['Delete:UserGroup', 'Edit:Group']])
  const address = `${groupsOf('ann')}?groupKey=a`
  const forbidden = { status: 403, type: '/problems/forbidden' }
  expect((await removes?.post(groupsOf('ann'), ['a']))?.body).toMatchObject(forbidden)
  expect(await stored('ann')).toEqual([])
  expect((await adds?.post(groupsOf('ann'), ['a']))?.status).toBe(204)
  expect((await adds?.delete(address))?.body).toMatchObject(forbidden)
  expect(await stored('ann')).toEqual(['a'])
  expect((await removes?.delete(address))?.status).toBe(204)
})

test('a deleted group takes its memberships with it, and one of its key starts without members', async () => {
  await put(tenant, paths.groups, { Key: 'passing', Name: 'p' })
  await tenant.post(groupsOf('ann'), ['passing', 'a'])
  expect((await tenant.delete(at(paths.groups, 'passing'))).status).toBe(204)
  expect(await stored('ann')).toEqual(['a'])
  await put(tenant, paths.groups, { Key: 'passing', Name: 'p' })
  expect(await stored('ann')).toEqual(['a'])
})

test('a group that is replaced keeps its members', async () => {
  await tenant.post(groupsOf('ann'), ['a'])
  await put(tenant, paths.groups, { Key: 'a', Name: 'Other name' })
  expect(await stored('ann')).toEqual(['a'])
})

test('groups that are deleted while users are added to them leave no membership', async () => {
  const keys = Array.from({ length: 20 }, (_, n) => `race-${n}`)
  for (const Key of keys) await put(tenant, paths.groups, { Key, Name: Key })
  const answers = await Promise.all(
    keys.flatMap(key => [
      tenant.post(groupsOf('ann'), [key]),
      tenant.post(groupsOf('bob'), [key, 'a']),
      tenant.delete(at(paths.groups, key)),
    ]),
  )
  for (const { status } of answers) expect([204, 400]).toContain(status)
  expect((await stored('ann')).filter(key => key.startsWith('race'))).toEqual([])
  expect((await stored('bob')).filter(key => key.startsWith('race'))).toEqual([])
})
