// Permissions of the frame API.
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { type Api, newTenant, type Tenant } from '../support/api.js'
import { anEntity, aType, plant } from '../support/factories.js'
import { at, keysOf, paths, put, readAll, readTree, refusal } from '../support/frame.js'

const actions = ['List', 'View', 'Create', 'Edit', 'Delete']
const all = ['StructuralEntity', 'Group'].flatMap(resource => actions.map(action => `${action}:${resource}`))

let tenant: Tenant
const clients = new Map<string, Api>()
/** The client that has this permission alone; with `not` before it, the one that has all others. */
function client(permission: string): Api {
  const found = clients.get(permission)
  if (!found) throw new Error(`No client for ${permission}`)
  return found
}
beforeAll(async () => {
  tenant = await newTenant(inject('baseUrl'))
  await plant(tenant, { there: null })
  await put(tenant, paths.types, aType('there'))
  await put(tenant, paths.groups, { Key: 'there', Name: 'There' })
  const names = all.flatMap(permission => [permission, `not ${permission}`])
  const grants = all.flatMap(permission => [[permission], all.filter(each => each !== permission)])
  for (const resource of ['StructuralEntity', 'Group']) {
    names.push(`all of ${resource}`)
    grants.push(actions.map(action => `${action}:${resource}`))
  }
  const added = await tenant.clients(grants)
  for (const [n, each] of added.entries()) clients.set(names[n] ?? '', each)
})

const resources: [string, string, string, (Key: string) => object][] = [
  ['structure types', paths.types, 'StructuralEntity', Key => aType(Key)],
  ['structural entities', paths.entities, 'StructuralEntity', Key => anEntity(Key)],
  ['groups', paths.groups, 'Group', Key => ({ Key, Name: `Group ${Key}` })],
]

describe.each(resources)('%s', (_, path, resource, body) => {
  const changed = { ...body('there'), Name: 'Changed', DisplayName: 'Changed' }
  const endpoints: [string, string, (client: Api, key: string) => ReturnType<Api['get']>][] = [
    ['List', 'a list', client => client.get(path)],
    ['View', 'a get', client => client.get(at(path, 'there'))],
    ['Create', 'a PUT of a new one', (client, key) => client.put(path, body(key))],
    ['Edit', 'a PUT of one that is there', client => client.put(path, changed)],
    ['Create', 'a bulk of new ones', (client, key) => client.put(`${path}/bulk`, [body(key)])],
    ['Edit', 'a bulk of those that are there', client => client.put(`${path}/bulk`, [changed])],
    ['Delete', 'a delete', (client, key) => client.delete(at(path, key))],
  ]

  test.each(endpoints)('%s is necessary and sufficient for %s', async (action, what, call) => {
    const permission = `${action}:${resource}`
    const key = `for ${what}`
    if (action === 'Delete') await put(tenant, path, body(key))
    const before = await readAll(tenant, path)
    const answer = await call(client(`not ${permission}`), key)
    expect(refusal(answer)).toMatchObject({ status: 403, code: 'forbidden' })
    expect(answer.body).toMatchObject({ detail: expect.stringContaining(permission) })
    expect(await readAll(tenant, path)).toEqual(before)
    expect((await call(client(permission), key)).status).toBeLessThan(300)
    await tenant.delete(at(path, key))
    await put(tenant, path, body('there'))
  })

  test('a bulk needs what each item needs: those that lack it are named, and nothing is written', async () => {
    const before = await keysOf(tenant, path)
    const batch = [body('new one'), body('there'), body('new two')]
    expect(refusal(await client(`Edit:${resource}`).put(`${path}/bulk`, batch))).toEqual({
      status: 403,
      code: 'forbidden',
      errors: ['missing-permission /0 #0', 'missing-permission /2 #2'],
    })
    expect(refusal(await client(`Create:${resource}`).put(`${path}/bulk`, batch))).toEqual({
      status: 403,
      code: 'forbidden',
      errors: ['missing-permission /1 #1'],
    })
    expect(await keysOf(tenant, path)).toEqual(before)
    const both = client(`not Delete:${resource}`)
    expect((await both.put(`${path}/bulk`, batch)).status).toBe(204)
    for (const key of ['new one', 'new two']) await tenant.delete(at(path, key))
  })

  test('the permissions of another resource open nothing', async () => {
    const other = resource === 'Group' ? 'StructuralEntity' : 'Group'
    for (const [, , call] of endpoints)
      expect(refusal(await call(client(`all of ${other}`), 'x'))).toMatchObject({ status: 403 })
    expect(await keysOf(tenant, path)).not.toContain('x')
  })

  test('without a token, or with a broken one, every request is 401', async () => {
    for (const authorization of ['', 'Bearer broken', 'Basic YTpi']) {
      const answer = await tenant.get(path, { authorization })
      expect(refusal(answer)).toMatchObject({ status: 401, code: 'unauthenticated' })
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/)
    }
  })
})

test('one item of a thousand without permission: 403 that names it, and nothing is written', async () => {
  const batch = Array.from({ length: 1_000 }, (_, n) => anEntity(`k${n}`))
  batch[617] = anEntity('there', { DisplayName: 'Changed' })
  const creator = client('Create:StructuralEntity')
  expect(refusal(await creator.put(`${paths.entities}/bulk`, batch))).toEqual({
    status: 403,
    code: 'forbidden',
    errors: ['missing-permission /617 #617'],
  })
  expect(await readTree(tenant)).toEqual({ there: '-@1' })
})

test('a token without the scope FrameApi is refused everywhere', async () => {
  const forms = await tenant.client(['*'], ['FormsApi'])
  for (const [, path] of resources) {
    expect(refusal(await forms.get(path))).toMatchObject({ status: 403, code: 'insufficient-scope' })
  }
})
