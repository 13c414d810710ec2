// Checks of a form's values.
import { expect, test } from 'vitest'
import { checkForm } from '../../forms/check.js'
import type { Control, FormTemplate } from '../../forms/template.js'
import { aControl, aForm, aRepeat, aSection, formOf, optionsOf } from '../support/form-values.js'

const check = (template: FormTemplate, given: Record<string, unknown>, complete = true) =>
  checkForm(template, given, { complete })
const required = (id: string, more: Partial<Control> = {}) => aControl(id, { required: true, ...more })
const numbers = { dataType: 'decimal' } as const
const first = (content: object) => [{ repeatIterationIndex: null, ...content }]
const empty = first({ type: 'empty' })

/** Nothing is entered in these ways. */
const nothings = [
  undefined,
  null,
  '',
  '  \n',
  [],
  {},
  { type: 'empty' },
  [{ type: 'empty', repeatIterationIndex: null }],
  { value: null },
  { selections: [] },
]

test('a required value must be there in a complete form, but not in a draft', () => {
  const controls = [
    required('text'),
    required('number', numbers),
    required('choice', { options: optionsOf('a', 'b') }),
    required('choices', { options: optionsOf('a', 'b'), couldHaveMultipleValues: true }),
    required('image', { dataType: 'annotated-image' }),
    required('story', { dataType: 'translatable-text-value' }),
  ]
  const template = formOf(...controls, aControl('free'))
  const fault = (id: string) => ({ pointer: `/${id}`, code: 'required', detail: 'It is required.', id, path: [] })
  const values = Object.fromEntries([...controls.map(({ id }) => [id, empty]), ['free', empty]])
  for (const nothing of nothings) {
    const given = Object.fromEntries(controls.map(({ id }) => [id, nothing]))
    const blank = { ...given, image: nothing || { annotations: [] }, story: nothing || { originalText: ' ' } }
    const faults = check(template, blank).faults.map(each => ({ ...each, pointer: each.pointer.replace(/\/0$/, '') }))
    expect([nothing, faults]).toEqual([nothing, controls.map(({ id }) => fault(id))])
    expect(check(template, blank, false)).toEqual({ values, faults: [] })
  }
})

test('the values of a draft are checked, too', () => {
  const template = formOf(required('number', { ...numbers, max: '5' }), aControl('text', { maxLength: 2 }))
  expect(check(template, { number: 'x', text: 'abc' }, false)).toEqual({
    values: { number: empty, text: empty },
    faults: [
      {
        pointer: '/number',
        code: 'decimal',
        detail: 'It is not a number, such as 1500 or 12.5.',
        id: 'number',
        path: [],
      },
      {
        pointer: '/text',
        code: 'too-long',
        detail: 'It has 3 characters; at most 2 are allowed.',
        id: 'text',
        path: [],
      },
    ],
  })
})

test('false, zero and a pin without text count as values', () => {
  const template = formOf(
    required('flag', { dataType: 'boolean' }),
    required('number', numbers),
    required('image', { dataType: 'annotated-image' }),
  )
  expect(check(template, { flag: false, number: 0, image: { annotations: [{ x: 0, y: 0 }] } })).toEqual({
    values: {
      flag: first({ type: 'single-value', value: 'false' }),
      number: first({ type: 'single-value', value: '0' }),
      image: first({ type: 'annotated-image', annotations: [{ position: 1, x: 0, y: 0, value: '' }] }),
    },
    faults: [],
  })
})

test('a value is accepted bare, as the member of an object, and in the shape in which it is read', () => {
  const template = formOf(aControl('a', numbers))
  const kept = { values: { a: first({ type: 'single-value', value: '1.5' }) }, faults: [] }
  for (const a of ['1,5', 1.5, { value: 1.5 }, first({ value: '1.5' }), kept.values.a]) {
    expect(check(template, { a })).toEqual(kept)
  }
})

test('a fault in a repeat names its iteration, and each iteration needs its required values', () => {
  const dressing = aRepeat('dressing', [required('material')])
  const wound = aRepeat('wound', [required('site'), aControl('depth', numbers)], { repeats: [dressing] })
  const template = aForm(aSection('one', [], { repeats: [wound] }))
  const given = {
    site: [{ repeatIterationIndex: 1, value: 'hip' }],
    depth: [
      { repeatIterationIndex: 1, value: 'x' },
      { repeatIterationIndex: 0, value: '1' },
    ],
    material: [{ repeatIterationPath: [1, 0], value: '' }],
  }
  expect(check(template, given).faults).toEqual([
    { pointer: '/site', code: 'required', detail: 'It is required.', id: 'site', path: [0] },
    {
      pointer: '/depth/0',
      code: 'decimal',
      detail: 'It is not a number, such as 1500 or 12.5.',
      id: 'depth',
      path: [1],
    },
    { pointer: '/material/0', code: 'required', detail: 'It is required.', id: 'material', path: [1, 0] },
  ])
})

test('a repeat must have its least number of iterations, but not in a draft', () => {
  const inner = aRepeat('inner', [aControl('b')], { minIterations: 1 })
  const outer = aRepeat('outer', [aControl('a')], { minIterations: 2, maxIterations: 3, repeats: [inner] })
  const template = aForm(aSection('one', [], { repeats: [outer] }))
  const rows = (count: number) => ({
    a: Array.from({ length: count }, (_, n) => ({ repeatIterationIndex: n, value: 'x' })),
    b: Array.from({ length: count }, (_, n) => ({ repeatIterationPath: [n, 0], value: 'x' })),
  })
  const few = (id: string, path: number[], min: number, count: number) => ({
    pointer: `/${id}`,
    code: 'too-few-iterations',
    detail: `Label of ${id}: at least ${min} needed, ${count} filled in.`,
    id,
    path,
  })
  expect(check(template, {}).faults).toEqual([few('outer', [], 2, 0)])
  expect(check(template, { ...rows(1), b: [] }).faults).toEqual([few('outer', [], 2, 1), few('inner', [0], 1, 0)])
  expect(check(template, { ...rows(1), b: [] }, false).faults).toEqual([])
  expect(check(template, rows(3)).faults).toEqual([])
  for (const complete of [true, false]) {
    expect(check(template, rows(4), complete).faults).toEqual([
      {
        pointer: '/outer',
        code: 'too-many-iterations',
        detail: 'Label of outer: at most 3 allowed, 4 filled in.',
        id: 'outer',
        path: [],
      },
    ])
  }
})

const scores = optionsOf('0', '1', '2', '3')
const scored = formOf(
  aControl('sleep', { dataType: 'integer', options: scores }),
  aControl('mood', { dataType: 'integer', options: scores }),
  aControl('total', { dataType: 'integer', calculate: { sum: ['sleep', 'mood'] } }),
  aControl('severity', {
    required: true,
    options: [
      { value: 'mild', label: 'Mild symptoms' },
      { value: 'severe', label: 'Severe' },
    ],
    calculate: { bands: { of: 'total', bands: [{ upTo: 2, value: 'mild' }, { value: 'severe' }] } },
  }),
)

test.each([
  ['0', '2', '2', 'mild', 'Mild symptoms'],
  [1, 2, '3', 'severe', 'Severe'],
])(
  'the sum of %s and %s, and its band, are calculated and override what was sent',
  (sleep, mood, total, value, displayName) => {
    const { values, faults } = check(scored, { sleep, mood, total: '99', severity: { junk: 1 } })
    expect(faults).toEqual([])
    expect(values.total).toEqual(first({ type: 'single-value', value: total }))
    expect(values.severity).toEqual(first({ type: 'single-selection', value, displayName }))
  },
)

test('a calculation is empty until all its operands have values', () => {
  const { values, faults } = check(scored, { sleep: '1', total: '99', severity: 'mild' })
  expect([values.total, values.severity]).toEqual([empty, empty])
  const detail = 'It is calculated from other answers, and not all of these are there.'
  expect(faults).toEqual([{ pointer: '/severity', code: 'required', detail, id: 'severity', path: [] }])
})

test.each([
  [['0.1', '0.2'], '0.3'],
  [['-0.5', '0.50'], '0'],
  [['0.0000001', '0'], '0.0000001'],
  [['999999999999999999', '1'], '1000000000000000000'],
  [['99999999999999.9999', '-0.9999'], '99999999999999'],
  [['-1.25', '-0.75'], '-2'],
])('decimals %j are added exactly: %s', (given, total) => {
  const ids = given.map((_, n) => `n${n}`)
  // Of text, or a sum of 19 digits would be a fault.
  const template = formOf(...ids.map(id => aControl(id, numbers)), aControl('total', { calculate: { sum: ids } }))
  const { values, faults } = check(template, Object.fromEntries(given.map((value, n) => [`n${n}`, value])))
  expect([values.total, faults]).toEqual([first({ type: 'single-value', value: total }), []])
})

test('a calculation in a repeat uses the values of its iteration and those around it', () => {
  const row = aRepeat('row', [
    aControl('n', numbers),
    aControl('sum', { ...numbers, calculate: { sum: ['base', 'n'] } }),
  ])
  const template = aForm(aSection('one', [aControl('base', numbers)], { repeats: [row] }))
  const n = ['1', '', '3'].map((value, index) => ({ repeatIterationIndex: index, value }))
  expect(check(template, { base: 10, n }).values.sum).toEqual([
    { repeatIterationIndex: 0, type: 'single-value', value: '11' },
    { repeatIterationIndex: 1, type: 'empty' },
    { repeatIterationIndex: 2, type: 'single-value', value: '13' },
  ])
})
