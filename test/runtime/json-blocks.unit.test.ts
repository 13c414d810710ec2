// JSON in blocks.
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseInBlocks } from '../../runtime/json/json-blocks.js'
import { jsonBounds } from '../../runtime/json/json-bounds.js'

/** Parses in blocks of one item, with the bytes coming in pieces. */
async function parsedInBlocks(text: string) {
  const bytes = Buffer.from(text)
  const look = jsonBounds(undefined, 1)
  for (let at = 0; at < bytes.length; at += 3) look.at(bytes.subarray(at, at + 3))
  let pieces = 0
  const value = await parseInBlocks(bytes, look.longLists, piece => {
    pieces++
    return JSON.parse(piece)
  })
  return { value, pieces }
}

const plain = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return 'no JSON'
  }
}

test('each block of a list at the top, or in a member of the object at the top, is parsed alone', async () => {
  expect(await parsedInBlocks('[1, {"a": [2, 3]}, "ü,]"]')).toEqual({ value: [1, { a: [2, 3] }, 'ü,]'], pieces: 4 })
  const { value, pieces } = await parsedInBlocks('{"a":[1,2],"b":{"c":[3,4]},"d":[5],"__proto__":[6,7]}')
  expect(Object.entries(Object(value))).toEqual(
    Object.entries(Object(plain('{"a":[1,2],"b":{"c":[3,4]},"d":[5],"__proto__":[6,7]}'))),
  )
  expect(pieces).toBe(5)
})

test('a member that is given twice counts as the last one', async () => {
  expect((await parsedInBlocks('{"a":[1,2],"a":[3,4]}')).value).toEqual({ a: [3, 4] })
  expect((await parsedInBlocks('{"a":[1,2],"a":3}')).value).toEqual({ a: 3 })
})

test.each([
  ...[
    '[1,,2]',
    '[1,2,]',
    '[,1]',
    '[1,2',
    '[1,2]]',
    '[1],[2]',
    '[1,2] x',
    '[1,2}',
    '{"a":[1,2}',
    '{"a":[1,,2],"a":[1]}',
  ],
  ...['[1]][[1,2]', '["a,b]', '{"a":[1,2],}', '[1,2][3,4]', '[{"a":1,2},3]'],
])('%s is no JSON in blocks either', async text => {
  await expect(parsedInBlocks(text)).rejects.toThrow(SyntaxError)
})

test('any text gives the same value in blocks as parsed whole', async () => {
  const items = fc.array(fc.jsonValue(), { maxLength: 6 })
  const whole = fc.oneof(items, fc.dictionary(fc.string(), items), fc.jsonValue()).map(value => JSON.stringify(value))
  const broken = fc
    .tuple(whole, fc.nat(), fc.constantFrom('', ',', '[', ']', '{', '}', '"', '1', ':'))
    .map(([text, at, put]) => text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + 1))
  await fc.assert(
    fc.asyncProperty(fc.oneof(whole, broken), async text => {
      const parsed = await parsedInBlocks(text).then(
        ({ value }) => value,
        () => 'no JSON',
      )
      return isDeepStrictEqual(parsed, plain(text))
    }),
    { numRuns: 500 },
  )
})
