// Selections in extract definitions.
import { expect, test } from 'vitest'
import { checkValue } from '../../forms/check.js'
import { aControl, optionsOf } from '../support/form-values.js'

const chosen = (value: string, displayName = `Label of ${value}`) => ({ value, displayName })
const options = optionsOf('pain', 'fever', 'other things')

const one = aControl('one', { options })
const several = aControl('several', { options, couldHaveMultipleValues: true })
const own = aControl('own', { options, allowOther: true, maxLength: 12 })
const severalOwn = aControl('severalOwn', { options, allowOther: true, couldHaveMultipleValues: true })
const scores = aControl('scores', {
  options: optionsOf('0', '1', '2'),
  dataType: 'integer',
  allowOther: true,
  max: '9',
})

test.each([
  [one, 'pain', chosen('pain')],
  [one, ['fever'], chosen('fever')],
  [one, { value: 'fever', displayName: 'a name of old' }, chosen('fever')],
  [own, ' with a ü ', chosen('with a ü', 'with a ü')],
  [own, 'pain ', chosen('pain')],
  [scores, 2, chosen('2')],
  [scores, '+1', chosen('1')],
  [scores, '07', chosen('7', '7')],
] as const)('a choice in %# is the option and its label', (control, given, content) => {
  const kept = { type: 'single-selection', ...content }
  expect(checkValue(control, given, 'en')).toEqual({ content: kept })
  expect(checkValue(control, kept, 'en')).toEqual({ content: kept })
})

test.each([
  [several, ['fever', { value: 'pain' }], [chosen('fever'), chosen('pain')]],
  [several, 'pain', [chosen('pain')]],
  [severalOwn, ['pain', '<b>'], [chosen('pain'), chosen('<b>', '<b>')]],
] as const)('several choices in %# stay in their order', (control, given, selections) => {
  const kept = { content: { type: 'multiple-selection', selections } }
  expect(checkValue(control, given, 'en')).toEqual(kept)
  expect(checkValue(control, selections, 'en')).toEqual(kept)
})

const unknown = 'It is none of the options: pain, fever, other things.'
test.each([
  [one, 'Pain', 'unknown-option', unknown],
  [one, '', 'unknown-option', unknown],
  [one, {}, 'unknown-option', unknown],
  [one, [null], 'unknown-option', unknown],
  [one, [['pain']], 'unknown-option', unknown],
  [one, 'toString', 'unknown-option', unknown],
  [one, ['pain', 'fever'], 'single-selection', 'Only one of the options can be chosen.'],
  [one, [], 'single-selection', 'Only one of the options can be chosen.'],
  [several, ['pain', 'ache'], 'unknown-option', unknown],
  [several, ['pain', 'pain'], 'duplicate-selection', 'An option is chosen twice.'],
  [own, '  ', 'unknown-option', unknown],
  [own, 'far too much of it', 'too-long', 'It has 18 characters; at most 12 are allowed.'],
  [own, ['pain', 'mine'], 'single-selection', 'Only one of the options can be chosen.'],
  [severalOwn, ['mine', 'mine '], 'duplicate-selection', 'An option is chosen twice.'],
  [severalOwn, ['a', 'b'], 'several-others', 'Besides the options there can be only one answer of your own.'],
  [scores, 'some', 'integer', 'It is not a whole number, such as 12.'],
  [scores, 10, 'too-high', 'It is more than 9.'],
] as const)('a choice in %# is refused', (control, given, code, detail) => {
  expect(checkValue(control, given, 'en')).toEqual({ code, detail })
})

test('of many options the first are named', () => {
  const many = aControl('many', { options: optionsOf(...Array.from({ length: 30 }, (_, n) => `o${n}`)) })
  const checked = checkValue(many, 'x', 'en')
  expect(checked).toMatchObject({ detail: expect.stringMatching(/: o0, o1, .*, o19, …\.$/) })
})
