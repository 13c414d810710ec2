// Lists of structural entities.
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { newTenant, type Tenant } from '../support/api.js'
import { addPerson, anEntity, aType, plant, subjectTenant } from '../support/factories.js'
import { invalid, keysOf, list, type Page, paths, put, refusal } from '../support/frame.js'

const baseUrl = inject('baseUrl')

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

  test('every combination of filters finds exactly the entities that meet all of them', async () => {
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

  test('the pages of a filtered list follow its cursors', async () => {
    const query = { StructureTypeKey: 'ward', OrderBy: 'DisplayName', OrderDirection: 'Descending', First: '2' }
    expect(await keysOf(tenant, paths.entities, query)).toEqual(['s1', 'n1', 'n11'])
  })

  test('entities of equal depth are ordered by key', async () => {
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

  test('a filter by an unknown structure type is 404, as in a body', async () => {
    expect(refusal(await tenant.get(list(paths.entities, { StructureTypeKey: 'nothing' })))).toEqual({
      status: 404,
      code: 'not-found',
      errors: ['unknown-structure-type /query/StructureTypeKey'],
    })
  })
})

test('the list counts the children and the subjects of each entity when it is asked to, for whoever may list subjects', async () => {
  const tenant = await subjectTenant()
  await plant(tenant, { top: null, low: 'top', empty: 'top' })
  await addPerson(tenant, 'p-1', {}, ['low'])
  const asked = list(paths.entities, { Include: 'Counts' })
  const { body } = await tenant.get<Page<{ Key: string; Counts: object }>>(asked)
  expect(Object.fromEntries(body.Edges.map(({ Node: { Key, Counts } }) => [Key, Counts]))).toEqual({
    top: { Children: 2, Subjects: 0 },
    low: { Children: 0, Subjects: 1 },
    empty: { Children: 0, Subjects: 0 },
  })
  const reader = await tenant.client(['List:StructuralEntity'])
  expect(await reader.get(asked)).toMatchObject({ status: 403 })
  expect(await reader.get(paths.entities)).toMatchObject({ status: 200 })
})
