// Iterations in posted forms.
import { expect, test } from 'vitest'
import { givenOf, withIteration, withoutIteration } from '../../forms/posted.js'
import { aControl, aForm, aRepeat, aSection } from '../support/form-values.js'

const dressing = aRepeat(
  'dressing',
  [aControl('note', { couldHaveValue: false }), aControl('material'), aControl('used')],
  { maxIterations: 2 },
)
const wound = aRepeat('wound', [aControl('site'), aControl('depth')], { repeats: [dressing] })
const form = aForm(aSection('visit', [aControl('day')]), aSection('wounds', [], { repeats: [wound] }))

const at = (repeatIterationIndex: number, value: unknown) => ({ repeatIterationIndex, value })
const inside = (outer: number, inner: number, value: unknown) => ({
  repeatIterationIndex: inner,
  repeatIterationPath: [outer, inner],
  value,
})

test('iterations are numbered anew, the same for all of their controls, whatever order they come in', () => {
  const given = givenOf(form, [
    ['used[5][9]', 'u59'],
    ['site[5]', 's5'],
    ['repeat:wound[2]', '1'],
    ['repeat:wound[7]', '1'],
    ['depth[7]', ''],
    ['material[5][3]', 'm53'],
    ['day', 'today'],
  ])
  expect(given).toEqual({
    day: 'today',
    site: [at(0, null), at(1, 's5'), at(2, null)],
    depth: [at(2, '')],
    material: [inside(1, 0, 'm53'), inside(1, 1, null)],
    used: [inside(1, 1, 'u59')],
  })
})

const given = {
  day: 'today',
  site: [at(0, 'a'), at(1, 'b'), at(2, 'c')],
  material: [inside(0, 0, 'a0'), inside(2, 0, 'c0'), inside(2, 1, 'c1')],
}

test('an iteration is added at the end, and only while there may be more', () => {
  expect(withIteration(form, given, 'wound', [])).toEqual({ ...given, site: [...given.site, at(3, null)] })
  expect(withIteration(form, given, 'dressing', [1])).toEqual({
    ...given,
    material: [...given.material, inside(1, 0, null)],
  })
  expect(withIteration(form, given, 'wound', [], ({ id }) => `first ${id}`)).toMatchObject({
    site: [...given.site, at(3, 'first site')],
    depth: [at(3, 'first depth')],
  })
  expect(withIteration(form, given, 'dressing', [2])).toBe(given)
  expect(withIteration(form, given, 'nothing', [])).toBe(given)
  expect(withIteration(form, {}, 'wound', [])).toEqual({ site: [at(0, null)] })
  expect(withIteration(form, { depth: [at(0, '1')] }, 'wound', [])).toEqual({
    depth: [at(0, '1')],
    site: [at(1, null)],
  })
})

test('an iteration is removed with all in it, and those behind it move up', () => {
  expect(withoutIteration(form, given, 'wound', [0])).toEqual({
    day: 'today',
    site: [at(0, 'b'), at(1, 'c')],
    material: [inside(1, 0, 'c0'), inside(1, 1, 'c1')],
  })
  expect(withoutIteration(form, given, 'dressing', [2, 0])).toEqual({
    ...given,
    material: [inside(0, 0, 'a0'), inside(2, 0, 'c1')],
  })
  for (const [id, path] of [
    ['wound', [3]],
    ['dressing', [1, 0]],
    ['wound', [0, 0]],
    ['nothing', [0]],
    ['wound', []],
  ] as const) {
    expect(withoutIteration(form, given, id, path)).toEqual(given)
  }
})

test('iterations are added to and removed from values as they are read back', () => {
  const kept = {
    site: [
      { repeatIterationIndex: 0, type: 'single-value', value: 'a' },
      { repeatIterationIndex: 1, type: 'empty' },
    ],
  }
  expect(withIteration(form, kept, 'wound', [])).toEqual({ site: [...kept.site, at(2, null)] })
  expect(withoutIteration(form, kept, 'wound', [0])).toEqual({ site: [{ repeatIterationIndex: 0, type: 'empty' }] })
})
