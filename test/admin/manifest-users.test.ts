// Users in a manifest.
import { beforeEach, describe, expect, inject, test } from 'vitest'
import { type Api, api, newTenant, tokenOf } from '../support/api.js'
import { aClient } from '../support/factories.js'
import { at, list, paths, put } from '../support/frame.js'
import { manifestOf } from '../support/manifest.js'

interface UserRead {
  id: string
  displayName: string
  active: boolean
  groups: string[]
}

let tenant: Awaited<ReturnType<typeof manifestOf>>
let clients: object[]
/** A client of the tenant that may do everything. */
let frame: Api
beforeEach(async () => {
  tenant = await manifestOf()
  const client = aClient({ secret: 'a secret of enough length', permissions: ['*'] })
  clients = [client]
  await tenant.put({ clients })
  const { id, secret } = client as typeof client & { secret: string }
  const token = await tokenOf(inject('baseUrl'), { id, secret, tenantKey: tenant.tenantKey, scope: 'FrameApi' })
  frame = api(inject('baseUrl'), token)
  for (const Key of ['a', 'b', 'c,d']) await put(frame, paths.groups, { Key, Name: Key })
})

const user = (id: string, more: object = {}) => ({ id, displayName: `User ${id}`, ...more })
const apply = (...users: object[]) => tenant.put({ clients, users })
const readUsers = async () => (await tenant.get<{ users: UserRead[] }>()).body.users
const groupsNow = async () => Object.fromEntries((await readUsers()).map(({ id, groups }) => [id, groups]))

test('users are read back by id, with defaults and the groups they are in', async () => {
  await apply(user('u2', { active: false, groups: ['b', 'a', 'b'] }), user('u1'))
  expect(await readUsers()).toEqual([
    { id: 'u1', displayName: 'User u1', active: true, groups: [] },
    { id: 'u2', displayName: 'User u2', active: false, groups: ['a', 'b'] },
  ])
  const { body } = await tenant.put((await tenant.get()).body)
  expect(body.changes).toEqual([])
})

test('the users of the API are those of the manifest: added, renamed, made inactive, taken away', async () => {
  const listed = async () => (await frame.get(list('/api/v1/users', { includeInactive: 'false' }))).body
  await apply(user('u1'), user('u2'), user('u3'))
  expect(await listed()).toEqual(['u1', 'u2', 'u3'].map(id => ({ id, displayName: `User ${id}` })))
  await apply(user('u1', { displayName: 'Renamed' }), user('u2', { active: false }), user('u4'))
  expect(await listed()).toEqual([
    { id: 'u1', displayName: 'Renamed' },
    { id: 'u4', displayName: 'User u4' },
  ])
  await tenant.put({ clients })
  expect(await listed()).toEqual([])
})

test('the changes name users by their ids, and a plan tells them before', async () => {
  await apply(user('u1', { groups: ['a'] }), user('u2'), user('__proto__'))
  const users = [user('u1', { active: false, groups: ['b', 'a'] }), user('u3', { groups: ['a'] }), user('u2')]
  const planned = (await tenant.plan({ clients, users })).body.changes
  expect(planned).toEqual([
    {
      path: '/users/__proto__',
      change: 'deleted',
      before: { displayName: 'User __proto__', active: true, groups: [] },
    },
    { path: '/users/u1/active', change: 'updated', before: true, after: false },
    { path: '/users/u1/groups', change: 'updated', before: ['a'], after: ['a', 'b'] },
    { path: '/users/u3', change: 'created', after: { displayName: 'User u3', active: true, groups: ['a'] } },
  ])
  expect(await groupsNow()).toEqual({ u1: ['a'], u2: [], ['__proto__']: [] })
  expect((await apply(...users)).body.changes).toEqual(planned)
  expect((await apply(...users)).body.changes).toEqual([])
})

describe('the groups of a user', () => {
  test('stay as the API has made them where the manifest does not give them', async () => {
    await apply(user('u1'), user('u2', { groups: ['a'] }))
    await frame.post('/api/v1/users/u1/groups', ['a', 'c,d'])
    const { body } = await apply(user('u1', { displayName: 'Renamed' }), user('u2'))
    expect(body.changes).toEqual([
      { path: '/users/u1/displayName', change: 'updated', before: 'User u1', after: 'Renamed' },
    ])
    expect(await groupsNow()).toEqual({ u1: ['a', 'c,d'], u2: ['a'] })
  })

  test('are exactly those that the manifest gives', async () => {
    await apply(user('u1', { groups: ['a', 'b'] }), user('u2', { groups: ['a'] }))
    await frame.post('/api/v1/users/u2/groups', ['b'])
    await apply(user('u1', { groups: ['c,d', 'b'] }), user('u2', { groups: [] }))
    expect(await groupsNow()).toEqual({ u1: ['b', 'c,d'], u2: [] })
  })

  test('go with the user: one of the same id starts without', async () => {
    await apply(user('u1', { groups: ['a'] }))
    await apply()
    await apply(user('u1'))
    expect(await groupsNow()).toEqual({ u1: [] })
  })

  test('go with the group', async () => {
    await apply(user('u1', { groups: ['a', 'b'] }))
    await frame.delete(at(paths.groups, 'a'))
    expect(await groupsNow()).toEqual({ u1: ['b'] })
  })
})

test('a group that is deleted while a manifest puts users into it leaves no membership behind', async () => {
  for (let n = 0; n < 10; n++) {
    await put(frame, paths.groups, { Key: 'race', Name: 'r' })
    const users = [user('u1', { groups: ['race', 'a'] })]
    const [applied] = await Promise.all([apply(...users), frame.delete(at(paths.groups, 'race'))])
    expect([200, 400]).toContain(applied.status)
    for (const groups of Object.values(await groupsNow())) expect(groups).not.toContain('race')
    await apply()
  }
})

test('ten thousand users come, change and go in a manifest each', { timeout: 120_000 }, async () => {
  const users = (name: string, ...groups: string[]) =>
    Array.from({ length: 10_000 }, (_, n) => ({ id: `user-${n}`, displayName: `${name} ${n}`, groups }))
  const applied = [
    await apply(...users('Name', 'a', 'b')),
    await apply(...users('Other', 'b')),
    await apply(...users('Other', 'b').slice(0, 3)),
  ]
  expect(applied.map(({ status, body }) => [status, body.changes.length])).toEqual([
    [200, 10_000],
    [200, 20_000],
    [200, 9_997],
  ])
  expect((await readUsers()).map(({ displayName, groups }) => [displayName, groups])).toEqual([
    ['Other 0', ['b']],
    ['Other 1', ['b']],
    ['Other 2', ['b']],
  ])
})

test("users of one tenant are none of another's", async () => {
  const other = await newTenant(inject('baseUrl'), {}, { users: [user('u1'), user('u9')] })
  await apply(user('u1', { displayName: 'Mine' }))
  await apply()
  expect((await other.get('/api/v1/users')).body).toEqual([
    { id: 'u1', displayName: 'User u1' },
    { id: 'u9', displayName: 'User u9' },
  ])
})
