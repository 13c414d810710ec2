// Relevance of controls.
import { expect, test } from 'vitest'
import { checkForm } from '../../forms/check.js'
import { holds } from '../../forms/conditions.js'
import type { Condition, Control, FormTemplate } from '../../forms/template.js'
import type { Content } from '../../forms/values.js'
import { aControl, aForm, aRepeat, aSection, optionsOf } from '../support/form-values.js'

const single = (value: string): Content => ({ type: 'single-value', value })
const seen: Record<string, Content> = {
  weight: single('71.50'),
  name: single('Anna'),
  nothing: { type: 'empty' },
  choice: { type: 'single-selection', value: 'b', displayName: 'B' },
  choices: {
    type: 'multiple-selection',
    selections: [
      { value: 'a', displayName: 'A' },
      { value: '2', displayName: 'Two' },
    ],
  },
  onset: { type: 'partial-date', dateKind: 'yyyy-MM', date: '2026-03-01' },
  place: { type: 'geolocation', latitude: 1, longitude: 2 },
  story: {
    type: 'translatable-text-value',
    originalText: 'once',
    sourceLanguageCode: 'en',
  },
}
const look = (id: string) => (Object.hasOwn(seen, id) ? seen[id] : undefined)
const context = { ward: 'B12', beds: '4', blank: ' ' }

const conditions: [Condition, boolean][] = [
  [{}, true],
  [{ control: 'name', equals: 'Anna' }, true],
  [{ control: 'name', equals: 'anna' }, false],
  [{ control: 'name', in: ['Berta', 'Anna'] }, true],
  [{ control: 'name', in: [] }, false],
  [{ control: 'choice', equals: 'b' }, true],
  [{ control: 'choice', equals: 'B' }, false],
  [{ control: 'choices', equals: 'a' }, true],
  [{ control: 'choices', in: ['x', '2'] }, true],
  [{ control: 'choices', atLeast: 1 }, false],
  [{ control: 'onset', equals: '2026-03' }, true],
  [{ control: 'onset', equals: '2026-03-01' }, false],
  [{ control: 'story', equals: 'once' }, true],
  [{ control: 'place', answered: true }, true],
  [{ control: 'nothing', answered: true }, false],
  [{ control: 'nothing', answered: false }, true],
  [{ control: 'irrelevant', answered: false }, true],
  [{ control: 'toString', answered: true }, false],
  [{ control: 'weight', atLeast: 71.5 }, true],
  [{ control: 'weight', atLeast: 71.51 }, false],
  [{ control: 'weight', atMost: 71.5 }, true],
  [{ control: 'weight', atLeast: 70, atMost: 71 }, false],
  [{ control: 'name', atMost: 5 }, false],
  [{ control: 'nothing', atLeast: 0 }, false],
  [{ context: 'ward', equals: 'B12' }, true],
  [{ context: 'beds', atLeast: 4 }, true],
  [{ context: 'blank', atMost: 0 }, false],
  [{ context: 'constructor', answered: true }, false],
  [{ context: '__proto__', answered: true }, false],
  [{ all: [] }, true],
  [{ any: [] }, false],
  [
    {
      all: [
        { control: 'name', answered: true },
        { context: 'ward', equals: 'A' },
      ],
    },
    false,
  ],
  [
    {
      any: [
        { control: 'name', equals: 'x' },
        { context: 'ward', equals: 'B12' },
      ],
    },
    true,
  ],
  [
    {
      not: {
        any: [
          { control: 'name', equals: 'x' },
          { control: 'nothing', answered: true },
        ],
      },
    },
    true,
  ],
]
test.each(conditions)('%j: %s', (condition, expected) => {
  expect(holds(condition, look, context)).toBe(expected)
})

const ask = (id: string, relevant?: Condition, more: Partial<Control> = {}) => aControl(id, { relevant, ...more })
const answered = (control: string): Condition => ({ control, answered: true })
/** Of each control its values, with their iterations before them where it has some. */
const valuesOf = (template: FormTemplate, given: Record<string, unknown>, context = {}) => {
  const { values, faults } = checkForm(template, given, { complete: true, context })
  expect(faults).toEqual([])
  return Object.fromEntries(
    Object.entries(values).map(([id, all]) => [
      id,
      all.map(each => {
        const path = each.repeatIterationPath ?? each.repeatIterationIndex
        return `${path === null ? '' : `${path}: `}${'value' in each ? each.value : each.type}`
      }),
    ]),
  )
}

test('an irrelevant part is left out with everything that depends on it, and is neither required nor checked', () => {
  const number: Partial<Control> = { dataType: 'integer', required: true }
  const template = aForm(
    aSection('first', [ask('a'), ask('b', answered('a'), number), ask('c', { control: 'b', atLeast: 5 }, number)]),
    aSection('second', [ask('d', undefined, number)], { relevant: answered('c') }),
  )
  expect(valuesOf(template, { a: 'x', b: 7, c: 1, d: 2 })).toEqual({ a: ['x'], b: ['7'], c: ['1'], d: ['2'] })
  expect(valuesOf(template, { a: 'x', b: 4, c: 1, d: 2 })).toEqual({ a: ['x'], b: ['4'] })
  expect(valuesOf(template, { a: ' ', b: 'junk', c: 'junk', d: {} })).toEqual({ a: ['empty'] })
})

test('a condition sees its own iteration and what is around it, never another iteration', () => {
  const dressing = aRepeat('dressing', [ask('material'), ask('why', { control: 'material', equals: 'foam' })])
  const pocket = aRepeat('pocket', [ask('length')], { relevant: { control: 'deep', equals: 'true' } })
  const wound = aRepeat(
    'wound',
    [ask('deep', undefined, { dataType: 'boolean' }), ask('how', answered('deep')), ask('note', answered('all'))],
    { repeats: [dressing, pocket] },
  )
  const template = aForm(aSection('one', [ask('all')]), aSection('two', [], { repeats: [wound] }))
  const at = (index: number, value: unknown) => ({ repeatIterationIndex: index, value })
  const inside = (path: number[], value: unknown) => ({ repeatIterationPath: path, value })
  const given = {
    deep: [at(0, true), at(1, null), at(2, false)],
    how: [at(0, 'h0'), at(1, 'h1'), at(2, 'h2')],
    note: [at(1, 'n1')],
    material: [inside([0, 0], 'foam'), inside([0, 1], 'gauze'), inside([2, 0], 'foam')],
    why: [inside([0, 0], 'w00'), inside([0, 1], 'w01'), inside([2, 0], 'w20')],
    length: [inside([0, 0], '1'), inside([1, 0], '2'), inside([2, 0], '3')],
  }
  const everywhere = {
    deep: ['0: true', '1: empty', '2: false'],
    how: ['0: h0', '2: h2'],
    material: ['0,0: foam', '0,1: gauze', '2,0: foam'],
    why: ['0,0: w00', '2,0: w20'],
    length: ['0,0: 1'],
  }
  expect(valuesOf(template, given)).toEqual({ all: ['empty'], ...everywhere })
  expect(valuesOf(template, { ...given, all: 'yes' })).toEqual({
    all: ['yes'],
    ...everywhere,
    note: ['0: empty', '1: n1', '2: empty'],
  })
})

test('a repeat that is not relevant needs no iterations', () => {
  const wound = aRepeat('wound', [ask('site')], { minIterations: 1, relevant: { control: 'has', equals: 'yes' } })
  const template = aForm(
    aSection('one', [ask('has', undefined, { options: optionsOf('yes', 'no') })], { repeats: [wound] }),
  )
  const site = [{ repeatIterationIndex: 0, value: 'hip' }]
  expect(valuesOf(template, { has: 'no', site })).toEqual({ has: ['no'] })
  expect(valuesOf(template, { has: 'yes', site })).toEqual({ has: ['yes'], site: ['0: hip'] })
})

test('the context of an instance decides like a value', () => {
  const template = aForm(aSection('one', [ask('bed', { context: 'ward', equals: 'B12' })]))
  expect(valuesOf(template, { bed: '4' }, { ward: 'B12' })).toEqual({ bed: ['4'] })
  expect(valuesOf(template, { bed: '4' }, { ward: 'A1' })).toEqual({})
  expect(valuesOf(template, { bed: '4' })).toEqual({})
})
