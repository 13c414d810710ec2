// Checks of files.
import { expect, test } from 'vitest'
import { tooLarge } from '../../forms/files.js'
import { checkedAs } from '../support/form-values.js'

const noDataUrl = ['data-url', 'It is not a file as a data URL (data:<media type>;base64,…).']
/** A file of so many bytes. */
const fileOf = (bytes: number, type = 'image/png') =>
  `data:${type};base64,${Buffer.alloc(bytes, 'x').toString('base64')}`

test.each(['data:text/plain;base64,SGk=', 'data:image/svg+xml;charset=utf-8;base64,SGkh', 'data:a/b;base64,'])(
  '%s is kept as it is',
  value => expect(checkedAs('data-url', value)).toEqual({ type: 'single-value', value }),
)

test.each([
  ...[{}, [], null, 5, true, '', ',', 'data:', 'https://example.org/a.png', 'data:text/plain,Hi', 'data:;base64,SGk='],
  ...['data:text/plain;base64,SGk', 'data:text/plain;base64,S=k=', 'data:text/plain;base64,SGk= ', 'data:text;base64,'],
  ...['data:text/html;base64,<b>=', 'data:text/plain;a="b,c";base64,SGk=', ' data:text/plain;base64,SGk='],
])('%j is no file', given => {
  expect(checkedAs('data-url', given)).toEqual(noDataUrl)
})

test('a file has at most so many bytes', () => {
  expect(checkedAs('data-url', fileOf(1_000), { maxBytes: 1_000 })).toMatchObject({ type: 'single-value' })
  expect(checkedAs('data-url', fileOf(1_001), { maxBytes: 1_000 })).toEqual([
    'too-large',
    'The file is larger than 1 KB.',
  ])
  expect(checkedAs('data-url', fileOf(5_000), { maxBytes: 1_000 })).toEqual([
    'too-large',
    'The file has 5 KB; at most 1 KB are allowed.',
  ])
  expect(tooLarge(3_500_000, 2_000_000).detail).toBe('The file has 3.3 MB; at most 1.9 MB are allowed.')
  expect(checkedAs('data-url', fileOf(2 * 1024 * 1024))).toMatchObject({ type: 'single-value' })
})

test('a file of 30 MB is refused by its length, without decoding its base64', () => {
  const fault = ['too-large', 'The file has 30 MB; at most 2 MB are allowed.']
  expect(checkedAs('data-url', fileOf(30 * 1024 * 1024))).toEqual(fault)
  expect(checkedAs('data-url', `data:image/png;base64,${'?'.repeat(40 * 1024 * 1024)}`)).toEqual(fault)
  expect(checkedAs('data-url', '?'.repeat(40 * 1024 * 1024))).toEqual(noDataUrl)
})

test.each([
  ['image/png', ['image/*'], true],
  ['IMAGE/PNG', ['image/png'], true],
  ['image/svg+xml', ['application/pdf', 'image/svg+xml'], true],
  ['image/pngx', ['image/png'], false],
  ['images/png', ['image/*'], false],
  ['text/html', ['image/*', 'application/pdf'], false],
] as const)('a file of the type %s where %j are allowed: %s', (type, mediaTypes, fits) => {
  const checked = checkedAs('data-url', fileOf(3, type), { mediaTypes: [...mediaTypes] })
  if (fits) expect(checked).toEqual({ type: 'single-value', value: fileOf(3, type) })
  else expect(checked).toEqual(['media-type', `The file is ${type}; allowed: ${mediaTypes.join(', ')}.`])
})
