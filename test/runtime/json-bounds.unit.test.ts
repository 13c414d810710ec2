// Bounds of JSON.
import { describe, expect, test } from 'vitest'
import { type JsonBounds, jsonBounds } from '../../runtime/json/json-bounds.js'

/** What is said of a text, whether it comes in one piece or byte by byte. */
function excessOf(text: string, bounds: JsonBounds) {
  const bytes = Buffer.from(text)
  const inOnePiece = jsonBounds(bounds).at(bytes)
  const look = jsonBounds(bounds)
  const inPieces = Array.from(bytes, byte => look.at(Uint8Array.of(byte))).find(excess => excess !== undefined)
  expect(inPieces?.what).toBe(inOnePiece?.what)
  return inOnePiece
}

const list = (item: string, times: number) => `[${Array(times).fill(item).join()}]`
const members = new Map([['things', { name: 'Things', items: 2 }]])
const bounds = { items: 2, members }

describe('items of the list at the top are counted', () => {
  test.each([
    '[]',
    '[1]',
    '[1,2]',
    ' [ {"a":[1,2,3],"b":2} , "a,b,c,[]{}" ] ',
    '["\\",\\\\\\",,,",1]',
    '[[1,2,3],[4,5,6]]',
  ])('%s is short enough', text => {
    expect(excessOf(text, bounds)).toBeUndefined()
  })
  test.each(['[1,2,3]', '[{},{},{', '["\\\\","a",1]', '[{"Things":[1]},{"Things":[1]},{}]'])('%s is too long', text => {
    expect(excessOf(text, bounds)).toEqual({ what: 'items', max: 2, pointer: '' })
  })
})

describe('items of lists in members of the object at the top are counted', () => {
  test.each([
    '{"Things":[1,2],"others":[1,2,3],"x":1,"y":2}',
    '{"a":{"Things":[1,2,3]}}',
    '{"a":"Things","b":[1,2,3]}',
    '{"Things":{"a":1,"b":2,"c":3}}',
    '[{"Things":[1,2,3]}]',
  ])('%s is short enough', text => {
    expect(excessOf(text, { members })).toBeUndefined()
  })
  test.each(['{"Things":[1,2,3]}', '{"a":[],"tHINGS" : [{"b":[1,2]},2,3'])('%s is too long', text => {
    expect(excessOf(text, { members })).toEqual({ what: 'items', max: 2, pointer: '/Things' })
  })
})

test('a hundred levels are enough', () => {
  expect(excessOf('['.repeat(100), {})).toBeUndefined()
  expect(excessOf('[{"a":'.repeat(51), {})).toEqual({ what: 'levels', max: 100 })
  expect(excessOf('[],'.repeat(1_000), {})).toBeUndefined()
})

test('lists and objects are as many as honest bodies have for their length', () => {
  expect(jsonBounds({}).at(Buffer.from(list('{}', 30_000)))).toMatchObject({ what: 'containers' })
  expect(jsonBounds({}).at(Buffer.from(list('{"Key":"a","Value":{"Text":"b"}}', 100_000)))).toBeUndefined()
})
