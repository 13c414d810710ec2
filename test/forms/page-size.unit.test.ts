// The size of a form's page.
import { expect, test } from 'vitest'
import { pageSize } from '../../server/forms/templates/page-size.js'
import { aSmallTemplate } from '../support/factories.js'
import { templateOf } from '../support/form-templates.js'

test('the size of a page counts controls, their options and iterations; a page to read has no options and no blank iterations', () => {
  const options = ['a', 'b', 'c', 'd', 'e'].map(value => ({ value, label: value }))
  const [plain, choice] = [
    { id: 'plain', label: 'Plain' },
    { id: 'choice', label: 'Choice', options },
  ]
  const repeats = [{ id: 'wound', label: 'Wound', minIterations: 1, controls: [choice] }]
  const template = templateOf(
    aSmallTemplate([], { buildingBlocks: [{ key: 'b', sections: [{ id: 's', controls: [plain], repeats }] }] }),
  )
  const given = { choice: [0, 1, 2].map(n => ({ repeatIterationIndex: n, value: 'a' })) }
  // The iteration that there must be, and the blank one.
  expect(pageSize(template, {}, 'fill')).toBe(10 + 2 * 15)
  expect(pageSize(template, given, 'fill')).toBe(10 + 2 * 15 + 3 * 15)
  expect(pageSize(template, given, 'read')).toBe(2 * 10 + 3 * 10)
})
