/** Where the next row of a text begins. */
export interface RowPlace {
  /** In bytes. */
  byte: number
  /** Rows before it. Blank lines count. */
  row: number
}

/** A row of a text: a line, or in CSV several where a cell in quotes has line ends. */
export interface TextRow {
  /** Its number, from 1, as a spreadsheet or an editor shows it. */
  number: number
  /** Without its line end. Of a row that is too long, the beginning. */
  bytes: Buffer
  isTooLong: boolean
  /** Its quotes are not those of RFC 4180. Such a row is one line, so that the lines behind it are rows of their own. */
  isMalformed: boolean
}

/** Consecutive rows, without those that are blank. */
export interface RowBatch {
  rows: TextRow[]
  next: RowPlace
}

/** Longest row, in bytes. */
export const maxRowBytes = 1024 * 1024

interface Reading {
  from: RowPlace
  /** Of CSV: the character between two cells. A line end in quotes then ends no row. */
  separator?: string | undefined
  /** Rows and bytes after which a batch ends with its row. */
  max: { rows: number; bytes: number }
}

const lineFeed = 0x0a
const carriageReturn = 0x0d
const quote = 0x22
const byteOrderMark = Buffer.from('\ufeff')

/**
 * Reads the rows of a text in batches. The rows are the same wherever the reading begins. Memory is bounded by a batch
 * and the longest row: behind a row's first MB, quotes do not count.
 */
export async function* rowBatches(
  pieces: AsyncIterable<Uint8Array>,
  { from, separator, max }: Reading,
): AsyncGenerator<RowBatch> {
  let place = { ...from }
  let rows: TextRow[] = []
  let bytes = 0
  const splitter = createSplitter(separator?.charCodeAt(0), from.byte === 0)

  function* take(split: Iterable<Split>): Generator<RowBatch> {
    for (const { length, content, isTooLong, isMalformed } of split) {
      place = { byte: place.byte + length, row: place.row + 1 }
      if (content.length > 0) rows.push({ number: place.row, bytes: content, isTooLong, isMalformed })
      bytes += content.length
      if (rows.length < max.rows && bytes < max.bytes) continue
      yield { rows, next: place }
      rows = []
      bytes = 0
    }
  }

  for await (const piece of pieces) yield* take(splitter.rowsOf(piece))
  yield* take(splitter.rest())
  if (place.row > from.row) yield { rows, next: place }
}

interface Split extends Pick<TextRow, 'isTooLong' | 'isMalformed'> {
  /** With its line end, in bytes. */
  length: number
  content: Buffer
}

/** The row that is being cut. Places are in the bytes that are held. */
interface OpenRow {
  from: number
  /** Where the next line end is looked for. */
  at: number
  /** Its first line end, where it is in quotes. */
  firstEnd: number | undefined
  /** A quote is open. */
  isOpen: boolean
  isMalformed: boolean
  /** Bytes behind those that are held. */
  cut: number
}

const rowFrom = (from: number): OpenRow => ({
  from,
  at: from,
  firstEnd: undefined,
  isOpen: false,
  isMalformed: false,
  cut: 0,
})

/**
 * Cuts a text into rows. Between two pieces it holds at most the first MB of a row. A quote opens and closes a cell at its
 * ends alone; a row with another quote is its first line.
 */
function createSplitter(separator: number | undefined, isBeginning: boolean) {
  let held: Buffer = Buffer.alloc(0)
  let row = rowFrom(0)
  /** The next quote that is not looked at; -1 where none is held. */
  let nextQuote = -1
  let isFirst = isBeginning

  const findQuote = (from: number) => (separator === undefined ? -1 : held.indexOf(quote, from))

  const opensCell = (at: number): boolean =>
    at === row.from ||
    held[at - 1] === separator ||
    (isFirst && at === byteOrderMark.length && held.indexOf(byteOrderMark) === 0)

  /** Whether a cell ends behind a quote; undefined where the bytes that tell it are still to come. */
  function closesCell(at: number, isEnd: boolean): boolean | undefined {
    const [next, afterNext] = [held[at + 1], held[at + 2]]
    if (next === undefined) return isEnd ? true : undefined
    if (next === separator || next === lineFeed) return true
    if (next !== carriageReturn) return false
    return afterNext === undefined ? isEnd || undefined : afterNext === lineFeed
  }

  /** Looks at the quotes before a place. @returns false where more bytes are needed first. */
  function readQuotes(to: number, isEnd: boolean): boolean {
    while (nextQuote >= 0 && nextQuote < to) {
      let next = nextQuote + 1
      if (nextQuote - row.from + row.cut < maxRowBytes) {
        if (!row.isOpen) {
          row.isMalformed = !opensCell(nextQuote)
          row.isOpen = true
        } else if (held[next] === quote) next++
        else {
          const closes = closesCell(nextQuote, isEnd)
          if (closes === undefined) return false
          row.isMalformed = !closes
          row.isOpen = false
        }
        if (row.isMalformed) return true
      }
      nextQuote = findQuote(next)
    }
    return true
  }

  /** Where the row ends, as far as it is held: at a line end, or at the end of the text. */
  function endOfRow(isEnd: boolean): number | undefined {
    for (;;) {
      const found = held.indexOf(lineFeed, row.at)
      const lineEnd = found < 0 ? held.length : found
      if (!row.isMalformed && !readQuotes(lineEnd, isEnd)) return undefined
      const isLong = lineEnd - row.from + row.cut >= maxRowBytes
      const isLastLine = found < 0 && isEnd
      if (row.isOpen && (isLastLine || (isLong && (found >= 0 || row.firstEnd !== undefined)))) row.isMalformed = true
      if (row.isMalformed && row.firstEnd !== undefined) return row.firstEnd
      if (found < 0) {
        row.at = held.length
        return isEnd ? held.length : undefined
      }
      if (row.isMalformed || !row.isOpen) return found
      row.firstEnd ??= found
      row.at = found + 1
    }
  }

  function* rows(isEnd: boolean): Generator<Split> {
    while (row.from < held.length) {
      const end = endOfRow(isEnd)
      if (end === undefined) break
      const line = held.subarray(row.from, end)
      const content = line.at(-1) === carriageReturn ? line.subarray(0, -1) : line
      const next = Math.min(end + 1, held.length)
      const { isMalformed, cut } = row
      yield {
        length: next - row.from + cut,
        content: content.subarray(0, maxRowBytes),
        isTooLong: content.length > maxRowBytes || cut > 0,
        isMalformed,
      }
      row = rowFrom(next)
      isFirst = false
      if (isMalformed) nextQuote = findQuote(next)
    }
  }

  /** Forgets the rows that are cut, and what is behind the first MB of the row that is not. */
  function saveOpenRow(): void {
    const { from, at, firstEnd } = row
    held = held.subarray(from)
    nextQuote = Math.max(nextQuote - from, -1)
    row = { ...row, from: 0, at: at - from, firstEnd: firstEnd === undefined ? undefined : firstEnd - from }
    const excess = held.length - maxRowBytes - 1
    if (excess <= 0) return
    row.cut += excess
    held = held.subarray(0, maxRowBytes + 1)
    row.at = held.length
  }

  return {
    *rowsOf(piece: Uint8Array): Generator<Split> {
      const before = held.length
      held = before === 0 ? Buffer.from(piece.buffer, piece.byteOffset, piece.length) : Buffer.concat([held, piece])
      if (nextQuote < 0) nextQuote = findQuote(before)
      yield* rows(false)
      saveOpenRow()
    },

    /** The rows that are left, of which the last one may have no line end. */
    rest: () => rows(true),
  }
}
