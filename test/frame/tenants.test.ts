// Separation of tenants in the frame API.
import { beforeEach, describe, expect, inject, test } from 'vitest'
import { newTenant, type Problem, type Reply, type Tenant } from '../support/api.js'
import { anEntity, aType, plant } from '../support/factories.js'
import { at, type GroupBody, keysOf, list, paths, put, readTree, refusal } from '../support/frame.js'

let tenant: Tenant
let other: Tenant
beforeEach(async () => {
  tenant = await newTenant(inject('baseUrl'))
  other = await newTenant(inject('baseUrl'))
  await plant(tenant, { mine: null })
  await plant(other, { theirs: null, leaf: 'theirs' })
  await put(other, paths.types, aType('their type'))
  await put(other, paths.groups, { Key: 'their group', Name: 'G', StructuralEntityKeys: ['leaf'] })
})

/** An answer without what differs in every answer, and with the key that was asked for put out of sight. */
const told = ({ status, body }: Reply, key: string) => {
  const { traceId: _, ...problem } = body as Problem
  return { status, body: JSON.stringify(problem).replaceAll(key, '…').replaceAll(encodeURIComponent(key), '…') }
}

describe.each([
  ['types', paths.types, 'their type'],
  ['entities', paths.entities, 'leaf'],
  ['groups', paths.groups, 'their group'],
])('of %s', (_, path, theirs) => {
  test("another tenant's key answers, letter for letter, what a key that does not exist answers", async () => {
    for (const method of ['GET', 'DELETE']) {
      const foreign = await tenant.send(method, at(path, theirs))
      const unknown = await tenant.send(method, at(path, 'nowhere'))
      expect(foreign.status).toBe(404)
      expect(told(foreign, theirs)).toEqual(told(unknown, 'nowhere'))
    }
    expect((await other.get(at(path, theirs))).status).toBe(200)
  })

  test("the lists, counts and searches know nothing of another tenant's", async () => {
    expect(await keysOf(tenant, path)).not.toContain(theirs)
    const { body } = await tenant.get<{ PageInfo: object }>(list(path, { SearchTerm: theirs }))
    expect(body.PageInfo).toMatchObject({ TotalCount: 0 })
  })
})

test("another tenant's keys are as unknown in references as any other", async () => {
  const cases: [string, string, (key: string) => object][] = [
    ['leaf', paths.entities, ParentKey => anEntity('x', { ParentKey })],
    ['their type', paths.entities, StructureTypeKey => anEntity('x', { StructureTypeKey })],
    ['leaf', paths.groups, key => ({ Key: 'x', Name: 'X', StructuralEntityKeys: [key] })],
  ]
  for (const [theirs, path, body] of cases) {
    for (const [where, wrap] of [
      [path, body],
      [`${path}/bulk`, (key: string) => [body(key)]],
    ] as const) {
      const foreign = await tenant.put(where, wrap(theirs))
      expect([400, 404]).toContain(foreign.status)
      expect(told(foreign, theirs)).toEqual(told(await tenant.put(where, wrap('nowhere')), 'nowhere'))
    }
  }
  for (const [name, theirs] of [
    ['ParentKey', 'theirs'],
    ['StructureTypeKey', 'their type'],
  ] as const) {
    const [foreign, unknown] = [list(paths.entities, { [name]: theirs }), list(paths.entities, { [name]: 'nowhere' })]
    expect(told(await tenant.get(foreign), theirs)).toEqual(told(await tenant.get(unknown), 'nowhere'))
  }
  expect(await readTree(tenant)).toEqual({ mine: '-@1' })
})

test('the same keys live in two tenants without touching each other', async () => {
  await plant(tenant, { theirs: 'mine', leaf: null, extra: 'leaf' })
  await put(tenant, paths.groups, { Key: 'their group', Name: 'Mine', StructuralEntityKeys: ['mine', 'leaf'] })
  expect(await readTree(other)).toEqual({ theirs: '-@1', leaf: 'theirs@2' })

  await put(tenant, `${paths.entities}/bulk`, [anEntity('theirs', { ParentKey: 'extra' }), anEntity('mine')])
  await put(other, paths.entities, anEntity('theirs', { DisplayName: 'Renamed' }))
  expect(await readTree(tenant)).toEqual({ mine: '-@1', leaf: '-@1', extra: 'leaf@2', theirs: 'extra@3' })
  expect(await readTree(other)).toEqual({ theirs: '-@1', leaf: 'theirs@2' })
  expect((await tenant.get(at(paths.entities, 'theirs'))).body).toMatchObject({ DisplayName: 'Entity theirs' })

  expect(refusal(await tenant.delete(at(paths.entities, 'leaf')))).toMatchObject({ status: 409 })
  expect((await other.delete(at(paths.entities, 'leaf'))).status).toBe(204)
  expect((await tenant.get<GroupBody>(at(paths.groups, 'their group'))).body).toEqual({
    Key: 'their group',
    DisplayName: 'Mine',
    StructuralEntityKeys: ['leaf', 'mine'],
  })
  expect((await other.get<GroupBody>(at(paths.groups, 'their group'))).body.StructuralEntityKeys).toEqual([])
})

test('an item that exists in another tenant is new here: it needs Create, and Edit is not enough', async () => {
  await plant(other, { shared: null })
  const creator = await tenant.client(['Create:StructuralEntity'])
  const editor = await tenant.client(['Edit:StructuralEntity'])
  expect(refusal(await editor.put(paths.entities, anEntity('shared')))).toMatchObject({ status: 403 })
  expect((await creator.put(paths.entities, anEntity('shared'))).status).toBe(201)
  expect(await readTree(tenant)).toEqual({ mine: '-@1', shared: '-@1' })
})
