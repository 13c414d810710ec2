// Lines of a text that arrives in pieces.
import { expect, test } from 'vitest'
import { textLines } from '../../runtime/rows/text-lines.js'

async function linesOf(text: string, size: number): Promise<string[]> {
  const bytes = Buffer.from(text)
  const pieces = async function* () {
    for (let n = 0; n < bytes.length; n += size) yield bytes.subarray(n, n + size)
  }
  const lines: string[] = []
  for await (const line of textLines(pieces())) lines.push(line)
  return lines
}

test.each([1, 2, 3, 1_000])('only a line feed ends a line, in pieces of %i bytes', async size => {
  expect(await linesOf('a\u2028b\u2029c\u0085d\r\n\nZoë 🏥\nlast', size)).toEqual([
    'a\u2028b\u2029c\u0085d\r',
    '',
    'Zoë 🏥',
    'last',
  ])
  expect(await linesOf('whole\n', size)).toEqual(['whole'])
})
