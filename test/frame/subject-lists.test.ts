// Subject lists and filters.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { forgetChanges } from '../../db/feeds.js'
import type { StoredValues } from '../../db/frame/subjects/custom-fields.js'
import { noteChanges } from '../../db/frame/subjects/subject-changes.js'
import { newId } from '../../runtime/ids.js'
import type { Problem, Tenant } from '../support/api.js'
import { addPerson, aField, anEntity, plant, plantWards, subjectTenant, value } from '../support/factories.js'
import { invalid, list, type Page, paths, put, refusal } from '../support/frame.js'
import { person, texts } from '../support/people.js'
import { randomOf } from '../support/random.js'
import { openDatabase, storeSubject, storeSubjects } from '../support/stored-subjects.js'
import { bulkPath, patch, queryPath, type SubjectBody, subjectsPath } from '../support/subjects.js'

describe('filters', () => {
  const odd = ['a]b', 'a[b', 'constructor', '__proto__', 'é&=+%', 'values']

  let tenant: Tenant
  beforeAll(async () => {
    const fields = [
      aField('id', 'Text', { required: true }),
      ...['Text', 'PhoneNumber', 'Number', 'Date', 'DateTime', 'Time', 'UserIdentifier', 'Boolean'].map(type =>
        aField(type, type),
      ),
      aField('tags', 'Text', { isArray: true }),
      aField('numbers', 'Number', { isArray: true }),
      ...odd.map(key => aField(key)),
    ]
    tenant = await subjectTenant({ fields, matchingFields: ['id'], portal: {} })
    await plantWards(tenant, 'a', 'b', 'c')
    const people: [string, object[], string[]][] = [
      [
        '1',
        [value('Text', 'String', 'Anna'), value('Number', 'Decimal', 72.5), value('tags', 'String', ['x', 'y'])],
        ['a'],
      ],
      [
        '2',
        [value('Text', 'String', 'anna'), value('Number', 'Integer', 72), value('tags', 'String', ['y'])],
        ['a', 'b'],
      ],
      [
        '3',
        [value('Text', 'String', 'Änna'), value('Boolean', 'Boolean', true), value('numbers', 'Decimal', [1, 2.5, 1])],
        ['b'],
      ],
      [
        '4',
        [value('Text', 'String', ''), value('Boolean', 'Boolean', false), value('numbers', 'Integer', [1])],
        ['c', 'a'],
      ],
      [
        '5',
        [
          value('DateTime', 'DateTime', '2024-01-01T12:00:00+02:00'),
          value('Date', 'Date', '2024-01-01'),
          value('Time', 'Time', '10:00:00'),
        ],
        [],
      ],
      ['6', [value('UserIdentifier', 'UserIdentifier', 'kim'), value('PhoneNumber', 'String', '+44 20 1234')], ['c']],
      ['7', odd.map(key => value(key, 'String', `of ${key}`)), []],
    ]
    const batch = people.map(([id, values, StructuralEntityKeys]) => ({
      CustomFieldValues: [...texts({ id }), ...values],
      StructuralEntityKeys,
    }))
    const { status, body } = await tenant.post(bulkPath, batch)
    if (status !== 200) throw new Error(JSON.stringify(body))
  })

  /** `[key, value]` pairs as a query; a key that begins with `?` is a parameter of its own. */
  const query = (...pairs: [string, string][]) => {
    const given = pairs.map(([key, text]): [string, string] =>
      key.startsWith('?') ? [key.slice(1), text] : [`customFieldValueFilter.values[${key}]`, text],
    )
    return `${subjectsPath}?${new URLSearchParams(given)}`
  }
  interface Node {
    CustomFieldValues: { Value: { ValueText: string } }[]
  }
  /** The ids of those that are found, and how many the answer says there are. */
  async function found(...pairs: [string, string][]) {
    const { status, body } = await tenant.get<Page<Node>>(query(...pairs))
    if (status !== 200) throw new Error(JSON.stringify(body))
    expect(body.PageInfo).toMatchObject({ TotalCount: body.Edges.length, HasNextPage: false, HasPreviousPage: false })
    return body.Edges.map(({ Node }) => Node.CustomFieldValues[0]?.Value.ValueText).join('')
  }

  const any: [string, string] = ['?customFieldValueFilter.match', 'ExactAny']
  const all: [string, string] = ['?customFieldValueFilter.match', 'ExactAll']
  const at = (...keys: string[]) => keys.map((key): [string, string] => ['?StructuralEntityKeys', key])

  test.each<[string, [string, string][], string]>([
    ['nothing: all, in the order of their creation', [], '1234567'],
    ['a text, exactly: case counts', [['Text', 'Anna']], '1'],
    ['a text: accents count', [['Text', 'Änna']], '3'],
    ['a text: white space at its ends does not count', [['Text', ' Anna\u00a0']], '1'],
    ['a text, composed or decomposed', [['Text', 'A\u0308nna']], '3'],
    ['a text: no beginnings, no wildcards', [['Text', 'Ann%']], ''],
    ['an empty text, which is not no text', [['Text', '']], '4'],
    ['a number in its own digits', [['Number', '72.5']], '1'],
    ['a number in other digits', [['Number', '+0072.5000']], '1'],
    ['a number with an exponent', [['Number', '7.25e1']], '1'],
    ['a whole number written as a decimal', [['Number', '72.0']], '2'],
    ['true', [['Boolean', 'true']], '3'],
    ['FALSE', [['Boolean', 'FALSE']], '4'],
    ['a date', [['Date', '2024-01-01']], '5'],
    ['a time', [['Time', '10:00:00']], '5'],
    ['a time without seconds', [['Time', '10:00']], '5'],
    ['a time with milliseconds', [['Time', '10:00:00.000']], '5'],
    ['another time', [['Time', '10:00:00.001']], ''],
    ['a date-time in UTC', [['DateTime', '2024-01-01T10:00:00Z']], '5'],
    ['a date-time in another zone, without seconds', [['DateTime', '2024-01-01T15:30+05:30']], '5'],
    ['a date-time without a zone, which is UTC', [['DateTime', '2024-01-01T10:00:00.000']], '5'],
    ['another moment', [['DateTime', '2024-01-01T12:00:00Z']], ''],
    ['a user', [['UserIdentifier', 'kim']], '6'],
    ['a phone number as it was written', [['PhoneNumber', '+44 20 1234']], '6'],
    ['a phone number written otherwise', [['PhoneNumber', '+44201234']], ''],
    ['one of several values', [['tags', 'y']], '12'],
    ['a number that is held twice', [['numbers', '1.0']], '34'],
    [
      'two values of one field: both',
      [
        ['tags', 'x'],
        ['tags', 'y'],
      ],
      '1',
    ],
    ['two values of one field, both said', [all, ['tags', 'x'], ['tags', 'y']], '1'],
    ['two values of one field: any', [any, ['tags', 'x'], ['tags', 'y']], '12'],
    [
      'two values of a field that has one: none has both',
      [
        ['Text', 'Anna'],
        ['Text', 'anna'],
      ],
      '',
    ],
    ['two values of a field that has one: any', [any, ['Text', 'Anna'], ['Text', 'anna']], '12'],
    [
      'the same value twice',
      [
        ['tags', 'x'],
        ['tags', 'x'],
      ],
      '1',
    ],
    [
      'the same number twice in other digits',
      [
        ['Number', '72'],
        ['Number', '72.00'],
      ],
      '2',
    ],
    [
      'two fields: both',
      [
        ['Text', 'anna'],
        ['tags', 'y'],
      ],
      '2',
    ],
    ['two fields: any, nobody twice', [any, ['Text', 'anna'], ['tags', 'y'], ['Boolean', 'true']], '123'],
    ['any of what nobody has', [any, ['Text', 'Nobody'], ['tags', 'Nobody']], ''],
    ['one entity', at('a'), '124'],
    ['two entities: either, nobody twice', at('a', 'b'), '1234'],
    ['an entity twice', at('b', 'b'), '23'],
    ['an entity without subjects', at('attic'), ''],
    ['entities and values: both', [...at('a', 'c'), ['tags', 'y']], '12'],
    ['entities and several values: all of it', [...at('a'), ['tags', 'y'], ['Number', '72']], '2'],
    ['entities and any of several values', [...at('b', 'c'), any, ['tags', 'y'], ['numbers', '1']], '234'],
    ['entities that none of the values is in', [...at('c'), ['tags', 'x']], ''],
  ])('found by %s', async (_, pairs, ids) => {
    expect(await found(...pairs)).toBe(ids)
  })

  test.each(odd)('a field may be called %j', async key => {
    expect(await found([key, `of ${key}`])).toBe('7')
    expect(await found([key, 'x'])).toBe('')
  })

  test('the names of the parameters are taken in any case, the keys and values of fields exactly', async () => {
    const values = (name: string) => [name, 'x'] as [string, string]
    expect(await found(values('?CUSTOMFIELDVALUEFILTER.VALUES[tags]'), ['?structuralentitykeys', 'a'])).toBe('1')
    expect(
      await found(values('?customfieldvaluefilter.Values[tags]'), ['?CustomFieldValueFilter.Match', 'exactany']),
    ).toBe('1')
    expect(refusal(await tenant.get(query(['TAGS', 'x'])))).toEqual(
      invalid('unknown-custom-field /query/customFieldValueFilter.values/TAGS'),
    )
  })

  test('a filter of eighty values is answered, all of them or any', async () => {
    const many = Array.from({ length: 80 }, (_, n): [string, string] => ['tags', `t${n}`])
    expect(await found(...many)).toBe('')
    expect(await found(any, ...many, ['tags', 'x'])).toBe('1')
    expect(await found(any, ...many, ['tags', 'y'], ...at('a', 'b', 'c'))).toBe('12')
  })

  test('the fields are told to whoever may list', async () => {
    const lister = await tenant.client(['List:Subject'])
    const { status, body } = await lister.get<object[]>('/api/v2/subjectField')
    const field = { Key: 'id', Name: 'Field id', Type: 'Text', Required: true, IsArray: false, Matching: true }
    expect([status, body[0], body.length]).toEqual([200, field, 17])
    const numbers = { Key: 'numbers', Type: 'Number', Required: false, IsArray: true, Matching: false }
    expect(body).toContainEqual(expect.objectContaining(numbers))
    expect((await (await tenant.client(['View:Subject'])).get('/api/v2/subjectField')).status).toBe(403)
  })

  test('a body has the same members as the query string, and the same answer', async () => {
    const body = {
      structuralEntityKeys: ['a', 'b'],
      customFieldValueFilter: { values: { tags: ['x', 'y'], Text: ['anna'] }, match: 'ExactAny' },
      first: 1,
      orderDirection: 'Descending',
    }
    const sameQuery = query(
      ...at('a', 'b'),
      ['tags', 'x'],
      ['tags', 'y'],
      ['Text', 'anna'],
      any,
      ['?First', '1'],
      ['?OrderDirection', 'Descending'],
    )
    const listed = await tenant.get<Page<Node>>(sameQuery)
    const posted = await tenant.post<Page<Node>>(queryPath, body)
    expect([posted.status, posted.body]).toEqual([200, listed.body])
    const next = await tenant.post<Page<Node>>(queryPath, { ...body, after: listed.body.PageInfo.EndCursor })
    expect(next.body).toEqual((await tenant.get(`${sameQuery}&After=${listed.body.PageInfo.EndCursor}`)).body)
    expect((await tenant.post<Page<Node>>(queryPath, {})).body.PageInfo.TotalCount).toBe(7)
  })

  test('a body takes more entities and values than an address', async () => {
    const StructuralEntityKeys = Array.from({ length: 2_000 }, () => ['a', 'b', 'c']).flat()
    const tags = Array.from({ length: 1_000 }, (_, n) => `${n}`.padStart(100, 'y'))
    const customFieldValueFilter = { values: { tags: [...tags.slice(1), 'y'] }, match: 'ExactAny' }
    const { status, body } = await tenant.post<Page<Node>>(queryPath, { StructuralEntityKeys, customFieldValueFilter })
    expect([status, body.PageInfo?.TotalCount]).toEqual([200, 2])
  })

  test('faults of a body point into it', async () => {
    const refused = async (body: object) => refusal(await tenant.post(queryPath, body))
    const values = { colour: ['red'], Number: ['1', 'x'] }
    expect(
      await refused({ StructuralEntityKeys: ['a', 'nowhere'], SearchTerm: '%', customFieldValueFilter: { values } }),
    ).toEqual(
      invalid(
        'unknown-structural-entity /StructuralEntityKeys/1',
        'search-and-filter /SearchTerm',
        'no-word /SearchTerm',
        'unknown-custom-field /customFieldValueFilter/values/colour',
        'wrong-format /customFieldValueFilter/values/Number/1',
      ),
    )
    expect(await refused({ First: 1, Last: 1 })).toEqual(invalid('first-and-last /Last'))
    expect(await refused({ First: '1', Search: 'x', IncludeDescendants: true })).toEqual(
      invalid('unknown-member /Search', 'wrong-type /First'),
    )
    const tags = Array.from({ length: 101 }, (_, n) => `${n}`)
    expect(await refused({ customFieldValueFilter: { values: { tags } } })).toEqual(
      invalid('too-many /customFieldValueFilter/values'),
    )
  })

  const values = '/query/customFieldValueFilter.values'
  test.each<[string, [string, string][], string[]]>([
    ['a field that is not known', [['colour', 'red']], [`unknown-custom-field ${values}/colour`]],
    [
      'odd keys that are not known',
      [
        ['a~b/c', 'x'],
        ['toString', 'x'],
        ['', 'x'],
        ['[]', 'x'],
      ],
      ['a~0b~1c', 'toString', '', '[]'].map(key => `unknown-custom-field ${values}/${key}`),
    ],
    [
      'values of the wrong type, each',
      [
        ['Number', 'many'],
        ['Number', '1'],
        ['Number', ''],
        ['numbers', '0x10'],
      ],
      ['Number/0', 'Number/2', 'numbers/0'].map(place => `wrong-format ${values}/${place}`),
    ],
    ['a boolean that is none', [['Boolean', '1']], [`wrong-format ${values}/Boolean/0`]],
    ['a date that does not exist', [['Date', '2024-02-30']], [`wrong-format ${values}/Date/0`]],
    ['a time that does not exist', [['Time', '25:00:00']], [`wrong-format ${values}/Time/0`]],
    ['a time with a zone', [['Time', '10:00:00Z']], [`wrong-format ${values}/Time/0`]],
    [
      'a date-time beyond the year 9999 in UTC',
      [['DateTime', '9999-12-31T23:59:59-05:00']],
      [`wrong-format ${values}/DateTime/0`],
    ],
    ['a date where a date-time is meant', [['DateTime', '2024-01-01']], [`wrong-format ${values}/DateTime/0`]],
    [
      'entities that are not known, each',
      at('a', 'nowhere', 'A', ''),
      [1, 2, 3].map(n => `unknown-structural-entity /query/StructuralEntityKeys/${n}`),
    ],
    [
      'a search together with it',
      [
        ['tags', 'x'],
        ['?SearchTerm', 'anna'],
      ],
      ['search-and-filter /query/SearchTerm'],
    ],
    [
      'all of it at once',
      [...at('nowhere'), ['colour', 'red'], ['Number', 'x'], ['?SearchTerm', 'anna']],
      [
        'unknown-structural-entity /query/StructuralEntityKeys/0',
        'search-and-filter /query/SearchTerm',
        `unknown-custom-field ${values}/colour`,
        `wrong-format ${values}/Number/0`,
      ],
    ],
    [
      'another match',
      [
        ['?customFieldValueFilter.match', 'Fuzzy'],
        ['tags', 'x'],
      ],
      ['unknown-value /query/customFieldValueFilter.match'],
    ],
    [
      'a match without values',
      [['?customFieldValueFilter.match', 'ExactAny']],
      ['match-without-values /query/customFieldValueFilter.match'],
    ],
    [
      'a match without values in a search, or beside other faults',
      [['?customFieldValueFilter.match', 'ExactAll'], ['?SearchTerm', 'anna'], ...at('nowhere')],
      [
        'unknown-structural-entity /query/StructuralEntityKeys/0',
        'match-without-values /query/customFieldValueFilter.match',
      ],
    ],
    ...['***', '%', '_', '\\', "'", '"', '`', '.*', ' ?? ', '-', '\u0000', '\u0301', '\ud800', '🏥'].map(
      (term): [string, [string, string][], string[]] => [
        `a search for ${JSON.stringify(term)}, which has no letter or digit`,
        [['?SearchTerm', term]],
        ['no-word /query/SearchTerm'],
      ],
    ),
    [
      'a filter without a key',
      [['?customFieldValueFilter.values', 'x']],
      ['unknown-parameter /query/customFieldValueFilter.values'],
    ],
    [
      'a filter of another name',
      [['?customFieldValueFilter.value[tags]', 'x']],
      ['unknown-parameter /query/customFieldValueFilter.value[tags]'],
    ],
    [
      'a key that does not end',
      [['?customFieldValueFilter.values[tags', 'x']],
      ['unknown-parameter /query/customFieldValueFilter.values[tags'],
    ],
    ['a key where none is taken', [['?First[x]', '1']], ['unknown-parameter /query/First[x]']],
    [
      '21 fields',
      Array.from({ length: 21 }, (_, n): [string, string] => [`f${n}`, 'x']),
      ['too-many /query/customFieldValueFilter.values'],
    ],
  ])('refused: %s', async (_, pairs, errors) => {
    expect(refusal(await tenant.get(query(...pairs)))).toEqual(invalid(...errors))
  })

  test('a value of the wrong type is answered with the key of its field and the form that it takes', async () => {
    const { body } = await tenant.get<Problem>(query(['Date', '31.01.1980'], ['Time', 'noon'], ['numbers', 'many']))
    expect(body.errors?.map(({ detail }) => detail)).toEqual([
      "The field 'Date' takes a Date such as 1980-01-31.",
      "The field 'Time' takes a Time such as 08:30, without a zone.",
      "The field 'numbers' takes an Integer such as 72 or a Decimal such as 72.5.",
    ])
  })
})

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

  /** What a page must be, by a plain array: the cursors cut first, then First or Last. */
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

  test('a cursor fits its filter, order and tenant only, and a damaged one none', async () => {
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

  test('a cursor fits the same filter in another order, and with a key given twice', async () => {
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

  test('a subject that is assigned or changed keeps its place; a new one is the last', async () => {
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

describe('a region', () => {
  /** More than are merged range by range. */
  const wards = Array.from({ length: 120 }, (_, n) => `ward-${n}`)
  const random = randomOf(20_261_123)
  const db = openDatabase()
  afterAll(() => db.destroy())

  let tenant: Tenant
  /** Everybody in the region, in the order of the list: between the second and the third are 2,500 people of elsewhere. */
  const inside: string[] = []

  beforeAll(async () => {
    tenant = await subjectTenant()
    await plant(tenant, {
      ...{ county: null, north: 'county', south: 'county', elsewhere: null },
      ...Object.fromEntries(wards.map((ward, n) => [ward, n % 2 ? 'north' : 'south'])),
    })
    const ward = () => wards[random.between(0, wards.length)] ?? ''
    const name: StoredValues = { givenName: ['String', 'Ada'] }
    const store = async (...places: string[]) => inside.push(await storeSubject(db, tenant.tenantKey, name, places))
    await store('north', 'ward-1')
    await store(ward(), ward())
    await storeSubjects(db, tenant.tenantKey, 2_500, 'elsewhere')
    for (let n = 0; n < 28; n++) await store(ward(), 'elsewhere')
  })

  const page = async (query: Record<string, string>) => {
    const region = { StructuralEntityKeys: 'county', IncludeDescendants: 'true' }
    const { status, body } = await tenant.get<Page<SubjectBody>>(list(subjectsPath, { ...region, ...query }))
    if (status !== 200) throw new Error(JSON.stringify(body))
    return { ids: body.Edges.map(({ Node }) => Node.Id), info: body.PageInfo }
  }

  test.each(['Ascending', 'Descending'])('%s is one paged list of all that is below it', async OrderDirection => {
    const wanted = OrderDirection === 'Ascending' ? inside : inside.toReversed()
    const forwards: string[] = []
    for (let After: string | undefined = ''; After !== undefined; ) {
      const { ids, info } = await page({ OrderDirection, First: '7', ...(After && { After }) })
      expect([info.TotalCount, info.HasPreviousPage]).toEqual([30, After !== ''])
      forwards.push(...ids)
      After = info.HasNextPage ? info.EndCursor : undefined
    }
    expect(forwards).toEqual(wanted)
    const last = await page({ OrderDirection, Last: '9' })
    expect(last.ids).toEqual(wanted.slice(-9))
    const before = await page({ OrderDirection, Last: '12', Before: last.info.StartCursor })
    expect(before.ids).toEqual(wanted.slice(9, 21))
    expect([before.info.HasPreviousPage, before.info.HasNextPage]).toEqual([true, true])
  })

  test('is the entity itself alone without IncludeDescendants', async () => {
    expect((await page({ StructuralEntityKeys: 'north', IncludeDescendants: 'false' })).ids).toEqual([inside[0]])
    expect((await page({ IncludeDescendants: 'false' })).ids).toEqual([])
  })

  test('below an entity without children is that entity', async () => {
    expect((await page({ StructuralEntityKeys: 'ward-1', First: '1' })).ids).toEqual([inside[0]])
  })

  test('follows an entity that moves', async () => {
    await put(tenant, paths.entities, anEntity('elsewhere', { ParentKey: 'south' }))
    expect((await page({ First: '5' })).info.TotalCount).toBe(2_530)
    await put(tenant, paths.entities, anEntity('elsewhere'))
    expect((await page({ First: '5' })).info.TotalCount).toBe(30)
  })

  test('is searched, and filtered by values', async () => {
    for (const nationalId of ['in', 'out']) {
      const { status } = await tenant.post(subjectsPath, person(nationalId, {}, nationalId === 'in' ? ['ward-3'] : []))
      expect(status).toBe(201)
    }
    const found = async (query: Record<string, string>) => (await page(query)).info.TotalCount
    expect(await found({ SearchTerm: 'byron' })).toBe(1)
    expect(await found({ 'customFieldValueFilter.values[familyName]': 'Byron' })).toBe(1)
    expect(await found({ 'customFieldValueFilter.values[nationalId]': 'out' })).toBe(0)
  })

  test('needs entities, and its cursors are not those of the entities alone', async () => {
    expect(refusal(await tenant.get(`${subjectsPath}?IncludeDescendants=true`))).toEqual(
      invalid('descendants-without-entities /query/IncludeDescendants'),
    )
    const { info } = await page({ First: '2' })
    const alone = list(subjectsPath, { StructuralEntityKeys: 'county', After: info.EndCursor })
    expect(refusal(await tenant.get(alone)).code).toBe('foreign-cursor')
  })
})

describe('syncing', () => {
  let tenant: Tenant
  const ids: Record<string, string> = {}
  const db = openDatabase()
  afterAll(() => db.destroy())

  beforeAll(async () => {
    tenant = await subjectTenant()
    await plantWards(tenant, 'a', 'b')
    for (const [name, ...places] of [['one', 'a'], ['two', 'b', 'a'], ['three'], ['four', 'b']] as const) {
      ids[name] = await addPerson(tenant, name, {}, places)
    }
    // Written in another order than they were created; two at the same time.
    const tenant_id = await tenantIdOf(db, tenant.tenantKey)
    for (const [name, minute] of Object.entries({ one: 3, two: 1, three: 2, four: 2 })) {
      const updated_at = new Date(Date.UTC(2026, 0, 1, 0, minute))
      await db('subjects').where({ tenant_id, id: ids[name] }).update({ updated_at })
    }
  })

  const names = async (query: Record<string, string>) => {
    const { status, body } = await tenant.get<Page<SubjectBody>>(list(subjectsPath, query))
    if (status !== 200) throw new Error(JSON.stringify(body))
    expect(body.PageInfo.TotalCount).toBe(body.Edges.length)
    return body.Edges.map(({ Node }) => Object.entries(ids).find(([, id]) => id === Node.Id)?.[0])
  }

  test('UpdatedFrom is inclusive, UpdatedTo exclusive, with and without other filters', async () => {
    const from = { UpdatedFrom: '2026-01-01T00:02:00Z' }
    expect(await names(from)).toEqual(['one', 'three', 'four'])
    expect(await names({ ...from, UpdatedTo: '2026-01-01T01:03:00+01:00' })).toEqual(['three', 'four'])
    expect(await names({ ...from, StructuralEntityKeys: 'b' })).toEqual(['four'])
    expect(await names({ ...from, 'customFieldValueFilter.values[nationalId]': 'one' })).toEqual(['one'])
  })

  test('OrderBy=UpdatedAt goes through pages, ties by id', async () => {
    const seen: (string | undefined)[] = []
    const query = { OrderBy: 'UpdatedAt', OrderDirection: 'Descending', First: '1' }
    for (let After = ''; ; ) {
      const { body } = await tenant.get<Page<SubjectBody>>(list(subjectsPath, { ...query, ...(After && { After }) }))
      seen.push(Object.entries(ids).find(([, id]) => id === body.Edges[0]?.Node.Id)?.[0])
      if (!body.PageInfo.HasNextPage) break
      After = body.PageInfo.EndCursor
    }
    expect(seen).toEqual(['one', 'four', 'three', 'two'])
  })

  test('Unplaced lists who is nowhere', async () => {
    expect(await names({ Unplaced: 'true' })).toEqual(['three'])
    expect(await names({ Unplaced: 'false' })).toHaveLength(4)
  })

  test('Include gives each subject its places', async () => {
    const { body } = await tenant.get<Page<SubjectBody>>(list(subjectsPath, { Include: 'structuralEntities' }))
    const places = body.Edges.map(({ Node }) => Node.StructuralEntities?.map(({ Key }) => Key))
    expect(places).toEqual([['a'], ['a', 'b'], [], ['b']])
    const single = await tenant.get<SubjectBody>(`${subjectsPath}/${ids.two}`)
    expect(body.Edges[1]?.Node).toEqual(single.body)
  })

  test('Ids reads those that are there, beside the other filters, and a merged one by the Id that it had', async () => {
    const { one = '', two = '', three = '', four = '' } = ids
    const named = [four.toUpperCase(), one, one, randomUUID()]
    const read = async (body: object) => {
      const { status, body: page } = await tenant.post<Page<SubjectBody>>(queryPath, body)
      if (status !== 200) throw new Error(JSON.stringify(page))
      expect(page.PageInfo.TotalCount).toBe(page.Edges.length)
      return page.Edges.map(({ Node }) => Node.Id)
    }
    expect(await read({ Ids: named })).toEqual([one, four])
    expect(await read({ Ids: null })).toHaveLength(4)
    expect(await read({ Ids: named, StructuralEntityKeys: ['b'] })).toEqual([four])
    expect(await read({ Ids: [two, one], OrderBy: 'nationalId', OrderDirection: 'Descending' })).toEqual([two, one])
    expect(await read({ Ids: [...Array.from({ length: 999 }, () => randomUUID()), three] })).toEqual([three])
    expect(await names({ Ids: two })).toEqual(['two'])
    const other = await addPerson(tenant, 'twin')
    expect((await tenant.post(`${subjectsPath}/${one}/merge`, { SubjectId: other })).status).toBe(200)
    expect(await read({ Ids: [other] })).toEqual([one])
    expect((await tenant.post(`${subjectsPath}/${one}/deactivate`)).status).toBe(200)
    expect(await read({ Ids: [one, two] })).toEqual([two])
    expect(await read({ Ids: [one, two], IncludeDeactivated: true })).toEqual([one, two])
    expect((await tenant.post(`${subjectsPath}/${one}/reactivate`)).status).toBe(200)
    const foreign = await subjectTenant()
    expect((await foreign.post<Page<SubjectBody>>(queryPath, { Ids: [two] })).body.Edges).toEqual([])
    expect(refusal(await tenant.post(queryPath, { Ids: ['x'] }))).toEqual(invalid('wrong-format /Ids/0'))
    expect(refusal(await tenant.post(queryPath, { Ids: [one], SearchTerm: 'a' }))).toEqual(
      invalid('not-in-search /Ids'),
    )
  })

  test('what a search does not take is refused', async () => {
    const search = { SearchTerm: 'byron', UpdatedTo: '2026-01-01T00:00:00Z' }
    expect(refusal(await tenant.get(list(subjectsPath, search)))).toEqual(invalid('not-in-search /query/UpdatedTo'))
    const wrong = { StructuralEntityKeys: 'a', Unplaced: 'true', UpdatedFrom: '2026', Include: 'Forms' }
    expect(refusal(await tenant.get(list(subjectsPath, wrong)))).toEqual(
      invalid('wrong-format /query/UpdatedFrom', 'unknown-value /query/Include/0'),
    )
    expect(refusal(await tenant.get(list(subjectsPath, { StructuralEntityKeys: 'a', Unplaced: 'true' })))).toEqual(
      invalid('unplaced-in-entities /query/Unplaced'),
    )
  })

  test('a bulk says of each subject whether it was created, also when it is repeated', async () => {
    const send = () =>
      tenant.post<{ outcome: string }[]>(bulkPath, [person('one'), person('five')], { 'idempotency-key': 'outcomes' })
    for (const { status, body } of [await send(), await send()]) {
      expect([status, body.map(({ outcome }) => outcome)]).toEqual([200, ['updated', 'created']])
    }
  })
})

describe('totals', () => {
  const db = openDatabase()
  afterAll(() => db.destroy())

  test('are counted where something has changed, or where very many changes have no position', async () => {
    const tenant = await subjectTenant()
    const tenantId = await tenantIdOf(db, tenant.tenantKey)
    const total = async () => (await tenant.get<Page<unknown>>(subjectsPath)).body.PageInfo.TotalCount
    const note = (count: number) =>
      db.transaction(trx =>
        noteChanges(
          trx,
          tenantId,
          Array.from({ length: count }, () => ({ id: newId(), kind: 'updated' as const })),
        ),
      )
    const id = await addPerson(tenant, 'one')
    expect(await total()).toBe(1)
    // Nobody is told of it, so that it shows what was counted.
    await storeSubject(db, tenant.tenantKey)
    expect(await total()).toBe(1)
    await patch(tenant, id, texts({ email: 'one' }))
    expect(await total()).toBe(2)
    await note(5_000)
    expect(await total()).toBe(2)
    await storeSubject(db, tenant.tenantKey)
    expect(await total()).toBe(3)
    await forgetChanges(db)
    expect(await total()).toBe(3)
    await storeSubject(db, tenant.tenantKey)
    expect(await total()).toBe(3)
    await note(1)
    expect(await total()).toBe(4)
  })
})
