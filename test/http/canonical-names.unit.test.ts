// The places of members that are given twice.
import Type from 'typebox'
import { expect, test } from 'vitest'
import { addMember, canonicalNames, memberNamed } from '../../runtime/schema/canonical-names.js'

const Value = Type.Object({ Text: Type.String() })
const Item = Type.Object(
  { Key: Type.String(), Values: Type.Optional(Type.Array(Type.Union([Value, Type.Array(Value)]))) },
  {
    fromRead: (item: Record<string, unknown>) => addMember(item, 'Key', memberNamed(item, 'Name')),
  },
)
const rename = canonicalNames(Type.Object({ Items: Type.Array(Item) }))

test('each number is named by its full path, in the order of the text', () => {
  const { faults } = rename({
    items: [
      { Key: 'a', values: [{ text: 'x' }, [{ Text: 'x' }, { Text: 'x', TEXT: 'y' }]] },
      { Key: 'b', key: 'c', Values: [{ Text: 'x', text: 'y' }] },
      { Key: 'd', KEY: 'e', key: 'f' },
    ],
  })
  expect(faults.map(({ pointer }) => pointer)).toEqual([
    '/Items/0/Values/1/1/TEXT',
    '/Items/1/key',
    '/Items/1/Values/0/text',
    '/Items/2/KEY',
    '/Items/2/key',
  ])
})

test('an item in the read shape becomes one of the written shape', () => {
  const { value } = rename({ Items: [{ Name: 'a' }, { Key: 'b', Name: 'c' }, { key: 'd' }] })
  expect(value).toMatchObject({ Items: [{ Key: 'a' }, { Key: 'b' }, { Key: 'd' }] })
})
