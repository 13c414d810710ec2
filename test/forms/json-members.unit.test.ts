// Members of JSON texts.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { membersOf } from '../../forms/json-members.js'

test('the members of an object are found as they are written, whatever their names and values are', () => {
  const texts = fc.string({
    unit: fc.oneof(fc.constantFrom(...'"\\,:[]{}'), fc.string({ minLength: 1, maxLength: 1 })),
  })
  const { value } = fc.letrec(tie => ({
    value: fc.oneof({ depthSize: 'small' }, texts, fc.double(), fc.boolean(), tie('list'), tie('object')),
    list: fc.array(tie('value'), { maxLength: 4 }),
    object: fc.dictionary(texts, tie('value'), { maxKeys: 4 }),
  }))
  fc.assert(
    fc.property(fc.dictionary(fc.oneof(texts, fc.constant('__proto__')), value), object => {
      const expected = Object.entries(object).map(([name, value]) => [name, JSON.stringify(value)])
      expect([...membersOf(JSON.stringify(object))]).toEqual(expected)
    }),
    { numRuns: 1_000 },
  )
})
