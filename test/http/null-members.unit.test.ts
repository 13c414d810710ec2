// Null for an optional member of a body.
import Type from 'typebox'
import { expect, test } from 'vitest'
import { canonicalNames } from '../../runtime/schema/canonical-names.js'

const rename = canonicalNames(
  Type.Object({
    required: Type.String(),
    text: Type.Optional(Type.String()),
    both: Type.Optional(Type.Intersect([Type.String(), Type.String({ pattern: '^a' })])),
    choice: Type.Optional(Type.Enum(['a', 'b'])),
    list: Type.Optional(Type.Array(Type.Object({ inner: Type.Optional(Type.Integer()) }))),
    nullable: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    anything: Type.Optional(Type.Unknown()),
    exact: Type.Optional(Type.Unsafe<number>({ exact: true })),
    values: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  }),
)

test.each<[string, object, object]>([
  ['an optional member', { text: null, both: null, choice: null, exact: null }, {}],
  ['an optional member in other letters', { TEXT: null }, {}],
  ['within a list', { list: [{ inner: null }, { Inner: 1 }] }, { list: [{}, { inner: 1 }] }],
  ['a member that may be null stays', { nullable: null, anything: null }, { nullable: null, anything: null }],
  ['a required member stays, and is refused', { required: null }, { required: null }],
  ['what the schema does not name stays', { other: null, values: { a: null } }, { other: null, values: { a: null } }],
])('%s', (_, given, wanted) => {
  expect(rename(given)).toEqual({ value: wanted, faults: [] })
})

test('a null beside the same member in other letters is no second value', () => {
  expect(rename({ text: 'a', Text: null })).toEqual({ value: { text: 'a' }, faults: [] })
})
