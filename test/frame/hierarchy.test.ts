import { beforeEach, describe, expect, inject, test } from 'vitest'
import { newTenant, type Problem, type Tenant } from '../support/api.js'
import { anEntity, invalid, keysOf, paths, plant, put, readTree, refusal } from '../support/frame.js'

let tenant: Tenant
beforeEach(async () => {
  tenant = await newTenant(inject('baseUrl'))
  await plant(tenant, {
    hospital: null,
    ward: 'hospital',
    room: 'ward',
    bed: 'room',
    lamp: 'bed',
    clinic: null,
    hall: 'clinic',
  })
})

const planted = {
  hospital: '-@1',
  ward: 'hospital@2',
  room: 'ward@3',
  bed: 'room@4',
  lamp: 'bed@5',
  clinic: '-@1',
  hall: 'clinic@2',
}

// What one entity in a PUT does to the tree, an entity in a bulk does too.
const ways: [string, (Key: string, ParentKey: string | null) => ReturnType<Tenant['put']>][] = [
  ['singly', (Key, ParentKey) => tenant.put(paths.entities, anEntity(Key, { ParentKey }))],
  ['in bulk', (Key, ParentKey) => tenant.put(`${paths.entities}/bulk`, [anEntity(Key, { ParentKey })])],
]

describe.each(ways)('%s', (way, move) => {
  const at = (pointer: string) => (way === 'singly' ? pointer : `/0${pointer} #0`)

  test('a new parent moves the whole subtree, and every depth below follows', async () => {
    expect((await move('room', 'hall')).status).toBeLessThan(300)
    expect(await readTree(tenant)).toEqual({ ...planted, room: 'hall@3' })
    expect((await move('ward', 'hall')).status).toBeLessThan(300)
    expect((await move('room', 'ward')).status).toBeLessThan(300)
    expect(await readTree(tenant)).toEqual({
      ...planted,
      ward: 'hall@3',
      room: 'ward@4',
      bed: 'room@5',
      lamp: 'bed@6',
    })
  })

  test('without a parent the subtree becomes a tree of its own', async () => {
    expect((await move('room', null)).status).toBeLessThan(300)
    expect(await readTree(tenant)).toEqual({ ...planted, room: '-@1', bed: 'room@2', lamp: 'bed@3' })
  })

  test('the same parent again changes nothing', async () => {
    expect((await move('room', 'ward')).status).toBeLessThan(300)
    expect(await readTree(tenant)).toEqual(planted)
  })

  test.each([
    ['itself', 'ward', 'ward', 'ward → ward'],
    ['a child', 'ward', 'room', 'ward → room → ward'],
    ['a descendant far below', 'hospital', 'lamp', 'hospital → lamp → bed → room → ward → hospital'],
  ])('under %s is refused, the cycle named, and nothing moves', async (_, key, parent, cycle) => {
    const answer = await move(key, parent)
    expect(refusal(answer)).toEqual(invalid(`cycle ${at('/ParentKey')}`))
    expect((answer.body as Problem).errors?.[0]?.detail).toBe(`An entity cannot be below itself: ${cycle}.`)
    expect(await readTree(tenant)).toEqual(planted)
  })

  test('a new entity cannot be its own parent', async () => {
    expect(refusal(await move('new', 'new'))).toEqual(invalid(`cycle ${at('/ParentKey')}`))
    expect(await readTree(tenant)).toEqual(planted)
  })
})

test('filters see the moved tree: children by parent, levels by depth', async () => {
  await put(tenant, paths.entities, anEntity('ward', { ParentKey: 'hall' }))
  expect(await keysOf(tenant, paths.entities, { ParentKey: 'hall' })).toEqual(['ward'])
  expect(await keysOf(tenant, paths.entities, { ParentKey: 'hospital' })).toEqual([])
  expect(await keysOf(tenant, paths.entities, { Depth: '2' })).toEqual(['hall'])
  expect(await keysOf(tenant, paths.entities, { Depth: '5' })).toEqual(['bed'])
  expect(await keysOf(tenant, paths.entities, { Depth: '6' })).toEqual(['lamp'])
})

test('one batch may turn a chain upside down, and what hangs below it follows', async () => {
  const batch = [
    anEntity('hospital', { ParentKey: 'ward' }),
    anEntity('ward', { ParentKey: 'room' }),
    anEntity('room', { ParentKey: null }),
  ]
  expect((await tenant.put(`${paths.entities}/bulk`, batch)).status).toBe(204)
  expect(await readTree(tenant)).toEqual({
    ...planted,
    room: '-@1',
    bed: 'room@2',
    lamp: 'bed@3',
    ward: 'room@2',
    hospital: 'ward@3',
  })
})

test('two moves that only together make a cycle are refused, and neither happens', async () => {
  const batch = [anEntity('hospital', { ParentKey: 'hall' }), anEntity('clinic', { ParentKey: 'room' })]
  const answer = await tenant.put(`${paths.entities}/bulk`, batch)
  expect(refusal(answer)).toEqual(invalid('cycle /0/ParentKey #0'))
  expect((answer.body as Problem).errors?.[0]?.detail).toBe(
    'An entity cannot be below itself: hospital → hall → clinic → room → ward → hospital.',
  )
  expect(await readTree(tenant)).toEqual(planted)
})

test('depths are right when one batch of several transactions moves an entity and then one between it and its subtree', async () => {
  // `ward` comes up to the first level in the first thousand; `bed` and `lamp` are only reached in the second, where `bed`
  // moves and `lamp` ends where it began, so that only what is below `lamp` shows whether the way down was followed.
  const below = Object.fromEntries(['wire', 'plug'].map((key, n) => [key, n === 0 ? 'lamp' : 'wire']))
  await plant(tenant, below)
  const deep = Object.fromEntries(['d1', 'd2', 'd3'].map((key, n) => [key, n === 0 ? null : `d${n}`]))
  await plant(tenant, deep)
  const filler = Array.from({ length: 1000 }, (_, n) => anEntity(`z${n}`))
  const batch = [
    anEntity('ward'),
    ...filler,
    anEntity('bed', { ParentKey: 'd3' }),
    anEntity('lamp', { ParentKey: 'bed' }),
  ]
  expect((await tenant.put(`${paths.entities}/bulk`, batch)).status).toBe(204)
  const tree = await readTree(tenant)
  expect(Object.keys(tree)).toHaveLength(1000 + 12)
  expect(tree).toMatchObject({
    ward: '-@1',
    room: 'ward@2',
    bed: 'd3@4',
    lamp: 'bed@5',
    wire: 'lamp@6',
    plug: 'wire@7',
  })
})
