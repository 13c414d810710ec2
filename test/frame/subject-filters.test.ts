// Filters of subject lists.
import { beforeAll, describe, expect, test } from 'vitest'
import type { Problem, Tenant } from '../support/api.js'
import { aField, plantWards, subjectTenant, value } from '../support/factories.js'
import { invalid, list, type Page, refusal } from '../support/frame.js'
import { pairs } from '../support/http.js'
import { bulkPath, person, queryPath, subjectsPath, texts } from '../support/subjects.js'

describe('filters', () => {
  const odd = ['a]b', 'a[b', 'constructor', '__proto__', 'é&=+%', 'values']
  /** As many values as ExactAll takes. */
  const hundred = Array.from({ length: 100 }, (_, n) => `m${n}`)

  let tenant: Tenant
  beforeAll(async () => {
    const fields = [
      aField('id', 'Text', { required: true }),
      ...['Text', 'PhoneNumber', 'Number', 'Date', 'DateTime', 'Time', 'UserIdentifier', 'Boolean'].map(type =>
        aField(type, type),
      ),
      aField('tags', 'Text', { isArray: true }),
      aField('numbers', 'Number', { isArray: true }),
      aField('marks', 'Text', { isArray: true }),
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
      [
        '6',
        [
          value('UserIdentifier', 'UserIdentifier', 'kim'),
          value('PhoneNumber', 'String', '+44 20 1234'),
          value('marks', 'String', hundred),
        ],
        ['c'],
      ],
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
    ['two values of one field: both', pairs('tags', 'x', 'tags', 'y'), '1'],
    ['two values of one field, both said', [all, ['tags', 'x'], ['tags', 'y']], '1'],
    ['two values of one field: any', [any, ['tags', 'x'], ['tags', 'y']], '12'],
    ['two values of a field that has one: none has both', pairs('Text', 'Anna', 'Text', 'anna'), ''],
    ['two values of a field that has one: any', [any, ['Text', 'Anna'], ['Text', 'anna']], '12'],
    ['the same value twice', pairs('tags', 'x', 'tags', 'x'), '1'],
    ['the same number twice in other digits', pairs('Number', '72', 'Number', '72.00'), '2'],
    ['two fields: both', pairs('Text', 'anna', 'tags', 'y'), '2'],
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

  test('names of parameters match in any letter case, keys and values of fields exactly', async () => {
    const values = (name: string) => [name, 'x'] as [string, string]
    expect(await found(values('?CUSTOMFIELDVALUEFILTER.VALUES[tags]'), ['?structuralentitykeys', 'a'])).toBe('1')
    expect(
      await found(values('?customfieldvaluefilter.Values[tags]'), ['?CustomFieldValueFilter.Match', 'exactany']),
    ).toBe('1')
    expect(refusal(await tenant.get(query(['TAGS', 'x'])))).toEqual(
      invalid('unknown-custom-field /query/customFieldValueFilter.values/TAGS'),
    )
  })

  test('a filter may have a hundred values, with ExactAll and ExactAny', async () => {
    const all = hundred.map((mark): [string, string] => ['marks', mark])
    const others = all.slice(1)
    const many = hundred.slice(20).map((tag): [string, string] => ['tags', tag])
    expect(await found(...all)).toBe('6')
    expect(await found(...others, ['tags', 'x'])).toBe('')
    expect(await found(...all, ...at('b', 'c'), ['?UpdatedFrom', '2026-01-01T00:00:00Z'])).toBe('6')
    expect(await found(...all, ...at('b'))).toBe('')
    expect(await found(any, ...many, ['tags', 'x'])).toBe('1')
    expect(await found(any, ...many, ['tags', 'y'], ...at('a', 'b', 'c'))).toBe('12')
  })

  test('the fields can be read with the permission to list', async () => {
    const lister = await tenant.client(['List:Subject'])
    const { status, body } = await lister.get<object[]>('/api/v2/subjectField')
    const field = { Key: 'id', Name: 'Field id', Type: 'Text', Required: true, IsArray: false, Matching: true }
    expect([status, body[0], body.length]).toEqual([200, field, 18])
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

  test('a body takes one value where a list is expected', async () => {
    const [one, many] = [
      { StructuralEntityKeys: 'a', include: 'structuralEntities', customFieldValueFilter: { values: { tags: 'x' } } },
      {
        StructuralEntityKeys: ['a'],
        Include: ['StructuralEntities'],
        customFieldValueFilter: { values: { tags: ['x'] } },
      },
    ]
    const listed = await tenant.post<Page<Node>>(queryPath, many)
    expect(listed.status).toBe(200)
    expect((await tenant.post<Page<Node>>(queryPath, one)).body).toEqual(listed.body)
    expect(refusal(await tenant.post(queryPath, { Ids: 7 }))).toEqual(invalid('wrong-type /Ids/0'))
    expect(refusal(await tenant.post(queryPath, { customFieldValueFilter: { values: { tags: {} } } }))).toEqual(
      invalid('wrong-type /customFieldValueFilter/values/tags/0'),
    )
  })

  test('a range that ends before it begins is refused, in each list that has one', async () => {
    const [from, to] = ['2026-11-02T00:00:00Z', '2026-11-01T00:00:00Z']
    for (const [path, name] of [
      [subjectsPath, 'Updated'],
      ['/api/v1/structuralEntity', 'Updated'],
      ['/api/v1/jobs', 'Accepted'],
    ])
      expect(refusal(await tenant.get(`${path}?${name}From=${from}&${name}To=${to}`))).toEqual(
        invalid(`from-after-to /query/${name}From`),
      )
    expect(refusal(await tenant.post(queryPath, { UpdatedFrom: from, UpdatedTo: to }))).toEqual(
      invalid('from-after-to /UpdatedFrom'),
    )
    const { body } = await tenant.get<Problem>(`${subjectsPath}?UpdatedFrom=${from}&UpdatedTo=${to}`)
    expect(body.errors?.[0]?.detail).toBe('UpdatedFrom is after UpdatedTo.')
    expect((await tenant.get(`${subjectsPath}?UpdatedFrom=${to}&UpdatedTo=${to}`)).status).toBe(200)
  })

  test('a bare + in an address is named, because it arrives as a blank', async () => {
    const detailOf = async (time: string) =>
      (await tenant.get<Problem>(`${subjectsPath}?UpdatedFrom=${time}`)).body.errors?.[0]?.detail
    expect(await detailOf('2026-11-01T00:00:00+02:00')).toBe(
      'It must be a date-time such as 2026-11-27T08:30:00Z. A bare + in an address means a blank: write + as %2B.',
    )
    expect(await detailOf('soon')).toBe('It must be a date-time such as 2026-11-27T08:30:00Z.')
    expect((await tenant.get(`${subjectsPath}?UpdatedFrom=2026-11-01T00:00:00%2B02:00`)).status).toBe(200)
  })

  test('a body may have more entities and values than a query string', async () => {
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
      pairs('a~b/c', 'x', 'toString', 'x', '', 'x', '[]', 'x'),
      ['a~0b~1c', 'toString', '', '[]'].map(key => `unknown-custom-field ${values}/${key}`),
    ],
    [
      'values of the wrong type, each',
      pairs('Number', 'many', 'Number', '1', 'Number', '', 'numbers', '0x10'),
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
    ['a search together with it', pairs('tags', 'x', '?SearchTerm', 'anna'), ['search-and-filter /query/SearchTerm']],
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
      pairs('?customFieldValueFilter.match', 'Fuzzy', 'tags', 'x'),
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

test.each(['vanderberg', 'vanderbreg', 'derberg', 'maryjane', 'mary-jane vanderb'])(
  'a search for %s finds Mary Jane van der Berg',
  async term => {
    const tenant = await subjectTenant()
    const names = { givenName: 'Mary Jane', familyName: 'van der Berg' }
    await tenant.post(bulkPath, [person('1', names), person('2', { givenName: 'Mary', familyName: 'Vandermeer' })])
    await expect
      .poll(
        async () => (await tenant.get<Page<object>>(list(subjectsPath, { SearchTerm: term }))).body.PageInfo.TotalCount,
      )
      .toBe(1)
  },
)
