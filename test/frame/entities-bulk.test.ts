// Bulk upserts of structural entities.
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { newTenant, type Problem, type Tenant } from '../support/api.js'
import { anEntity, aType, plant } from '../support/factories.js'
import { type EntityBody, invalid, paths, put, readAll, readTree, refusal } from '../support/frame.js'

const baseUrl = inject('baseUrl')

describe('a bulk', () => {
  const bulk = `${paths.entities}/bulk`
  const planted = { top: '-@1', middle: 'top@2' }
  async function newTree() {
    const tenant = await newTenant(baseUrl)
    await plant(tenant, { top: null, middle: 'top' })
    return tenant
  }
  /** For what is refused: nothing is written, so every test finds it as it was. */
  let tenant: Tenant
  beforeAll(async () => {
    tenant = await newTree()
  })

  test('a child listed before its parent is upserted after it: 204 without a body', async () => {
    const own = await newTree()
    const batch = [
      anEntity('d', { ParentKey: 'c' }),
      anEntity('b', { ParentKey: 'a' }),
      anEntity('c', { ParentKey: 'b' }),
      anEntity('other'),
      anEntity('a', { ParentKey: 'middle' }),
    ]
    const { status, body } = await own.put(bulk, batch)
    expect([status, body]).toEqual([204, ''])
    expect(await readTree(own)).toEqual({ ...planted, a: 'middle@3', b: 'a@4', c: 'b@5', d: 'c@6', other: '-@1' })
  })

  test('more than 20 items are written in any order of the request', async () => {
    const own = await newTree()
    // A heap of 1,500: the parent of n is (n - 1) / 3, listed in an order that jumps about.
    const size = 1_500
    const batch = Array.from({ length: size }, (_, place) => {
      const n = (place * 7919) % size
      return anEntity(`n${n}`, { DisplayName: `No. ${n}`, ParentKey: n === 0 ? null : `n${Math.floor((n - 1) / 3)}` })
    })
    expect((await own.put(bulk, batch)).status).toBe(204)
    const depthOf = (n: number): number => (n === 0 ? 1 : depthOf(Math.floor((n - 1) / 3)) + 1)
    const found = (await readAll<EntityBody>(own, paths.entities)).filter(({ Key }) => Key.startsWith('n'))
    const wanted = Array.from({ length: size }, (_, n) => {
      const ParentKey = n === 0 ? null : `n${Math.floor((n - 1) / 3)}`
      return { Key: `n${n}`, DisplayName: `No. ${n}`, ParentKey, Depth: depthOf(n) }
    })
    const byKey = (one: { Key: string }, other: { Key: string }) => (one.Key < other.Key ? -1 : 1)
    const told = found.map(({ Key, DisplayName, ParentKey, Depth }) => ({ Key, DisplayName, ParentKey, Depth }))
    expect(told.sort(byKey)).toEqual(wanted.sort(byKey))
  }, 120_000)

  test('existing entities are replaced, new ones created, and others left alone', async () => {
    const own = await newTree()
    const batch = [anEntity('middle', { DisplayName: 'New' }), anEntity('young', { ParentKey: 'middle' })]
    expect((await own.put(bulk, batch)).status).toBe(204)
    expect(await readTree(own)).toEqual({ top: '-@1', middle: '-@1', young: 'middle@2' })
    const { body } = await own.get<EntityBody>(`${paths.entities}/middle`)
    expect(body.DisplayName).toBe('New')
  })

  test('a cycle inside the batch is reported once, with the way around it, and nothing is written', async () => {
    const batch = [
      anEntity('below', { ParentKey: 'a' }),
      anEntity('a', { ParentKey: 'b' }),
      anEntity('b', { ParentKey: 'c' }),
      anEntity('c', { ParentKey: 'a' }),
      anEntity('fine', { ParentKey: 'top' }),
    ]
    const answer = await tenant.put(bulk, batch)
    expect(refusal(answer)).toEqual(invalid('cycle /1/ParentKey #1'))
    expect((answer.body as Problem).errors?.[0]?.detail).toBe('An entity cannot be below itself: a → b → c → a.')
    expect(await readTree(tenant)).toEqual(planted)
  })

  test('two cycles are two errors', async () => {
    const batch = [
      anEntity('a', { ParentKey: 'b' }),
      anEntity('b', { ParentKey: 'a' }),
      anEntity('self', { ParentKey: 'self' }),
      anEntity('top', { ParentKey: 'middle' }),
    ]
    expect(refusal(await tenant.put(bulk, batch))).toEqual(
      invalid('cycle /0/ParentKey #0', 'cycle /2/ParentKey #2', 'cycle /3/ParentKey #3'),
    )
    expect(await readTree(tenant)).toEqual(planted)
  })

  test('keys given twice are named where they are repeated, and nothing is written', async () => {
    const batch = [anEntity('a'), anEntity('top'), anEntity('a', { ParentKey: 'top' }), anEntity('A'), anEntity('top')]
    expect(refusal(await tenant.put(bulk, batch))).toEqual(
      invalid('duplicate-key /2/Key #2', 'duplicate-key /4/Key #4'),
    )
    expect(await readTree(tenant)).toEqual(planted)
  })

  test('a bulk whose only faults are unknown structure types is 404, lists each of them and writes nothing', async () => {
    const batch = [
      anEntity('a', { StructureTypeKey: 'nothing' }),
      anEntity('b'),
      anEntity('c', { StructureTypeKey: 'UNIT' }),
      anEntity('top', { StructureTypeKey: 'nothing' }),
    ]
    expect(refusal(await tenant.put(bulk, batch))).toEqual({
      status: 404,
      code: 'not-found',
      errors: [0, 2, 3].map(n => `unknown-structure-type /${n}/StructureTypeKey #${n}`),
    })
    expect(await readTree(tenant)).toEqual(planted)
  })

  test('every fault of every item is listed, in the order of the items, and nothing is written', async () => {
    const CustomFields = [{ TypeKey: 'Number', Name: 'Beds', Key: 'beds', Required: true }]
    await put(tenant, paths.types, aType('ward', { CustomFields }))
    const beds = (Value: object) => ({ StructureTypeKey: 'ward', CustomFieldValues: [{ Key: 'beds', Value }] })
    const batch = [
      anEntity('fine', beds({ Integer: { Value: 1 } })),
      anEntity('a', { ParentKey: 'nowhere', ...beds({ String: { Value: 'many' } }) }),
      anEntity('b', { StructureTypeKey: 'nothing' }),
      anEntity('c', { ParentKey: 'd', StructureTypeKey: 'ward' }),
      anEntity('d', { ParentKey: 'c' }),
      anEntity('a'),
    ]
    expect(refusal(await tenant.put(bulk, batch))).toEqual(
      invalid(
        'wrong-data-type /1/CustomFieldValues/0/Value #1',
        'unknown-parent /1/ParentKey #1',
        'unknown-structure-type /2/StructureTypeKey #2',
        'required-custom-field /3/CustomFieldValues #3',
        'cycle /3/ParentKey #3',
        'duplicate-key /5/Key #5',
      ),
    )
    expect(await readTree(tenant)).toEqual(planted)
  })

  test('every malformed item is listed with its place', async () => {
    const batch = [anEntity('a'), anEntity('b', { DisplayName: 7 }), { Key: 'c' }, 'text', null, anEntity('')]
    const { errors, ...rest } = refusal(await tenant.put(bulk, batch))
    expect(rest).toEqual({ status: 400, code: 'validation' })
    expect(errors.sort()).toEqual(
      [
        'wrong-type /1/DisplayName #1',
        'required /2/DisplayName #2',
        'required /2/StructureTypeKey #2',
        'wrong-type /3 #3',
        'wrong-type /4 #4',
        'too-short /5/Key #5',
        'wrong-format /5/Key #5',
      ].sort(),
    )
    expect(await readTree(tenant)).toEqual(planted)
  })

  test('a fault in the last of a thousand and more is found before anything is written', async () => {
    const batch = Array.from({ length: 1_200 }, (_, n) => anEntity(`n${n}`))
    batch.push(anEntity('last', { ParentKey: 'nowhere' }))
    expect(refusal(await tenant.put(bulk, batch))).toEqual(invalid('unknown-parent /1200/ParentKey #1200'))
    expect(await readTree(tenant)).toEqual(planted)
  })

  test('an empty list, a body that is no list, and no body are refused', async () => {
    expect(refusal(await tenant.put(bulk, []))).toEqual(invalid('too-few'))
    expect(refusal(await tenant.put(bulk, anEntity('a')))).toEqual(invalid('wrong-type'))
    expect(refusal(await tenant.put(bulk, ''))).toEqual({ status: 400, code: 'empty-body', errors: [] })
    expect(await readTree(tenant)).toEqual(planted)
  })

  test("the tenant's own maximum of items is kept", async () => {
    const small = await newTenant(baseUrl, { bulkMaxItems: 3 })
    await plant(small, { a: null, b: 'a', c: 'b' })
    const batch = ['w', 'x', 'y', 'z'].map(key => anEntity(key))
    expect(refusal(await small.put(bulk, batch))).toEqual(invalid('too-many'))
    expect(Object.keys(await readTree(small))).toEqual(['a', 'b', 'c'])
  })
})
