// Bounds of JSON.
import { describe, expect, test } from 'vitest'
import { jsonBounds } from '../../runtime/json/json-bounds.js'

/** What is said of a text, whether it comes in one piece or byte by byte. */
function excessOf(text: string, items?: number) {
  const bytes = Buffer.from(text)
  const inOnePiece = jsonBounds(items).at(bytes)
  const look = jsonBounds(items)
  const inPieces = Array.from(bytes, byte => look.at(Uint8Array.of(byte))).find(excess => excess !== undefined)
  expect(inPieces?.what).toBe(inOnePiece?.what)
  return inOnePiece
}

const list = (item: string, times: number) => `[${Array(times).fill(item).join()}]`

describe('items of the list at the top are counted', () => {
  test.each([
    '[]',
    '[1]',
    '[1,2]',
    ' [ {"a":[1,2,3],"b":2} , "a,b,c,[]{}" ] ',
    '["\\",\\\\\\",,,",1]',
    '[[1,2,3],[4,5,6]]',
    '{"a":[1,2,3],"b":1,"c":2}',
  ])('%s is short enough', text => {
    expect(excessOf(text, 2)).toBeUndefined()
  })
  test.each(['[1,2,3]', '[{},{},{', '["\\\\","a",1]', '[{"Things":[1]},{"Things":[1]},{}]'])('%s is too long', text => {
    expect(excessOf(text, 2)).toEqual({ what: 'items', max: 2 })
  })
})

test('a hundred levels are accepted, and one more is too many', () => {
  expect(excessOf('['.repeat(100))).toBeUndefined()
  expect(excessOf('[{"a":'.repeat(51))).toEqual({ what: 'levels', max: 100 })
  expect(excessOf('[],'.repeat(1_000))).toBeUndefined()
})

test('the number of lists and objects is bounded by the length of the text', () => {
  expect(jsonBounds().at(Buffer.from(list('{}', 30_000)))).toMatchObject({ what: 'containers' })
  expect(jsonBounds().at(Buffer.from(list('{"Key":"a","Value":{"Text":"b"}}', 100_000)))).toBeUndefined()
})

test('the values of a body are also bounded in total, across its blocks', () => {
  const look = jsonBounds()
  const block = Buffer.from('1,'.repeat(64 * 1024))
  look.at(Buffer.from('{"a":['))
  const excess = Array.from({ length: 128 }, () => look.at(block)).find(found => found !== undefined)
  expect(excess).toMatchObject({ what: 'all values' })
})
