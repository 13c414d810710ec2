import { beforeAll, expect, test } from 'vitest'
import type { Problem, Tenant } from '../support/api.js'
import { invalid, refusal } from '../support/frame.js'
import { aField, plantWards, subjectsPath, subjectTenant } from '../support/subjects.js'

let tenant: Tenant
beforeAll(async () => {
  const types = ['Number', 'Date', 'DateTime', 'Time', 'Boolean']
  const fields = [aField('id', 'Text', { required: true }), ...types.map(type => aField(type, type))]
  const arrays = [aField('tags', 'Text', { isArray: true }), aField('numbers', 'Number', { isArray: true })]
  tenant = await subjectTenant({ fields: [...fields, ...arrays], matchingFields: ['id'], portal: {} })
  await plantWards(tenant, 'a')
})

/** `[key, value]` pairs as a query; a key that begins with `?` is a parameter of its own. */
const query = (...pairs: [string, string][]) => {
  const given = pairs.map(([key, text]): [string, string] =>
    key.startsWith('?') ? [key.slice(1), text] : [`customFieldValueFilter.values[${key}]`, text],
  )
  return `${subjectsPath}?${new URLSearchParams(given)}`
}
const at = (...keys: string[]) => keys.map((key): [string, string] => ['?StructuralEntityKeys', key])

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
    ['maxProperties /query/customFieldValueFilter.values'],
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
