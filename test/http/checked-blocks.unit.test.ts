// Checks of large bodies in blocks.
import Type from 'typebox'
import { expect, test } from 'vitest'
import { checkOf } from '../../runtime/schema/check.js'
import { blockCheckOf } from '../../server/middleware/validate.js'

const Item = Type.Object({
  Key: Type.String({ minLength: 1 }),
  Id: Type.Optional(Type.String({ format: 'uuid', lowerCase: true })),
})
const List = Type.Array(Item, { minItems: 1 })
const Holder = Type.Object({
  Name: Type.String(),
  Items: List,
  Others: Type.Optional(Type.Array(Type.Enum(['One', 'Two']))),
})

const items = (count: number, more: Record<number, object> = {}): object[] =>
  Array.from({ length: count }, (_, n) => more[n] ?? { key: `k${n}`, ID: '01A2021E-2BC6-75D6-96DF-5E3584818C80' })

test.each([
  ['a list', List, () => items(1_201)],
  ['a list with faults', List, () => items(1_201, { 0: { Key: '' }, 700: { key: 'a', Key: 'b' }, 1200: { Key: 7 } })],
  ['a member', Holder, () => ({ name: 'a', items: items(1_201), OTHERS: Array(600).fill('one') })],
  [
    'a member with faults',
    Holder,
    () => ({ items: items(1_201, { 0: { key: 'a', Key: 'b' }, 800: {} }), others: Array(600).fill('x') }),
  ],
  ['a member that is given twice', Holder, () => ({ name: 'a', items: items(600), Items: items(700) })],
  ['a member that nobody knows', Holder, () => ({ name: 'a', items: items(2), unknown: Array(600).fill(1) })],
  ['a short list', List, () => items(3, { 1: {} })],
  ['no list', Holder, () => 7],
])('%s is checked in blocks as it is at once', async (_, schema, given) => {
  let turns = 0
  const bufferLines = await blockCheckOf(schema)(given(), async () => void turns++)
  const atOnce = checkOf(schema)(given())
  expect(bufferLines.faults).toEqual(atOnce.faults)
  if (atOnce.faults.length === 0) expect(bufferLines.value).toEqual(atOnce.value)
})

test('between two blocks others have their turn', async () => {
  let turns = 0
  await blockCheckOf(List)(items(1_201), async () => void turns++)
  expect(turns).toBe(3)
})
