// Input values by iteration.
import { expect, test } from 'vitest'
import { checkForm } from '../../forms/check.js'
import type { FormTemplate } from '../../forms/template.js'
import { parseExactJson } from '../../runtime/json/exact-json.js'
import { aControl, aForm, aRepeat, aSection, formOf, optionsOf } from '../support/form-values.js'

/** `day` outside, `site` in a wound, `material` in its dressings. */
const dressing = aRepeat('dressing', [aControl('material')])
const wound = aRepeat('wound', [aControl('site'), aControl('depth', { dataType: 'decimal' })], { repeats: [dressing] })
const form = aForm(
  aSection('visit', [aControl('day', { dataType: 'date' }), aControl('note', { couldHaveValue: false, text: 'Read' })]),
  aSection('wounds', [], { repeats: [wound] }),
)

const faultsOf = (given: Record<string, unknown>, template: FormTemplate = form) =>
  checkForm(template, given, { complete: false }).faults.map(({ id, path, ...fault }) => fault)
const at = (index: unknown, value: unknown = 'x') => ({ repeatIterationIndex: index, value })
const inside = (path: unknown, value: unknown = 'x') => ({ repeatIterationPath: path, value })

test.each([
  [{ depths: 1 }, '/depths', 'unknown-control', "The form has no control 'depths'."],
  [{ 'a/b~c': 1 }, '/a~1b~0c', 'unknown-control', "The form has no control 'a/b~c'."],
  [{ wound: [] }, '/wound', 'unknown-control', "The form has no control 'wound'."],
  [{ note: 'x' }, '/note', 'no-value', 'It only shows a text and takes no value.'],
  [{ day: 'x' }, '/day', 'date', 'It is not a date, such as 2026-03-31.'],
  [
    { day: [{ type: 'single-value', repeatIterationIndex: 0, value: '2026-03-31' }] },
    '/day/0/repeatIterationIndex',
    'iteration',
    'The control is in no repeat, so its repeatIterationIndex must be null.',
  ],
  [
    { site: 'heel' },
    '/site',
    'array',
    'It stands in a repeat and takes a list: [{"repeatIterationIndex": 0, "value": …}, …].',
  ],
  [
    { material: { 0: 'foam' } },
    '/material',
    'array',
    'It stands in a repeat and takes a list: [{"repeatIterationPath": [0,0], "value": …}, …].',
  ],
  [{ depth: [at(0, '1'), at(1, 'deep')] }, '/depth/1', 'decimal', 'It is not a number, such as 1500 or 12.5.'],
  [{ site: [at(0), at(1), at(0)] }, '/site/2', 'duplicate-iteration', 'The iteration 0 is given twice.'],
  [
    { material: [inside([0, 0]), inside([0, 0])] },
    '/material/1',
    'duplicate-iteration',
    'The iteration 0, 0 is given twice.',
  ],
])('%j is refused', (given, pointer, code, detail) => {
  expect(faultsOf(given)).toEqual([{ pointer, code, detail }])
})

test.each([-1, 1.5, '0', null, undefined, 1_000, {}, [0], Number.NaN])('%j is no iteration', index => {
  const detail = 'repeatIterationIndex is a whole number from 0 to 999.'
  expect(faultsOf({ site: [at(index)] })).toEqual([
    { pointer: '/site/0/repeatIterationIndex', code: 'iteration', detail },
  ])
})

test.each([[[0]], [[0, 0, 0]], [[0, -1]], [[0, '0']], ['0,0'], [undefined], [{ length: 2 }]])(
  '%j are no iterations of nested repeats',
  path => {
    const detail = 'repeatIterationPath is a list of 2 whole numbers, each from 0 to 999.'
    expect(faultsOf({ material: [inside(path)] })).toEqual([
      { pointer: '/material/0/repeatIterationPath', code: 'iteration', detail },
    ])
  },
)

test('iterations written as decimals, such as 1.0, are the same', () => {
  const given = parseExactJson(
    '{"site":[{"repeatIterationIndex":0.0,"value":"x"},{"repeatIterationIndex":0,"value":"y"}]}',
  )
  expect(faultsOf(given as Record<string, unknown>)).toMatchObject([
    { pointer: '/site/1', code: 'duplicate-iteration' },
  ])
  const nested = parseExactJson('{"material":[{"repeatIterationPath":[0.0,0e0],"value":"x"}]}')
  expect(faultsOf(nested as Record<string, unknown>)).toEqual([])
})

test('every gap between iterations is named, with the value behind it', () => {
  const given = {
    site: [at(0), at(3)],
    depth: [at(2, '1')],
    material: [inside([0, 1]), inside([2, 0]), inside([2, 2])],
  }
  const { faults } = checkForm(form, given, { complete: false })
  const gap = (id: string, highest: number, missing: number) =>
    `The repeat '${id}' has an iteration ${highest} but no iteration ${missing}: they are numbered from 0 without gaps.`
  expect(faults).toEqual([
    { pointer: '/site/1', code: 'repeat-gap', detail: gap('wound', 3, 1), id: 'wound', path: [] },
    { pointer: '/material/0', code: 'repeat-gap', detail: gap('dressing', 1, 0), id: 'dressing', path: [0] },
    { pointer: '/material/2', code: 'repeat-gap', detail: gap('dressing', 2, 1), id: 'dressing', path: [2] },
  ])
})

test('iterations may come in any order, and one exists if it has any value', () => {
  const given = { site: [at(1, 'hip'), at(0, null)], material: [inside([2, 1], 'foam'), inside([2, 0])], depth: null }
  const { values, faults } = checkForm(form, given, { complete: false })
  expect(faults).toEqual([])
  expect(values).toEqual({
    day: [{ repeatIterationIndex: null, type: 'empty' }],
    site: [
      { repeatIterationIndex: 0, type: 'empty' },
      { repeatIterationIndex: 1, type: 'single-value', value: 'hip' },
      { repeatIterationIndex: 2, type: 'empty' },
    ],
    depth: [0, 1, 2].map(repeatIterationIndex => ({ repeatIterationIndex, type: 'empty' })),
    material: [
      { repeatIterationIndex: 0, repeatIterationPath: [2, 0], type: 'single-value', value: 'x' },
      { repeatIterationIndex: 1, repeatIterationPath: [2, 1], type: 'single-value', value: 'foam' },
    ],
  })
})

test('more values than a form can have are refused together', () => {
  const many = aForm(
    aSection('all', [], {
      repeats: [
        aRepeat(
          'row',
          Array.from({ length: 21 }, (_, n) => aControl(`c${n}`)),
        ),
      ],
    }),
  )
  const rows = (count: number) => ({ c0: Array.from({ length: count }, (_, n) => at(n)) })
  expect(faultsOf(rows(952), many)).toEqual([])
  const detail = 'The iterations have 20013 values; at most 20000 are allowed.'
  expect(checkForm(many, rows(953), { complete: true })).toEqual({
    values: {},
    faults: [{ pointer: '', code: 'too-many', detail, path: [] }],
  })
})

test('names that every JavaScript object has (`constructor`) are ids like any other', () => {
  const ids = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
  const template = formOf(
    ...ids.map((id, n) => aControl(id, { relevant: { control: ids[n - 1] ?? '', answered: n > 0 } })),
  )
  const given = JSON.parse(`{"__proto__": "a", "constructor": "b", "toString": "c", "hasOwnProperty": "d"}`)
  const { values, faults } = checkForm(template, given, { complete: true })
  expect(faults).toEqual([])
  expect(Object.entries(values).map(([id, all]) => [id, all[0]])).toEqual(
    ['a', 'b', 'c', 'd'].map((value, n) => [ids[n], { repeatIterationIndex: null, type: 'single-value', value }]),
  )
  expect(Object.getPrototypeOf(values)).toBe(Object.prototype)
  expect(faultsOf(given).map(({ pointer, code }) => [pointer, code])).toEqual(
    ids.map(id => [`/${id}`, 'unknown-control']),
  )
})

const junk: unknown[] = [
  ...[
    0,
    -1,
    Number.POSITIVE_INFINITY,
    '',
    ' ',
    true,
    null,
    undefined,
    {},
    [],
    [[]],
    [null],
    [{}],
    [[[1]]],
    { type: 'empty' },
  ],
  ...[
    { value: {} },
    { value: [] },
    { selections: {} },
    { selections: [{ value: [] }] },
    [{ type: {} }],
    { type: 5, value: null },
  ],
  ...[
    { toJSON: 1, toString: 2, valueOf: 3 },
    { annotations: [[], null, 1] },
    { originalText: { a: 1 } },
    { date: [], dateKind: {} },
  ],
  ...[
    { latitude: [], longitude: {} },
    [{ repeatIterationIndex: {}, repeatIterationPath: {} }],
    JSON.parse('{"__proto__": {"value": 1}}'),
  ],
]

test('whatever is sent for a control becomes a value or a fault with its pointer', () => {
  const controls = (
    [
      'integer',
      'decimal',
      'string',
      'boolean',
      'date',
      'time',
      'datetime',
      'annotated-image',
      'geolocation',
      'html',
      'data-url',
      'url',
      'translatable-text-value',
    ] as const
  ).flatMap(dataType => [
    aControl(`a-${dataType}`, { dataType }),
    aControl(`b-${dataType}`, { dataType, partial: true, required: true }),
    aControl(`c-${dataType}`, {
      dataType,
      options: optionsOf('1', '2'),
      allowOther: true,
      couldHaveMultipleValues: true,
    }),
  ])
  const template = formOf(...controls)
  for (const value of junk) {
    const { values, faults } = checkForm(template, Object.fromEntries(controls.map(({ id }) => [id, value])), {
      complete: true,
    })
    expect(Object.keys(values)).toHaveLength(controls.length)
    for (const { pointer, id } of faults) expect(pointer).toMatch(new RegExp(`^/${id}(/0(/repeatIterationIndex)?)?$`))
  }
  const repeated = aForm(aSection('only', [], { repeats: [aRepeat('row', controls)] }))
  for (const value of junk) {
    expect(() =>
      checkForm(repeated, Object.fromEntries(controls.map(({ id }) => [id, value])), { complete: true }),
    ).not.toThrow()
    expect(() => checkForm(repeated, { 'a-string': [at(0, value)] }, { complete: true })).not.toThrow()
  }
})
