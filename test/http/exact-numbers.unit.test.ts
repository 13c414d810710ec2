// Numbers that keep their digits.
import Type from 'typebox'
import { expect, test } from 'vitest'
import { parseExactJson, stringifyExactJson } from '../../runtime/json/exact-json.js'
import { ExactNumber } from '../../runtime/json/exact-number.js'
import { keepsDigits } from '../../runtime/schema/canonical-names.js'
import { checkOf } from '../../runtime/schema/check.js'

const exact = Type.Unsafe<unknown>({ exact: true })
const schema = Type.Object({
  count: Type.Number(),
  any: Type.Unknown(),
  byName: Type.Record(Type.String(), Type.Unknown()),
  list: Type.Array(Type.Unknown()),
  exact,
})

test('numbers are plain numbers, at any depth, unless a schema preserves their digits', () => {
  const written = '{"v":[1.0,{"w":-0,"x":77.50}],"y":"1.0"}'
  const { value, faults } = checkOf(schema)(
    parseExactJson(`{"count":2.0,"any":${written},"byName":${written},"list":[${written}],"exact":${written}}`),
  )
  const plain = { v: [1, { w: 0, x: 77.5 }], y: '1.0' }
  const kept = { v: [new ExactNumber('1.0'), { w: new ExactNumber('-0'), x: new ExactNumber('77.50') }], y: '1.0' }
  expect(faults).toEqual([])
  expect(value).toEqual({ count: 2, any: plain, byName: plain, list: [plain], exact: kept })
  expect(stringifyExactJson(kept)).toBe(written)
})

test('the schema decides whether numbers keep their digits, not the content of a body', () => {
  expect(keepsDigits(schema)).toBe(true)
  expect(keepsDigits(Type.Array(Type.Object({ a: Type.Optional(Type.Union([Type.String(), exact])) })))).toBe(true)
  expect(keepsDigits(Type.Object({ decimal: Type.Number(), values: Type.Unknown() }))).toBe(false)
})
