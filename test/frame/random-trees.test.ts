import { expect, inject, test } from 'vitest'
import { newTenant, type Tenant } from '../support/api.js'
import { aType, type EntityBody, list, type Page, paths, put, refusal } from '../support/frame.js'

// Random batches against a model: a plain map that knows nothing of how the platform plans, orders or writes.
interface Place {
  name: string
  parent: string | null
  beds: number | null
}
type Model = Map<string, Place>
type Random = (below: number) => number

/** Whole numbers from 0, the same row of them for the same seed (mulberry32). */
function randomOf(seed: number): Random {
  let state = seed
  return below => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

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
    const fresh = old.length === 0 || random(3) === 0
    keys.add(fresh ? `r${round}-${random(10_000)}` : (old[random(old.length)] ?? ''))
  }
  const parents = [...old, ...keys]
  const pick = () => (random(6) === 0 ? null : (parents[random(parents.length)] ?? null))
  return new Map(
    [...keys].map(key => {
      const stays = model.has(key) && random(2) === 0
      const parent = stays ? (model.get(key)?.parent ?? null) : pick()
      return [key, { name: `Name ${random(1000)}`, parent, beds: random(4) === 0 ? null : random(100) }]
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

const shuffled = (random: Random, batch: Model): Model =>
  new Map(
    [...batch]
      .map(entry => ({ entry, place: random(2 ** 30) }))
      .sort((a, b) => a.place - b.place)
      .map(({ entry }) => entry),
  )

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

test.each([1, 2, 3, 4, 5])(
  'random batches leave the tree that a model of it says (seed %i)',
  async seed => {
    const random = randomOf(seed)
    const tenant = await newTenant(inject('baseUrl'))
    await put(tenant, paths.types, aType('place', { CustomFields: [{ TypeKey: 'Number', Name: 'Beds', Key: 'beds' }] }))
    const model: Model = new Map()
    let refused = 0
    for (let round = 0; round < 14; round++) {
      const wild = batchOf(random, model, 1 + random(round % 3 === 2 ? 60 : 12), round)
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
      expect(await linesRead(tenant, 7 + random(40)), `round ${round}`).toEqual(linesOf(model))

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
  },
  180_000,
)

test('random batches of several transactions leave the tree that the model says', async () => {
  const random = randomOf(99)
  const tenant = await newTenant(inject('baseUrl'))
  await put(tenant, paths.types, aType('place', { CustomFields: [{ TypeKey: 'Number', Name: 'Beds', Key: 'beds' }] }))
  const model: Model = new Map()
  for (let round = 0; round < 3; round++) {
    const batch = new Map<string, Place>()
    for (let n = 0; n < 2_200; n++) {
      // A parent has a smaller number, so there is no cycle; by a new rule each round, so that nearly everything moves. A tenth
      // is not named and only follows.
      const parent = n < 3 ? null : `k${Math.floor(n / (2 + ((round * 3 + (n % 7)) % 5)))}`
      if (round === 0 || random(10) > 0) batch.set(`k${n}`, { name: `N${round}`, parent, beds: random(9) })
    }
    await put(tenant, `${paths.entities}/bulk`, bodies(shuffled(random, batch)))
    for (const [key, place] of batch) model.set(key, place)
    expect(await linesRead(tenant, 1000)).toEqual(linesOf(model))
  }
}, 180_000)
