// Rows of texts.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cellsOf, csvRow, type Separator, separators } from '../../db/frame/imports/csv-rows.js'
import { maxRowBytes, type RowPlace, rowBatches, type TextRow } from '../../runtime/rows/row-splitter.js'

async function* inPieces(text: Buffer, size: number) {
  for (let at = 0; at < text.length; at += size) yield text.subarray(at, at + size)
}

interface How {
  /** Undefined: the text is lines. */
  separator?: string | undefined
  from?: RowPlace
  piece?: number
  max?: { rows: number; bytes: number }
}

async function batchesOf(text: string | Buffer, { from = { byte: 0, row: 0 }, piece = 7, max, ...how }: How) {
  const bytes = Buffer.from(text)
  const found: { rows: TextRow[]; next: RowPlace }[] = []
  const read = { from, separator: ',', ...how, max: max ?? { rows: 1_000, bytes: 1_000_000 } }
  for await (const batch of rowBatches(inPieces(bytes.subarray(from.byte), piece), read)) found.push(batch)
  return found
}
const rowsOf = async (text: string | Buffer, how: How = {}) => (await batchesOf(text, how)).flatMap(({ rows }) => rows)
const told = (rows: readonly TextRow[]) => rows.map(({ number, bytes }) => `${number}: ${bytes}`)
const cells = async (text: string | Buffer, separator: Separator = 'comma', piece = 65_536) =>
  cellsOf(await rowsOf(text, { piece, separator: separators[separator] }), separator)

describe('rows', () => {
  test.each([
    ['line feeds', 'a\nb\n', ['1: a', '2: b']],
    ['Windows line ends', 'a\r\nb\r\n', ['1: a', '2: b']],
    ['no line end behind the last', 'a\r\nb\r', ['1: a', '2: b']],
    ['blank lines, which count', '\na\n\r\n\nb\n\n', ['2: a', '5: b']],
    ['a cell with line ends', 'a,"x\r\n\ny"\nb\n', ['1: a,"x\r\n\ny"', '2: b']],
    ['doubled quotes', '"a""\n",""\nb\n', ['1: "a""\n",""', '2: b']],
    ['a quote behind a byte order mark', '\ufeff"a\nb"\nc\n', ['1: \ufeff"a\nb"', '2: c']],
    ['nothing', '', []],
  ])('with %s', async (_, text, expected) => {
    for (const piece of [1, 2, 3, 100]) expect(told(await rowsOf(text, { piece }))).toEqual(expected)
  })

  test('of NDJSON end with their line, whatever quotes they have', async () => {
    expect(told(await rowsOf('{"a":"\n"}\n', { separator: undefined }))).toEqual(['1: {"a":"', '2: "}'])
  })

  /** Rows by the grammar of RFC 4180, and lines where a text is none by it. */
  function rowsByGrammar(text: string): string[] {
    const cell = '(?:"(?:[^"]|"")*"|[^",\\n]*)'
    const sound = new RegExp(`${cell}(?:,${cell})*\\r?(?:\\n|$)`, 'y')
    const line = /[^\n]*(?:\n|$)/y
    const found: string[] = []
    for (let at = 0, n = 1; at < text.length; n++) {
      sound.lastIndex = at
      line.lastIndex = at
      const [whole] = sound.exec(text) ?? []
      const [row = ''] = whole === undefined ? (line.exec(text) ?? []) : [whole]
      const content = row.replace(/\n$/, '').replace(/\r$/, '')
      if (content !== '') found.push(`${n}: ${content}${whole === undefined ? ' (malformed)' : ''}`)
      at += row.length
    }
    return found
  }

  test('are those of the grammar of CSV, or single lines if the text violates it, without losing any', async () => {
    const part = fc.constantFrom('a', ',', '"', ',"', '",', '""', '\n', '\n', '\r\n', '\r', 'b')
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 40 }), fc.integer({ min: 1, max: 9 }), async (parts, piece) => {
        const rows = await rowsOf(parts.join(''), { piece })
        const found = rows.map(
          ({ number, bytes, isMalformed }) => `${number}: ${bytes}${isMalformed ? ' (malformed)' : ''}`,
        )
        expect(found).toEqual(rowsByGrammar(parts.join('')))
        expect(cellsOf(rows, 'comma').map(Array.isArray)).toEqual(rows.map(({ isMalformed }) => !isMalformed))
      }),
      { numRuns: 1_000 },
    )
  })

  test('are complete and the same from every end of a batch, in whatever pieces the text arrives', async () => {
    const part = fc.constantFrom('a', 'é', ',', '"', '""', ',"', '",', '\n', '\r\n', '\r', ' ')
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 60 }), fc.integer({ min: 1, max: 9 }), async (parts, piece) => {
        const text = parts.join('')
        const whole = told(await rowsOf(text, { piece: 1_000 }))
        const max = { rows: 2, bytes: 9 }
        const batches = await batchesOf(text, { piece, max })
        expect(told(batches.flatMap(({ rows }) => rows))).toEqual(whole)
        expect(batches.at(-1)?.next.byte ?? 0).toBe(Buffer.byteLength(text))
        const done: string[] = []
        for (const { rows, next } of batches) {
          done.push(...told(rows))
          expect([...done, ...told(await rowsOf(text, { from: next, piece }))]).toEqual(whole)
        }
      }),
      { numRuns: 300 },
    )
  })

  test.each([
    ['a quote in a cell without quotes', 'a,5" pipe\nb\n"c\nd"', [1], ['1: a,5" pipe', '2: b', '3: "c\nd"']],
    ['a blank before a quote', 'a, "x\nb\n', [1], ['1: a, "x', '2: b']],
    ['a text behind a quote', '"a"b,"c\nd"\n', [1, 2], ['1: "a"b,"c', '2: d"']],
    [
      'a quote that the next one closes in the middle of a cell',
      'a,"x\nb\nc,"y",z\nd',
      [1],
      ['1: a,"x', '2: b', '3: c,"y",z', '4: d'],
    ],
    ['a quote that is never closed', 'a\n"b\nc\nd', [2], ['1: a', '2: "b', '3: c', '4: d']],
    ['a carriage return behind a quote', '"a"\rb\nc', [1], ['1: "a"\rb', '2: c']],
  ])('of which one has %s are malformed by that line alone', async (_, text, malformed, expected) => {
    for (const piece of [1, 2, 3, 100]) {
      const rows = await rowsOf(text, { piece })
      expect(told(rows)).toEqual(expected)
      expect(rows.filter(({ isMalformed }) => isMalformed).map(({ number }) => number)).toEqual(malformed)
    }
  })

  test('behind a quote that is open for over 1 MB are rows of their own, however the text comes in pieces', async () => {
    const lines = ['a,"open', ...Array.from({ length: 1_200 }, (_, n) => `${n},${'sound'.repeat(200)}`)]
    for (const piece of [65_537, maxRowBytes, 10 * maxRowBytes]) {
      const rows = await rowsOf(lines.join('\n'), { piece })
      expect(rows.length).toBe(lines.length)
      expect(rows.filter(row => row.isMalformed || row.isTooLong).map(({ number }) => number)).toEqual([1])
      expect(String(rows.at(-1)?.bytes)).toBe(lines.at(-1))
    }
  })

  test('a row of several lines that is too long is one, and malformed where its quote is open', async () => {
    const cell = 'x,'.repeat(maxRowBytes / 2)
    const text = `"x\ny","${cell}"\n"x\ny",${cell}\nlast`
    for (const piece of [65_537, maxRowBytes, text.length]) {
      const rows = await rowsOf(text, { piece })
      expect(rows.map(({ isMalformed, isTooLong }) => [isMalformed, isTooLong])).toEqual([
        // `"x`, then `y","x,…`
        [true, false],
        [true, true],
        [false, true],
        [false, false],
      ])
    }
  })

  test.each([
    ['a line of 2 MB', Buffer.alloc(2 * maxRowBytes, 'x')],
    ['a quote that is open in a line of over 1 MB', Buffer.from(`"${'x,'.repeat(maxRowBytes)}`)],
  ])('%s is one that is too long, and the next one begins behind a line end', async (_, long) => {
    const text = Buffer.concat([Buffer.from('a\n'), long, Buffer.from('\nlast')])
    const whole = await rowsOf(text, { piece: text.length })
    expect(whole[1]).toMatchObject({ number: 2, isTooLong: true })
    expect(whole[1]?.bytes.length).toBe(maxRowBytes)
    expect(told(whole.slice(-1))).toEqual([expect.stringMatching(/: last$/)])
    for (const piece of [65_537, maxRowBytes]) expect(told(await rowsOf(text, { piece }))).toEqual(told(whole))
  })
})

describe('cells', () => {
  test('are texts, in quotes or not, of any separator', async () => {
    expect(await cells('a,"b,""c""",\n')).toEqual([['a', 'b,"c"', '']])
    expect(await cells('a;"b;c";d,e\n', 'semicolon')).toEqual([['a', 'b;c', 'd,e']])
    expect(await cells('a\t b\t"c\td"\n', 'tab')).toEqual([['a', ' b', 'c\td']])
  })

  const latin1 = Buffer.from('a,b,Jos\xe9\n', 'latin1')
  test.each([
    ['a quote that is never closed', 'a,b,"c\n', { cell: 2, code: 'unclosed-quote' }],
    ['a quote in a text', 'a,5" pipe,c" d\n', { cell: 1, code: 'stray-quote' }],
    ['a text behind a quote', 'a,"b"c,d\n', { cell: 1, code: 'stray-quote' }],
    ['Latin-1', latin1, { cell: 2, code: 'not-utf-8' }],
    ['a row of 2 MB', `a,${'x'.repeat(2 * maxRowBytes)}\n`, { cell: 1, code: 'row-too-long' }],
    ['an open quote of 2 MB', `a,"${'x'.repeat(2 * maxRowBytes)}\n`, { cell: 1, code: 'unclosed-quote' }],
  ])('of %s are none: its fault has the place of the cell; the row before has its own', async (_, bad, fault) => {
    const [first, wrong, ...others] = await cells(Buffer.concat([Buffer.from('1,2,3\n'), Buffer.from(bad)]))
    expect([first, others]).toEqual([['1', '2', '3'], []])
    expect(wrong).toMatchObject({ ...fault, detail: expect.stringMatching(/^The .*\.$/s) })
  })

  test('of a row of 10,000 are 10,000', async () => {
    expect((await cells(`${Array(10_000).fill('x').join()}\n`)).map(row => Array.isArray(row) && row.length)).toEqual([
      10_000,
    ])
  })

  test('any cells are read as they were written', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\t', '\n', '\r', 'é', ' '), maxLength: 8 })
    // A row of one empty cell is a blank line.
    const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(table, fc.constantFrom<Separator>('comma', 'semicolon', 'tab'), async (written, separator) => {
        const text = written.map(row => `${csvRow(row, separator)}\r\n`).join('')
        expect(await cells(text, separator)).toEqual(written)
      }),
    )
  })
})
