// Lists and their pages.
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { newTenant, type Tenant } from '../support/api.js'
import { anEntity, aType, plant } from '../support/factories.js'
import { invalid, keysOf, list, type Page, paths, put, refusal } from '../support/frame.js'

/** The kinds of things that are listed alike, each with its address and the name of its order by name. */
const kinds: [kind: string, path: string, name: string][] = [
  ['types', paths.types, 'Name'],
  ['entities', paths.entities, 'DisplayName'],
  ['groups', paths.groups, 'DisplayName'],
]
type Query = Record<string, string>

describe('pages', () => {
  // Seven of each, their names in another order than their keys, two names the same and two alike but for case and accent.
  const named: [key: string, name: string][] = [
    ['a', 'Zoo'],
    ['b', 'éclair'],
    ['c', 'Eclair'],
    ['d', 'Moon'],
    ['e', 'Moon'],
    ['f', 'Ant'],
    ['g', 'Bee'],
  ]
  const byKey = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  const byName = ['f', 'g', 'b', 'c', 'd', 'e', 'a']

  let tenant: Tenant
  let other: Tenant
  beforeAll(async () => {
    tenant = await newTenant(inject('baseUrl'))
    other = await newTenant(inject('baseUrl'))
    for (const each of [tenant, other]) {
      await put(each, paths.types, ...named.map(([Key, Name]) => aType(Key, { Name })))
      const entities = named.map(([Key, DisplayName]) => anEntity(Key, { DisplayName, StructureTypeKey: 'a' }))
      await put(each, `${paths.entities}/bulk`, entities)
      const groups = named.map(([Key, Name]) => ({ Key, Name, StructuralEntityKeys: ['a'] }))
      await put(each, `${paths.groups}/bulk`, groups)
    }
  })

  /** A page in short: its keys between brackets, a `<` or `>` where more lies before or after. */
  async function page(path: string, query: Query) {
    const { status, body } = await tenant.get<Page<{ Key: string }>>(list(path, query))
    if (status !== 200) throw new Error(JSON.stringify(body))
    const { PageInfo, Edges } = body
    expect(PageInfo).toMatchObject({
      StartCursor: Edges[0]?.Cursor ?? '',
      EndCursor: Edges.at(-1)?.Cursor ?? '',
      TotalCount: named.length,
    })
    const keys = Edges.map(edge => edge.Node.Key).join('')
    return {
      short: `${PageInfo.HasPreviousPage ? '<' : ''}[${keys}]${PageInfo.HasNextPage ? '>' : ''}`,
      edges: new Map(Edges.map(edge => [edge.Node.Key, edge.Cursor])),
      info: PageInfo,
    }
  }

  describe.each(kinds)('the list of %s', (_, path, Name) => {
    const orders: [string, Query, string[]][] = [
      ['by key unless told otherwise', {}, byKey],
      ['by key', { OrderBy: 'Key', OrderDirection: 'Ascending' }, byKey],
      ['by key from the end', { OrderDirection: 'Descending' }, byKey.toReversed()],
      ['by name, whatever the case and accent, then by key', { OrderBy: Name }, byName],
      ['by name from the end', { OrderBy: Name, OrderDirection: 'Descending' }, byName.toReversed()],
      [
        'with names and values in any letter case',
        { orderBy: Name.toLowerCase(), ORDERDIRECTION: 'descending' },
        byName.toReversed(),
      ],
    ]
    test.each(orders)('is ordered %s', async (_, order, keys) => {
      expect((await page(path, order)).short).toBe(`[${keys.join('')}]`)
    })

    test.each(orders)('walked forwards and backwards %s shows each once, in order', async (_, order, keys) => {
      for (const size of [1, 3, 7, 8]) {
        const chunks = Array.from({ length: Math.ceil(7 / size) }, (_, n) =>
          keys.slice(n * size, (n + 1) * size).join(''),
        )
        const forwards: string[] = []
        for (let at = await page(path, { ...order, First: `${size}` }); ; ) {
          forwards.push(at.short)
          if (!at.info.HasNextPage) break
          at = await page(path, { ...order, First: `${size}`, After: at.info.EndCursor })
        }
        expect(forwards).toEqual(
          chunks.map((keys, n) => `${n > 0 ? '<' : ''}[${keys}]${n < chunks.length - 1 ? '>' : ''}`),
        )

        const ends = Array.from({ length: chunks.length }, (_, n) =>
          keys.slice(Math.max(0, 7 - (n + 1) * size), 7 - n * size),
        )
        const backwards: string[] = []
        for (let at = await page(path, { ...order, Last: `${size}` }); ; ) {
          backwards.push(at.short)
          if (!at.info.HasPreviousPage) break
          at = await page(path, { ...order, Last: `${size}`, Before: at.info.StartCursor })
        }
        expect(backwards).toEqual(
          ends.map((keys, n) => `${n < chunks.length - 1 ? '<' : ''}[${keys.join('')}]${n > 0 ? '>' : ''}`),
        )
      }
    })

    test.each([
      ['First', { First: '2' }, '[ab]>'],
      ['Last', { Last: '2' }, '<[fg]'],
      ['First After', { First: '2', After: 'c' }, '<[de]>'],
      ['Last After', { Last: '2', After: 'c' }, '<[fg]'],
      ['Last After all of it', { Last: '4', After: 'c' }, '<[defg]'],
      ['First Before', { First: '2', Before: 'e' }, '[ab]>'],
      ['First Before all of it', { First: '4', Before: 'e' }, '[abcd]>'],
      ['Last Before', { Last: '2', Before: 'e' }, '<[cd]>'],
      ['Last Before all of it', { Last: '4', Before: 'e' }, '[abcd]>'],
      ['First After and Before', { First: '2', After: 'a', Before: 'f' }, '<[bc]>'],
      ['Last After and Before', { Last: '2', After: 'a', Before: 'f' }, '<[de]>'],
      ['After and Before alone', { After: 'b', Before: 'f' }, '<[cde]>'],
      ['After and Before that leave nothing', { After: 'c', Before: 'd' }, '<[]>'],
      ['After the last', { After: 'g' }, '<[]'],
      ['Before the first', { Before: 'a' }, '[]>'],
      ['Before the first, Last', { Last: '3', Before: 'a' }, '[]>'],
    ])('cut by %s: the cursors cut first, then First or Last', async (_, query: Query, short) => {
      const { edges } = await page(path, {})
      const cursors = Object.fromEntries(
        Object.entries(query).map(([name, value]) => [
          name,
          ['After', 'Before'].includes(name) ? (edges.get(value) ?? '') : value,
        ]),
      )
      expect((await page(path, cursors)).short).toBe(short)
    })

    test.each(['0', '-1', '1.5', 'ten', '', '1e3', 'NaN'])('refuses First and Last of %j', async value => {
      for (const name of ['First', 'Last']) {
        const { status, code, errors } = refusal(await tenant.get(list(path, { [name]: value })))
        expect([status, code, errors.map(error => error.split(' ')[1])]).toEqual([
          400,
          'validation',
          [`/query/${name}`],
        ])
      }
    })

    test('refuses First and Last together', async () => {
      expect(refusal(await tenant.get(list(path, { First: '1', Last: '1' })))).toEqual(
        invalid('first-and-last /query/Last'),
      )
    })

    test('refuses unknown parameters, orders and directions, all at once, and a parameter given twice', async () => {
      const query = { Fist: '1', OrderBy: 'Colour', OrderDirection: 'Up', Limit: '3' }
      expect(refusal(await tenant.get(list(path, query)))).toEqual(
        invalid(
          'unknown-parameter /query/Fist',
          'unknown-parameter /query/Limit',
          // The orders of entities are also their fields, which are looked up once the rest is sound.
          ...(path === paths.entities ? [] : ['unknown-value /query/OrderBy']),
          'unknown-value /query/OrderDirection',
        ),
      )
      expect(refusal(await tenant.get(`${path}?First=1&first=2`))).toEqual(invalid('duplicate-parameter /query/First'))
    })

    test('takes no cursor of another list, filter, order, direction or tenant, and no damaged one', async () => {
      const { edges } = await page(path, {})
      const cursor = edges.get('c') ?? ''
      const elsewhere = path === paths.groups ? paths.types : paths.groups
      const foreign = { status: 400, code: 'foreign-cursor', errors: [] }
      for (const name of ['After', 'Before']) {
        const refused = async (who: Tenant, where: string, query: Query) =>
          expect(refusal(await who.get(list(where, { [name]: cursor, ...query })))).toEqual(foreign)
        await refused(tenant, elsewhere, {})
        await refused(tenant, path, { SearchTerm: 'o' })
        await refused(tenant, path, { OrderBy: Name })
        await refused(tenant, path, { OrderDirection: 'Descending' })
        await refused(other, path, {})
        const flipped = `${cursor.slice(0, 4)}${cursor[4] === 'A' ? 'B' : 'A'}${cursor.slice(5)}`
        for (const damaged of [flipped, cursor.slice(0, -1), `${cursor}x`, `${cursor}.x`, '', '.', 'null', '🦊'])
          await refused(tenant, path, { [name]: damaged })
      }
    })

    test('takes a cursor whatever the page size, and when its row is gone', async () => {
      const body =
        path === paths.types ? aType('cc') : path === paths.entities ? anEntity('cc', { StructureTypeKey: 'a' }) : {}
      await put(tenant, path, { Key: 'cc', Name: 'cc', ...body })
      const { body: found } = await tenant.get<Page<{ Key: string }>>(list(path, { First: '4' }))
      const cursor = found.PageInfo.EndCursor
      expect(found.Edges.at(-1)?.Node.Key).toBe('cc')
      await tenant.delete(`${path}/cc`)
      expect((await page(path, { After: cursor, First: '2' })).short).toBe('<[de]>')
      expect((await page(path, { Before: cursor, Last: '5' })).short).toBe('[abc]>')
    })
  })

  test('without First and Last a page has 20; more than 1000 is cut to 1000', async () => {
    const big = await newTenant(inject('baseUrl'))
    await plant(
      big,
      Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`n${String(n).padStart(4, '0')}`, null])),
    )
    const sizes = async (query: Query) => {
      const { body } = await big.get<Page<{ Key: string }>>(list(paths.entities, query))
      const keys = body.Edges.map(edge => edge.Node.Key)
      return [
        keys.length,
        keys[0],
        keys.at(-1),
        body.PageInfo.HasPreviousPage,
        body.PageInfo.HasNextPage,
        body.PageInfo.TotalCount,
      ]
    }
    expect(await sizes({})).toEqual([20, 'n0000', 'n0019', false, true, 1001])
    expect(await sizes({ First: '1000' })).toEqual([1000, 'n0000', 'n0999', false, true, 1001])
    expect(await sizes({ First: '1001' })).toEqual([1000, 'n0000', 'n0999', false, true, 1001])
    expect(await sizes({ First: '99999999999999999999' })).toEqual([1000, 'n0000', 'n0999', false, true, 1001])
    expect(await sizes({ Last: '5000' })).toEqual([1000, 'n0001', 'n1000', true, false, 1001])
  })
})

describe('searches', () => {
  const named: Record<string, string> = {
    'clinic-a': 'Clinique de la Forêt',
    'clinic-b': 'CLINIQUE DU LAC',
    'ward-100%': 'Ward one',
    'ward-100x': 'Ward two',
    snow_case: 'Under score',
    snowXcase: 'Any letter',
    'back\\slash': 'Odd one',
    hospital: '🏥 Hôpital',
    home: '🏠 Home',
    Größe: 'Straße 7',
    quoted: `O'Neill "Ward"`,
  }

  let tenant: Tenant
  beforeAll(async () => {
    tenant = await newTenant(inject('baseUrl'))
    const all = Object.entries(named)
    await put(tenant, paths.types, aType('unit', { Name: 'zzz' }))
    await put(
      tenant,
      `${paths.types}/bulk`,
      all.map(([Key, Name]) => aType(Key, { Name })),
    )
    await put(
      tenant,
      `${paths.entities}/bulk`,
      all.map(([Key, DisplayName]) => anEntity(Key, { DisplayName })),
    )
    await put(
      tenant,
      `${paths.groups}/bulk`,
      all.map(([Key, Name]) => ({ Key, Name })),
    )
  })

  const searches: [term: string, keys: string[]][] = [
    ['clinique', ['clinic-a', 'clinic-b']],
    ['CLINIQUE', ['clinic-a', 'clinic-b']],
    ['foret', ['clinic-a']],
    ['FORÊT', ['clinic-a']],
    ['hopital', ['hospital']],
    ['niq', ['clinic-a', 'clinic-b']],
    ['clinic-', ['clinic-a', 'clinic-b']],
    ['CLINIC-B', ['clinic-b']],
    ['größe', ['Größe']],
    ['grosse 7', []],
    ['clinique lac', ['clinic-b']],
    ['  lac \t clinique ', ['clinic-b']],
    ['lac clinic-b', ['clinic-b']],
    ['clinique forêt lac', []],
    ['ward two', ['ward-100x']],
    ['100%', ['ward-100%']],
    ['%', ['ward-100%']],
    ['***', []],
    ['_', ['snow_case']],
    ['snow_case', ['snow_case']],
    ['\\', ['back\\slash']],
    ['\\%', []],
    ['k\\s', ['back\\slash']],
    [`o'neill`, ['quoted']],
    ['"ward"', ['quoted']],
    ['"wa\u00adrd\u200b"', ['quoted']],
    [`' OR 1=1 --`, []],
    ['🏥', ['hospital']],
    ['nothing of the kind', []],
  ]

  describe.each(kinds)('the search in %s', (_, path) => {
    test.each(searches)(
      'for %j finds %j: every word, in name or key, whatever the case or accent',
      async (term, keys) => {
        expect(await keysOf(tenant, path, { SearchTerm: term })).toEqual(keys.toSorted())
        const { body } = await tenant.get<Page<object>>(list(path, { searchterm: term, First: '1' }))
        expect(body.PageInfo).toMatchObject({ TotalCount: keys.length, HasNextPage: keys.length > 1 })
      },
    )

    test.each(['', '  '])('for %j, which has no word, finds all', async term => {
      const all = Object.keys(named).concat(path === paths.types ? ['unit'] : [])
      expect(await keysOf(tenant, path, { SearchTerm: term })).toEqual(all.toSorted())
    })
  })

  test('a search is paged in its own set', async () => {
    const first = await tenant.get<Page<{ Key: string }>>(list(paths.entities, { SearchTerm: 'ward', First: '2' }))
    expect(first.body.Edges.map(edge => edge.Node.Key)).toEqual(['quoted', 'ward-100%'])
    expect(first.body.PageInfo).toMatchObject({ TotalCount: 3, HasNextPage: true })
    const query = { SearchTerm: 'ward', First: '2', After: first.body.PageInfo.EndCursor }
    const { body } = await tenant.get<Page<{ Key: string }>>(list(paths.entities, query))
    expect(body.Edges.map(edge => edge.Node.Key)).toEqual(['ward-100x'])
    expect(body.PageInfo).toMatchObject({ TotalCount: 3, HasNextPage: false, HasPreviousPage: true })
  })

  test('a search reflects renamed and deleted items at once', async () => {
    const own = await newTenant(inject('baseUrl'))
    await plant(own, { a: null, b: null })
    await put(own, paths.entities, anEntity('a', { DisplayName: 'Lighthouse' }))
    expect(await keysOf(own, paths.entities, { SearchTerm: 'light' })).toEqual(['a'])
    await own.delete(`${paths.entities}/a`)
    expect(await keysOf(own, paths.entities, { SearchTerm: 'light' })).toEqual([])
  })
})
