// Structural entities.
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { newTenant, type Problem, type Tenant } from '../support/api.js'
import { anEntity, aType, plant } from '../support/factories.js'
import {
  at,
  type EntityBody,
  type GroupBody,
  invalid,
  keysOf,
  list,
  type Page,
  paths,
  put,
  readAll,
  readTree,
  refusal,
} from '../support/frame.js'
import { openDatabase, storeSubject } from '../support/stored-subjects.js'
import { until } from '../support/until.js'

const db = openDatabase()
afterAll(() => db.destroy())

const baseUrl = inject('baseUrl')
const tenant = await newTenant(baseUrl)
const path = paths.entities
const CustomFields = [
  { TypeKey: 'Number', Name: 'Beds', Key: 'beds', Required: true },
  { TypeKey: 'Text', Name: 'Note', Key: 'note', Required: false },
]
await put(tenant, paths.types, aType('unit'), aType('ward', { Name: 'Ward', SubjectAssignable: false, CustomFields }))
await put(tenant, path, anEntity('root'))

const StructureType = {
  Name: 'Ward',
  Key: 'ward',
  SubjectAssignable: false,
  CustomFields: [
    { Name: 'Beds', Key: 'beds', Type: 'Number', Required: true },
    { Name: 'Note', Key: 'note', Type: 'Text', Required: false },
  ],
}
const [Beds, Note] = StructureType.CustomFields
const ward = {
  Key: 'ward-7',
  DisplayName: 'Ward 7',
  ParentKey: 'root',
  StructureTypeKey: 'ward',
  CustomFieldValues: [
    { Key: 'note', Value: { String: { Value: 'by the lake' } } },
    { Key: 'beds', Value: { Integer: { Value: 24 } } },
  ],
}
const common = { Key: 'ward-7', DisplayName: 'Ward 7', ParentKey: 'root', Depth: 2, StructureType }
const answered = {
  ...common,
  CustomFieldValues: [
    { Field: Beds, Value: { $type: 'Integer', DataType: 'Integer', Value: 24, ValueText: '24' } },
    { Field: Note, Value: { $type: 'String', DataType: 'String', Value: 'by the lake', ValueText: 'by the lake' } },
  ],
}
const read = {
  ...common,
  CustomFieldValues: [
    { Field: Beds, Value: { DataType: 'Integer', ValueText: '24' } },
    { Field: Note, Value: { DataType: 'String', ValueText: 'by the lake' } },
  ],
}

test('a new entity answers 201 and an existing one 200, in the upsert shape; reading has the read shape', async () => {
  const first = await tenant.put(path, ward)
  expect([first.status, first.body]).toEqual([201, answered])
  const again = await tenant.put(path, ward)
  expect([again.status, again.body]).toEqual([200, answered])
  const got = await tenant.get(at(path, 'ward-7'))
  expect([got.status, got.body]).toEqual([200, read])
  const { body } = await tenant.get<Page<EntityBody>>(`${path}?ParentKey=root`)
  expect(body).toEqual({
    PageInfo: {
      HasNextPage: false,
      HasPreviousPage: false,
      StartCursor: body.Edges[0]?.Cursor,
      EndCursor: body.Edges[0]?.Cursor,
      TotalCount: 1,
    },
    Edges: [{ Node: read, Cursor: expect.stringMatching(/./) }],
  })
})

test('AncestorKey lists all that is below an entity, with the other filters', async () => {
  const tree = { 'a-top': null, 'a-mid': 'a-top', 'a-leaf': 'a-mid', 'a-twig': 'a-leaf', 'a-side': null }
  for (const [key, ParentKey] of Object.entries(tree)) await put(tenant, path, anEntity(key, { ParentKey }))
  const found = (query: Record<string, string>) => keysOf(tenant, path, { AncestorKey: 'a-top', ...query })
  expect(await found({})).toEqual(['a-leaf', 'a-mid', 'a-twig'])
  expect(await found({ First: '1', OrderBy: 'Depth', OrderDirection: 'Descending' })).toEqual([
    'a-twig',
    'a-leaf',
    'a-mid',
  ])
  expect(await found({ Depth: '3' })).toEqual(['a-leaf'])
  expect(await found({ SearchTerm: 'tw' })).toEqual(['a-twig'])
  expect(await found({ AncestorKey: 'a-twig' })).toEqual([])
  const posted = await tenant.post(`${path}/query`, { ancestorKey: 'a-top', Depth: 3 })
  expect([posted.status, posted.body]).toEqual([200, (await tenant.get(`${path}?AncestorKey=a-top&Depth=3`)).body])
  expect(refusal(await tenant.post(`${path}/query`, { AncestorKey: 'nowhere' }))).toEqual(
    invalid('unknown-ancestor /AncestorKey'),
  )
  expect(refusal(await tenant.get(`${path}?AncestorKey=nowhere&ParentKey=nobody`))).toEqual(
    invalid('unknown-parent /query/ParentKey', 'unknown-ancestor /query/AncestorKey'),
  )
})

test('UpdatedFrom finds what was written since, moved subtrees too, in the order of UpdatedAt', async () => {
  const nextMillisecond = async () => {
    const moment = new Date(Date.now() + 1).toISOString()
    await until('the next millisecond', async () => Date.now() > Date.parse(moment))
    return moment
  }
  for (const [key, ParentKey] of Object.entries({ 'u-top': null, 'u-mid': 'u-top', 'u-leaf': 'u-mid' })) {
    await put(tenant, path, anEntity(key, { ParentKey }))
    await nextMillisecond()
  }
  const since = async (UpdatedFrom: string) =>
    keysOf(tenant, path, { UpdatedFrom, SearchTerm: 'u-', OrderBy: 'UpdatedAt', First: '1' })
  expect(await since('2026-01-01T00:00:00Z')).toEqual(['u-top', 'u-mid', 'u-leaf'])
  const moment = await nextMillisecond()
  await put(tenant, path, anEntity('u-mid'))
  // One write, one time: ties are broken by key.
  expect(await since(moment)).toEqual(['u-leaf', 'u-mid'])
})

test('an entity that was read is written again, in either shape and any letter case', async () => {
  await put(tenant, path, ward)
  const written = await tenant.put<EntityBody>(path, ward)
  const { body } = await tenant.get<EntityBody>(at(path, 'ward-7'))
  const camel = JSON.parse(JSON.stringify(body).replace(/"([A-Z])(\w*)":/g, (_, a, b) => `"${a.toLowerCase()}${b}":`))
  for (const again of [body, written.body, camel]) {
    expect(await tenant.put(path, again)).toMatchObject({ status: 200, body: written.body })
    expect((await tenant.get(at(path, 'ward-7'))).body).toEqual(body)
  }
  const changed = { ...body, DisplayName: 'Renamed', CustomFieldValues: null }
  expect(refusal(await tenant.put(path, changed)).errors).toEqual(['required-custom-field /CustomFieldValues'])
  const { CustomFieldValues } = body
  expect((await tenant.put(path, { ...body, CustomFieldValues: CustomFieldValues.slice(0, 1) })).status).toBe(200)
})

test('a PUT says the whole state: without ParentKey it is a root, without CustomFieldValues it has none', async () => {
  const full = { ParentKey: 'root', CustomFieldValues: [{ Key: 'note', Value: { String: { Value: 'x' } } }] }
  await put(tenant, paths.types, aType('noted', { CustomFields: CustomFields.slice(1) }))
  await put(tenant, path, anEntity('whole', { StructureTypeKey: 'noted', ...full }))
  const { status, body } = await tenant.put(path, {
    Key: 'whole',
    DisplayName: 'Bare',
    StructureTypeKey: 'noted',
  })
  const bare = { Key: 'whole', DisplayName: 'Bare', ParentKey: null, Depth: 1, CustomFieldValues: [] }
  expect([status, body]).toMatchObject([200, bare])
  expect((await tenant.get(at(path, 'whole'))).body).toMatchObject(bare)

  await put(tenant, path, anEntity('whole', { StructureTypeKey: 'noted', ...full }))
  const explicit = { Key: 'whole', DisplayName: 'Bare', StructureTypeKey: 'noted', ParentKey: null }
  await put(tenant, path, { ...explicit, CustomFieldValues: [] })
  expect((await tenant.get(at(path, 'whole'))).body).toMatchObject(bare)
})

test('another structure type brings its own fields: the values must be of them', async () => {
  await put(tenant, path, { ...ward, Key: 'changing' })
  const answer = await tenant.put(path, { ...ward, Key: 'changing', StructureTypeKey: 'unit' })
  expect(refusal(answer)).toEqual(
    invalid('unknown-custom-field /CustomFieldValues/0/Key', 'unknown-custom-field /CustomFieldValues/1/Key'),
  )
  expect((await tenant.get(at(path, 'changing'))).body).toMatchObject({ StructureType: { Key: 'ward' } })
  const { body } = await tenant.put(path, anEntity('changing'))
  expect(body).toMatchObject({ StructureType: { Key: 'unit' }, CustomFieldValues: [] })
})

const wrong: [string, object, string[]][] = [
  ['no key', { Key: undefined }, ['required /Key']],
  ['no name', { DisplayName: undefined }, ['required /DisplayName']],
  ['a blank name', { DisplayName: ' \t' }, ['wrong-format /DisplayName']],
  ['a name of 256', { DisplayName: 'n'.repeat(256) }, ['too-long /DisplayName']],
  ['a name that is a number', { DisplayName: 1 }, ['wrong-type /DisplayName']],
  ['a parent that is a number', { ParentKey: 1 }, ['wrong-type /ParentKey']],
  ['no type', { StructureTypeKey: undefined }, ['required /StructureTypeKey']],
  ['a type that is null', { StructureTypeKey: null }, ['wrong-type /StructureTypeKey']],
  ['values that are no list', { CustomFieldValues: {} }, ['wrong-type /CustomFieldValues']],
  ['an unknown parent', { ParentKey: 'nowhere' }, ['unknown-parent /ParentKey']],
  ['an empty parent key', { ParentKey: '' }, ['unknown-parent /ParentKey']],
  ['a parent in other letters', { ParentKey: 'ROOT' }, ['unknown-parent /ParentKey']],
  [
    'faults everywhere, all listed',
    { DisplayName: '', ParentKey: 1, StructureTypeKey: 2, CustomFieldValues: 'none' },
    [
      'too-short /DisplayName',
      'wrong-format /DisplayName',
      'wrong-type /ParentKey',
      'wrong-type /StructureTypeKey',
      'wrong-type /CustomFieldValues',
    ],
  ],
]
test.each(wrong)('%s is refused and nothing is written', async (name, more, errors) => {
  const answer = refusal(await tenant.put(path, anEntity(name, more)))
  expect({ ...answer, errors: answer.errors.sort() }).toEqual(invalid(...errors.sort()))
  expect((await tenant.get(at(path, name))).status).toBe(404)
})

test('an unknown structure type is 404 with its pointer, and 400 together with other faults', async () => {
  const unknown = 'unknown-structure-type /StructureTypeKey'
  const alone = await tenant.put(path, anEntity('typeless', { StructureTypeKey: 'nothing' }))
  expect(refusal(alone)).toEqual({ status: 404, code: 'not-found', errors: [unknown] })
  expect((alone.body as Problem).detail).toBe("There is no structure type 'nothing'.")
  const both = await tenant.put(path, anEntity('typeless', { StructureTypeKey: 'nothing', ParentKey: 'nowhere' }))
  const answer = refusal(both)
  expect({ ...answer, errors: answer.errors.sort() }).toEqual(invalid('unknown-parent /ParentKey', unknown))
  expect((await tenant.get(at(path, 'typeless'))).status).toBe(404)
})

test('an entity with children is not deleted: 409 that names one; a leaf is, and leaves its groups', async () => {
  const own = await newTenant(baseUrl)
  await plant(own, { top: null, below: 'top' })
  await put(own, paths.groups, { Key: 'g', Name: 'G', StructuralEntityKeys: ['top', 'below'] })
  const answer = await own.delete(at(path, 'top'))
  expect(refusal(answer)).toEqual({ status: 409, code: 'structural-entity-has-children', errors: [] })
  expect((answer.body as Problem).detail).toContain("'below'")
  expect(await readTree(own)).toEqual({ top: '-@1', below: 'top@2' })

  const deleted = await own.delete(at(path, 'below'))
  expect([deleted.status, deleted.body]).toEqual([204, ''])
  expect((await own.get<GroupBody>(at(paths.groups, 'g'))).body.StructuralEntityKeys).toEqual(['top'])
  expect((await own.delete(at(path, 'top'))).status).toBe(204)
  expect(await readTree(own)).toEqual({})
  expect((await own.get<GroupBody>(at(paths.groups, 'g'))).body.StructuralEntityKeys).toEqual([])
})

test('an entity with subjects assigned is not deleted: 409', async () => {
  const own = await newTenant(baseUrl)
  await plant(own, { ward: null, free: null })
  await storeSubject(db, own.tenantKey, {}, ['ward'])
  expect(refusal(await own.delete(at(path, 'ward')))).toEqual({
    status: 409,
    code: 'structural-entity-has-subjects',
    errors: [],
  })
  expect((await own.delete(at(path, 'free'))).status).toBe(204)
  expect(await readTree(own)).toEqual({ ward: '-@1' })
})

test('an unknown entity is 404 for get and delete', async () => {
  const gone = { status: 404, code: 'not-found', errors: [] }
  expect(refusal(await tenant.get(at(path, 'nowhere')))).toEqual(gone)
  expect(refusal(await tenant.delete(at(path, 'nowhere')))).toEqual(gone)
})

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

  test('more than 20 are taken, and written as they are, in whatever order they come', async () => {
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

  test('what is there is replaced, what is new is created, what is not named stays', async () => {
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

  test('unknown structure types alone are 404 that lists each of them, and nothing is written', async () => {
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

  test('an empty batch, no list and no body are refused', async () => {
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

describe('the list', () => {
  // A small tree of three types, two of them with subjects: what each combination of filters finds is worked out from it.
  interface Place {
    Key: string
    ParentKey: string | null
    Depth: number
    StructureTypeKey: 'site' | 'ward' | 'store'
    DisplayName: string
  }
  const places: Place[] = [
    { Key: 'n', ParentKey: null, Depth: 1, StructureTypeKey: 'site', DisplayName: 'North' },
    { Key: 's', ParentKey: null, Depth: 1, StructureTypeKey: 'site', DisplayName: 'South' },
    { Key: 'n1', ParentKey: 'n', Depth: 2, StructureTypeKey: 'ward', DisplayName: 'North ward' },
    { Key: 'n2', ParentKey: 'n', Depth: 2, StructureTypeKey: 'store', DisplayName: 'North store' },
    { Key: 's1', ParentKey: 's', Depth: 2, StructureTypeKey: 'ward', DisplayName: 'South ward' },
    { Key: 'n11', ParentKey: 'n1', Depth: 3, StructureTypeKey: 'ward', DisplayName: 'Inner ward' },
    { Key: 'n12', ParentKey: 'n1', Depth: 3, StructureTypeKey: 'store', DisplayName: 'Inner store' },
  ]
  const assignable = { site: true, ward: true, store: false }

  let tenant: Tenant
  beforeAll(async () => {
    tenant = await newTenant(baseUrl)
    for (const [key, SubjectAssignable] of Object.entries(assignable)) {
      await put(tenant, paths.types, aType(key, { SubjectAssignable }))
    }
    const entities = places.map(({ Depth: _, ...place }) => anEntity(place.Key, place))
    await put(tenant, `${paths.entities}/bulk`, entities.toReversed())
  })

  const values = {
    ParentKey: [undefined, 'n', 's1'],
    Depth: [undefined, '2', '3'],
    SearchTerm: [undefined, 'ward'],
    SubjectAssignable: [undefined, 'true', 'false'],
    StructureTypeKey: [undefined, 'ward'],
  }
  const alone: Record<string, string>[] = [
    { ParentKey: 'n1' },
    { Depth: '1' },
    { Depth: '4' },
    { SearchTerm: 'NORTH' },
    { StructureTypeKey: 'store' },
  ]

  test('every combination of filters finds just what meets all of them', async () => {
    const combinations = Object.entries(values).reduce<Record<string, string>[]>(
      (all, [name, some]) => all.flatMap(query => some.map(value => (value ? { ...query, [name]: value } : query))),
      [{}],
    )
    expect(combinations).toHaveLength(3 * 3 * 2 * 3 * 2)
    for (const query of [...combinations, ...alone]) {
      const wanted = places.filter(
        ({ ParentKey, Depth, DisplayName, StructureTypeKey: type }) =>
          (query.ParentKey ?? ParentKey) === ParentKey &&
          (query.Depth ?? `${Depth}`) === `${Depth}` &&
          DisplayName.toLowerCase().includes((query.SearchTerm ?? '').toLowerCase()) &&
          (query.SubjectAssignable ?? `${assignable[type]}`) === `${assignable[type]}` &&
          (query.StructureTypeKey ?? type) === type,
      )
      const { body } = await tenant.get<Page<Place>>(list(paths.entities, query))
      expect(
        body.Edges.map(edge => edge.Node.Key),
        JSON.stringify(query),
      ).toEqual(wanted.map(({ Key }) => Key).sort())
      expect(body.PageInfo.TotalCount, JSON.stringify(query)).toBe(wanted.length)
    }
  })

  test('a filter and its cursor go together through the pages', async () => {
    const query = { StructureTypeKey: 'ward', OrderBy: 'DisplayName', OrderDirection: 'Descending', First: '2' }
    expect(await keysOf(tenant, paths.entities, query)).toEqual(['s1', 'n1', 'n11'])
  })

  test('the order by depth is broken by key', async () => {
    expect(await keysOf(tenant, paths.entities, { OrderBy: 'Depth', First: '2' })).toEqual([
      'n',
      's',
      'n1',
      'n2',
      's1',
      'n11',
      'n12',
    ])
    expect(
      await keysOf(tenant, paths.entities, { OrderBy: 'Depth', OrderDirection: 'Descending', First: '3' }),
    ).toEqual(['n12', 'n11', 's1', 'n2', 'n1', 's', 'n'])
  })

  test('a type that changes SubjectAssignable changes what the filter finds', async () => {
    const own = await newTenant(baseUrl)
    await put(own, paths.types, aType('unit'))
    await put(own, paths.entities, anEntity('a'))
    expect(await keysOf(own, paths.entities, { SubjectAssignable: 'true' })).toEqual(['a'])
    await put(own, paths.types, aType('unit', { SubjectAssignable: false }))
    expect(await keysOf(own, paths.entities, { SubjectAssignable: 'true' })).toEqual([])
    expect(await keysOf(own, paths.entities, { SubjectAssignable: 'false' })).toEqual(['a'])
  })

  test.each([
    [{ Depth: 'two' }, ['wrong-type /query/Depth']],
    [{ Depth: '1.5' }, ['wrong-type /query/Depth']],
    [{ SubjectAssignable: 'maybe' }, ['wrong-type /query/SubjectAssignable']],
    [{ SubjectAssignable: '' }, ['wrong-type /query/SubjectAssignable']],
    [{ SearchTerm: 'x'.repeat(256) }, ['too-long /query/SearchTerm']],
    [{ Colour: 'red', Depth: 'x' }, ['unknown-parameter /query/Colour', 'wrong-type /query/Depth']],
    [{ ParentKey: 'nowhere' }, ['unknown-parent /query/ParentKey']],
    [{ ParentKey: 'N' }, ['unknown-parent /query/ParentKey']],
    [{ ParentKey: 'n ' }, ['unknown-parent /query/ParentKey']],
    [{ ParentKey: '' }, ['unknown-parent /query/ParentKey']],
    [
      { ParentKey: 'x', StructureTypeKey: 'x' },
      ['unknown-parent /query/ParentKey', 'unknown-structure-type /query/StructureTypeKey'],
    ],
  ])('the filter %j is refused, not ignored', async (query: Record<string, string>, errors) => {
    expect(refusal(await tenant.get(list(paths.entities, query)))).toEqual(invalid(...errors))
  })

  test('an unknown structure type as filter is 404, as it is in a body', async () => {
    expect(refusal(await tenant.get(list(paths.entities, { StructureTypeKey: 'nothing' })))).toEqual({
      status: 404,
      code: 'not-found',
      errors: ['unknown-structure-type /query/StructureTypeKey'],
    })
  })
})
