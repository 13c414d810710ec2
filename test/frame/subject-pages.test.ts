// Pages of subject lists.
import { beforeAll, describe, expect, test } from 'vitest'
import type { Tenant } from '../support/api.js'
import { plantWards, subjectTenant } from '../support/factories.js'
import { invalid, list, type Page, refusal } from '../support/frame.js'
import { randomOf } from '../support/random.js'
import { bulkPath, person, type SubjectBody, subjectsPath } from '../support/subjects.js'

describe('pages', () => {
  const seed = Number(process.env.PAGING_SEED ?? 20_261_204)
  const wards = ['a', 'b', 'c', 'd']

  let tenant: Tenant
  let other: Tenant
  /** Everybody, in the order of the list. */
  let people: { id: string; cursor: string; places: string[]; color: string }[]

  beforeAll(async () => {
    ;[tenant, other] = [await subjectTenant(), await subjectTenant()]
    for (const each of [tenant, other]) await plantWards(each, ...wards)
    const random = randomOf(seed)
    const made = Array.from({ length: 24 }, (_, n) => ({
      id: `${n}`,
      // Ranges that overlap much; some people are nowhere.
      places: wards.filter(() => random.between(0, 3) === 0),
      color: ['red', 'blue'][random.between(0, 2)] ?? '',
    }))
    for (const half of [made.slice(0, 12), made.slice(12)]) {
      const batch = half.map(({ id, places, color }) => person(id, { email: color }, places))
      for (const each of [tenant, other]) {
        const { status, body } = await each.post(bulkPath, batch)
        if (status !== 200) throw new Error(JSON.stringify(body))
      }
    }
    const { edges } = await page({ First: '100' })
    people = edges.map(({ id, cursor, national }) => {
      const found = made.find(each => each.id === national)
      return { id, cursor, places: found?.places ?? [], color: found?.color ?? '' }
    })
    // A bulk mints its ids in the order of its items.
    expect(edges.map(({ national }) => national)).toEqual(made.map(({ id }) => id))
  })

  type Person = (typeof people)[number]

  async function page(query: Record<string, string | string[]>) {
    const pairs = Object.entries(query).flatMap(([name, value]) =>
      [value].flat().map((each): [string, string] => [name, each]),
    )
    const { status, body } = await tenant.get<Page<SubjectBody>>(`${subjectsPath}?${new URLSearchParams(pairs)}`)
    if (status !== 200) throw new Error(JSON.stringify(body))
    const edges = body.Edges.map(({ Node, Cursor }) => {
      const national = Node.CustomFieldValues.find(({ Field }) => Field.Key === 'nationalId')?.Value
      return { id: Node.Id, cursor: Cursor, national: national && !Array.isArray(national) ? national.ValueText : '' }
    })
    expect([body.PageInfo.StartCursor, body.PageInfo.EndCursor]).toEqual([
      edges[0]?.cursor ?? '',
      edges.at(-1)?.cursor ?? '',
    ])
    return { info: body.PageInfo, edges }
  }

  /** The page that a plain array gives: the cursors cut first, then First or Last. */
  function wanted(
    all: Person[],
    { after, before, first, last }: { after?: number; before?: number; first?: number; last?: number },
  ) {
    const from = after === undefined ? 0 : after + 1
    const to = before ?? all.length
    const range = all.slice(from, Math.max(from, to))
    const rows = last === undefined ? range.slice(0, first ?? 20) : range.slice(-last)
    const start = last === undefined ? 0 : range.length - rows.length
    return {
      ids: rows.map(({ id }) => id),
      // More in the range, or the rows that a cursor cut off, its own among them.
      hasPrevious: start > 0 || after !== undefined,
      hasNext: (last === undefined && rows.length < range.length) || before !== undefined,
      total: all.length,
    }
  }

  const filters: [string, Record<string, string | string[]>, (person: Person) => boolean][] = [
    ['everybody', {}, () => true],
    ['one entity', { StructuralEntityKeys: 'a' }, ({ places }) => places.includes('a')],
    ['overlapping entities', { StructuralEntityKeys: wards }, ({ places }) => places.length > 0],
    ['a value', { 'customFieldValueFilter.values[email]': 'red' }, ({ color }) => color === 'red'],
    [
      'any of two values',
      { 'customFieldValueFilter.values[email]': ['red', 'blue'], 'customFieldValueFilter.match': 'ExactAny' },
      () => true,
    ],
    [
      'overlapping entities and a value',
      { StructuralEntityKeys: ['b', 'c', 'a'], 'customFieldValueFilter.values[email]': 'blue' },
      ({ places, color }) => color === 'blue' && places.some(each => each !== 'd'),
    ],
  ]

  describe.each(filters)('the list of %s', (_, query, filter) => {
    test.each(['Ascending', 'Descending'])(
      '%s, walked both ways in pages of any size, shows each once',
      async direction => {
        const ids = people.filter(filter).map(({ id }) => id)
        if (direction === 'Descending') ids.reverse()
        for (const size of [1, 7, 100]) {
          for (const [limit, cursor, edge, more] of [
            ['First', 'After', 'EndCursor', 'HasNextPage'],
            ['Last', 'Before', 'StartCursor', 'HasPreviousPage'],
          ] as const) {
            if (size === 1 && limit === 'Last') continue
            const seen: string[] = []
            let from: Record<string, string> = {}
            for (;;) {
              const { info, edges } = await page({ ...query, OrderDirection: direction, [limit]: `${size}`, ...from })
              expect(info.TotalCount).toBe(ids.length)
              seen.splice(limit === 'First' ? seen.length : 0, 0, ...edges.map(({ id }) => id))
              if (!info[more]) break
              from = { [cursor]: info[edge] }
            }
            expect(seen).toEqual(ids)
          }
        }
      },
    )

    test(`cut at random is what the model says (PAGING_SEED=${seed})`, async () => {
      const random = randomOf(seed)
      const all = people.filter(filter)
      const { edges } = await page({ ...query, First: '100' })
      for (let n = 0; n < 15; n++) {
        const place = () => (random.between(0, 2) ? random.between(0, all.length) : undefined)
        const [after, before] = [place(), place()]
        const size = random.between(1, 12)
        const limit = [{}, { first: size }, { last: size }][random.between(0, 3)] ?? {}
        const cut = { ...limit, ...(after === undefined ? {} : { after }), ...(before === undefined ? {} : { before }) }
        const cursor = (name: string, at: number | undefined) =>
          at === undefined ? {} : { [name]: edges[at]?.cursor ?? '' }
        const limits = Object.fromEntries(Object.entries(limit).map(([name, value]) => [name, `${value}`]))
        const { info, edges: got } = await page({
          ...query,
          ...limits,
          ...cursor('After', after),
          ...cursor('Before', before),
        })
        expect(
          {
            ids: got.map(({ id }) => id),
            hasPrevious: info.HasPreviousPage,
            hasNext: info.HasNextPage,
            total: info.TotalCount,
          },
          JSON.stringify(cut),
        ).toEqual(wanted(all, cut))
      }
    })
  })

  test('a cursor is valid with its filter, order and tenant only, and invalid if damaged', async () => {
    const { info } = await page({ StructuralEntityKeys: ['a', 'b'], First: '3' })
    const cursor = info.EndCursor
    const foreign = { status: 400, code: 'foreign-cursor', errors: [] }
    const refused = async (
      who: Tenant,
      query: Record<string, string>,
      more = '&StructuralEntityKeys=a&StructuralEntityKeys=b',
    ) => expect(refusal(await who.get(list(subjectsPath, query) + more))).toEqual(foreign)
    for (const name of ['After', 'Before']) {
      await refused(tenant, { [name]: cursor }, '')
      await refused(tenant, { [name]: cursor }, '&StructuralEntityKeys=a')
      await refused(tenant, { [name]: cursor, 'customFieldValueFilter.values[email]': 'red' })
      await refused(tenant, { [name]: cursor, OrderDirection: 'Descending' })
      await refused(other, { [name]: cursor })
      for (const damaged of ['', 'x', `${cursor}x`, cursor.slice(1)]) await refused(tenant, { [name]: damaged })
    }
  })

  test('a cursor is valid with the same filter written in another order or with repeated keys', async () => {
    const email = 'customFieldValueFilter.values[email]'
    const any = { 'customFieldValueFilter.match': 'ExactAny' }
    const { info } = await page({ ...any, StructuralEntityKeys: ['a', 'b'], [email]: ['red', 'blue'], First: '3' })
    const rest = { ...any, After: info.EndCursor }
    const wanted = await page({ ...rest, StructuralEntityKeys: ['a', 'b'], [email]: ['red', 'blue'] })
    const got = await page({ ...rest, StructuralEntityKeys: ['b', 'a', 'b'], [email]: ['blue', 'red', 'blue'] })
    expect(got).toEqual(wanted)
  })

  test.each([
    [{ First: '0', Last: 'x' }, ['out-of-range /query/First', 'wrong-type /query/Last']],
    [{ First: '1', Last: '1' }, ['first-and-last /query/Last']],
    [{ OrderBy: 'familyName', OrderDirection: 'Up' }, ['unknown-value /query/OrderDirection']],
    [
      { StructuralEntityKey: 'a', first: '-1' },
      ['unknown-parameter /query/StructuralEntityKey', 'out-of-range /query/First'],
    ],
  ])('refuses %j', async (query, errors) => {
    expect(refusal(await tenant.get(list(subjectsPath, query as Record<string, string>)))).toEqual(invalid(...errors))
  })

  test('a subject that is assigned or changed keeps its position in the list; a new one is last', async () => {
    const own = await subjectTenant()
    await plantWards(own, 'a')
    for (const id of ['1', '2', '3']) await own.post(subjectsPath, person(id))
    await own.post(subjectsPath, person('2', { givenName: 'Zoe' }, ['a']))
    await own.post(subjectsPath, person('0', {}, ['a']))
    const { body } = await own.get<Page<SubjectBody>>(`${subjectsPath}?OrderBy=Id`)
    const ids = body.Edges.map(({ Node }) => Node.Id)
    expect(ids).toEqual(ids.toSorted())
    expect(JSON.stringify(body.Edges.map(({ Node }) => Node.CustomFieldValues[2]?.Value))).toMatch(/"1".*"2".*"3".*"0"/)
  })
})
