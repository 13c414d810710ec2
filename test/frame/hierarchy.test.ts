// Parents, moves and depth of structural entities.
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { transaction } from '../../db/errors.js'
import { newTenant, type Problem, type Tenant } from '../support/api.js'
import { anEntity, aType, plant } from '../support/factories.js'
import { type EntityBody, invalid, keysOf, list, type Page, paths, put, readTree, refusal } from '../support/frame.js'
import { type Random, randomOf } from '../support/random.js'

const tree = { hospital: null, ward: 'hospital', room: 'ward', bed: 'room', lamp: 'bed', clinic: null, hall: 'clinic' }
let tenant: Tenant
tenant = await newTenant(inject('baseUrl'))
// Puts back what the test before has moved.
beforeEach(() => plant(tenant, tree))

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

test('depths are right after a batch in several chunks moves an entity, and then one between it and its descendants', async () => {
  // `ward` comes up to the first level in the first thousand; `bed` and `lamp` are only reached in the second, where `bed`
  // moves and `lamp` ends where it began, so that only what is below `lamp` shows whether the way down was followed.
  const below = Object.fromEntries(['wire', 'plug'].map((key, n) => [key, n === 0 ? 'lamp' : 'wire']))
  const own = await newTenant(inject('baseUrl'))
  await plant(own, { ...tree, ...below })
  const deep = Object.fromEntries(['d1', 'd2', 'd3'].map((key, n) => [key, n === 0 ? null : `d${n}`]))
  await plant(own, deep)
  const filler = Array.from({ length: 1000 }, (_, n) => anEntity(`z${n}`))
  const batch = [
    anEntity('ward'),
    ...filler,
    anEntity('bed', { ParentKey: 'd3' }),
    anEntity('lamp', { ParentKey: 'bed' }),
  ]
  expect((await own.put(`${paths.entities}/bulk`, batch)).status).toBe(204)
  const found = await readTree(own)
  expect(Object.keys(found)).toHaveLength(1000 + 12)
  expect(found).toMatchObject({
    ward: '-@1',
    room: 'ward@2',
    bed: 'd3@4',
    lamp: 'bed@5',
    wire: 'lamp@6',
    plug: 'wire@7',
  })
})

describe('random batches', () => {
  // Random batches against a model: a plain map that knows nothing of how the platform plans, orders or writes.
  interface Place {
    name: string
    parent: string | null
    beds: number | null
  }
  type Model = Map<string, Place>
  /** Depth by walking up; undefined for what is in a cycle or below one. */
  function depthOf(model: Model, key: string): number | undefined {
    let depth = 0
    for (let at: string | null = key; at !== null; at = model.get(at)?.parent ?? null) {
      if (++depth > model.size) return undefined
    }
    return depth
  }

  /** A batch of creates, renames and moves, shuffled; parents from the tree as it is and from the batch. */
  function batchOf(random: Random, model: Model, size: number, round: number): Model {
    const old = [...model.keys()]
    const keys = new Set<string>()
    while (keys.size < size) {
      const fresh = old.length === 0 || random.between(0, 3) === 0
      keys.add(fresh ? `r${round}-${random.between(0, 10_000)}` : (old[random.between(0, old.length)] ?? ''))
    }
    const parents = [...old, ...keys]
    const pick = () => (random.between(0, 6) === 0 ? null : (parents[random.between(0, parents.length)] ?? null))
    return new Map(
      [...keys].map(key => {
        const stays = model.has(key) && random.between(0, 2) === 0
        const parent = stays ? (model.get(key)?.parent ?? null) : pick()
        return [
          key,
          {
            name: `Name ${random.between(0, 1000)}`,
            parent,
            beds: random.between(0, 4) === 0 ? null : random.between(0, 100),
          },
        ]
      }),
    )
  }

  /** Gives up parents, one at a time, until nothing in the tree is below itself. */
  function withoutCycles(model: Model, batch: Model): Model {
    const safe = new Map(batch)
    for (const [key, place] of batch) {
      if (depthOf(new Map([...model, ...safe]), key) === undefined) safe.set(key, { ...place, parent: null })
    }
    return safe
  }

  const shuffled = (random: Random, batch: Model): Model => new Map(random.shuffled([...batch]))

  const bodies = (batch: Model) =>
    [...batch].map(([Key, { name, parent, beds }]) => ({
      Key,
      DisplayName: name,
      StructureTypeKey: 'place',
      ...(parent === null ? {} : { ParentKey: parent }),
      ...(beds === null ? {} : { CustomFieldValues: [{ Key: 'beds', Value: { Integer: { Value: beds } } }] }),
    }))

  const lineOf = (key: string, place: Place, depth: number | undefined) =>
    `${key}: ${place.name}, below ${place.parent ?? '-'}, level ${depth}, ${place.beds ?? 'no'} beds`

  const linesOf = (model: Model) => [...model].map(([key, place]) => lineOf(key, place, depthOf(model, key))).sort()

  /** The whole tree, read page by page. */
  async function linesRead(tenant: Tenant, pageSize: number): Promise<string[]> {
    const lines: string[] = []
    let after = {}
    for (;;) {
      const { body } = await tenant.get<Page<EntityBody>>(list(paths.entities, { First: `${pageSize}`, ...after }))
      for (const { Node } of body.Edges) {
        const [value] = Node.CustomFieldValues
        const place = {
          name: Node.DisplayName,
          parent: Node.ParentKey,
          beds: value ? Number(value.Value.ValueText) : null,
        }
        lines.push(lineOf(Node.Key, place, Node.Depth))
      }
      if (!body.PageInfo.HasNextPage) break
      after = { After: body.PageInfo.EndCursor }
    }
    return lines.sort()
  }

  test.each([1, 2])('random batches leave the tree that a model of it says (seed %i)', async seed => {
    const random = randomOf(seed)
    const tenant = await newTenant(inject('baseUrl'))
    await put(tenant, paths.types, aType('place', { CustomFields: [{ TypeKey: 'Number', Name: 'Beds', Key: 'beds' }] }))
    const model: Model = new Map()
    let refused = 0
    for (let round = 0; round < 9; round++) {
      const wild = batchOf(random, model, 1 + random.between(0, round % 3 === 2 ? 60 : 12), round)
      const safe = withoutCycles(model, wild)
      const cyclic = [...wild].some(([key, { parent }]) => safe.get(key)?.parent !== parent)
      if (cyclic) {
        const answer = refusal(await tenant.put(`${paths.entities}/bulk`, bodies(shuffled(random, wild))))
        expect(answer).toMatchObject({ status: 400, code: 'validation' })
        expect(answer.errors.every(error => /^cycle \/\d+\/ParentKey #\d+$/.test(error))).toBe(true)
        expect(await linesRead(tenant, 50)).toEqual(linesOf(model))
        refused++
      }
      await put(tenant, `${paths.entities}/bulk`, bodies(shuffled(random, safe)))
      for (const [key, place] of safe) model.set(key, place)
      expect(await linesRead(tenant, 20 + random.between(0, 40)), `round ${round}`).toEqual(linesOf(model))

      const [single] = batchOf(random, model, 1, round)
      if (!single || depthOf(new Map([...model, single]), single[0]) === undefined) continue
      const [body] = bodies(new Map([single]))
      expect((await tenant.put(paths.entities, body)).status).toBe(model.has(single[0]) ? 200 : 201)
      model.set(...single)
      expect(await linesRead(tenant, 100), `single of round ${round}`).toEqual(linesOf(model))
    }
    // The rounds must have met what they are for.
    expect(refused).toBeGreaterThan(0)
    expect(Math.max(...[...model.keys()].map(key => depthOf(model, key) ?? 0))).toBeGreaterThan(4)
  })

  test('random batches of several transactions leave the tree that the model says', async () => {
    const random = randomOf(99)
    const tenant = await newTenant(inject('baseUrl'))
    await put(tenant, paths.types, aType('place', { CustomFields: [{ TypeKey: 'Number', Name: 'Beds', Key: 'beds' }] }))
    const model: Model = new Map()
    for (let round = 0; round < 3; round++) {
      const batch = new Map<string, Place>()
      for (let n = 0; n < 1_100; n++) {
        // A parent has a smaller number, so there is no cycle; by a new rule each round, so that nearly everything moves. A tenth
        // is not named and only follows.
        const parent = n < 3 ? null : `k${Math.floor(n / (2 + ((round * 3 + (n % 7)) % 5)))}`
        if (round === 0 || random.between(0, 10) > 0)
          batch.set(`k${n}`, { name: `N${round}`, parent, beds: random.between(0, 9) })
      }
      await put(tenant, `${paths.entities}/bulk`, bodies(shuffled(random, batch)))
      for (const [key, place] of batch) model.set(key, place)
      expect(await linesRead(tenant, 1000)).toEqual(linesOf(model))
    }
  })
})

describe('the greatest depth', () => {
  const max = 1_000
  const db = connect(inject('databaseUrl'), { poolSize: 3 })
  let deep: Tenant
  let tenantId: number
  const parentOf = async (key: string) => (await deep.get<EntityBody>(`${paths.entities}/${key}`)).body
  beforeAll(async () => {
    deep = await newTenant(inject('baseUrl'))
    const chain = Array.from({ length: max }, (_, n) => [`e${n + 1}`, n === 0 ? null : `e${n}`])
    await plant(deep, { ...Object.fromEntries(chain), top: null, middle: 'top', low: 'middle' })
    tenantId = (await db('tenants').where({ tenant_key: deep.tenantKey }).first('id')).id
    // As a chain from before HIERARCHY_MAX_DEPTH was lowered: deeper, and deeper than a server's own limit of recursion.
    const older = Array.from({ length: 100 }, (_, n) => ({
      tenant_id: tenantId,
      entity_key: `e${max + n + 1}`,
      display_name: '',
      parent_key: `e${max + n}`,
      depth: max + n + 1,
      type_key: 'unit',
      updated_at: new Date(),
    }))
    await db('structural_entities').insert(older)
  })
  afterAll(() => db.destroy())

  test('an entity below the greatest depth is refused, singly and in a bulk', async () => {
    const single = await deep.put(paths.entities, anEntity('leaf', { ParentKey: 'e1000' }))
    expect(refusal(single)).toEqual(invalid('too-deep /ParentKey'))
    expect((single.body as Problem).errors?.[0]?.detail).toBe(
      "The entity 'leaf' would be at depth 1001; the greatest depth is 1000.",
    )
    const batch = [
      anEntity('a', { ParentKey: 'e999' }),
      anEntity('b', { ParentKey: 'a' }),
      anEntity('c', { ParentKey: 'b' }),
    ]
    expect(refusal(await deep.put(`${paths.entities}/bulk`, batch))).toEqual(
      invalid('too-deep /1/ParentKey #1', 'too-deep /2/ParentKey #2'),
    )
  })

  test('a move that takes a descendant below it is refused, the moved entity named', async () => {
    const answer = await deep.put(paths.entities, anEntity('top', { ParentKey: 'e998' }))
    expect(refusal(answer)).toEqual(invalid('too-deep /ParentKey'))
    expect((answer.body as Problem).errors?.[0]?.detail).toBe(
      "An entity below 'top' would be at depth 1001; the greatest depth is 1000.",
    )
    const together = [anEntity('top', { ParentKey: 'e998' }), anEntity('low', { ParentKey: null })]
    expect((await deep.put(`${paths.entities}/bulk`, together)).status).toBe(204)
    expect(await parentOf('middle')).toMatchObject({ Depth: 1000 })
  })

  test('entities beyond a lowered limit stay readable and writable, may move up, and get no deeper', async () => {
    const last = { ParentKey: 'e1099', DisplayName: 'Renamed' }
    expect((await deep.put(paths.entities, anEntity('e1100', last))).status).toBe(200)
    expect(await parentOf('e1100')).toMatchObject({ DisplayName: 'Renamed', Depth: 1100 })
    const down = await deep.put(paths.entities, anEntity('e1', { ParentKey: 'low' }))
    expect(refusal(down)).toEqual(invalid('too-deep /ParentKey'))
    const around = await deep.put(paths.entities, anEntity('e2', { ParentKey: 'e1100' }))
    expect(refusal(around)).toEqual(invalid('cycle /ParentKey'))
    expect((await deep.put(paths.entities, anEntity('e2', { ParentKey: null }))).status).toBe(200)
    expect(await parentOf('e1100')).toMatchObject({ Depth: 1099 })
  })

  test('ten writers of a tenant that wait for one another leave the pool to reads and to other tenants', async () => {
    let finish = () => {}
    const held = new Promise<void>(resolve => {
      finish = resolve
    })
    const writers = Array.from({ length: 10 }, () =>
      transaction(db, tenantId, async trx => {
        await trx('tenants').where({ id: tenantId }).first('id')
        await held
      }),
    )
    // A pool of three: the writers have one of them.
    const others = [db('tenants').first('id'), transaction(db, tenantId + 1, trx => trx('tenants').first('id'))]
    expect(await Promise.all(others)).toHaveLength(2)
    finish()
    await Promise.all(writers)
  })
})
