// Splits lines and CSV into rows, from any row on and with bounded memory.

/** The position of a row in a text. */
export interface RowPlace {
  /** Offset in bytes. */
  byte: number
  /** Number of rows before it, including blank lines. */
  row: number
}

/** A row of a text. This is one line, or several lines of CSV if a quoted cell contains line ends. */
export interface TextRow {
  /** Row number from 1, as a spreadsheet or an editor shows it. */
  number: number
  /** Offset of its first byte. */
  byte: number
  /** Content without the line end. Only the beginning if the row is too long. */
  bytes: Buffer
  isTooLong: boolean
  /**
   * True if its quotes violate RFC 4180. Such a row consists of one line only, so that the lines after it remain rows
   * of their own.
   */
  isMalformed: boolean
}

/** Consecutive rows. Blank ones are left out. */
export interface RowBatch {
  rows: TextRow[]
  next: RowPlace
}

/** Maximum length of a row, in bytes. */
export const maxRowBytes = 1024 * 1024

interface Reading {
  from: RowPlace
  /** The character between two cells, for CSV. If it is set, a line end within quotes does not end the row. */
  separator?: string | undefined
  /** A batch ends with the row that reaches one of these limits. */
  max: { rows: number; bytes: number }
}

const lineFeed = 0x0a
const carriageReturn = 0x0d
const quote = 0x22
const byteOrderMark = Buffer.from('\ufeff')

/**
 * Reads the rows of a text in batches. The rows are the same at whichever row the reading starts. Memory is limited to
 * one batch and the longest row: beyond the first MB of a row, quotes are ignored.
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
      const { byte } = place
      place = { byte: byte + length, row: place.row + 1 }
      if (content.length > 0) rows.push({ number: place.row, byte, bytes: content, isTooLong, isMalformed })
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
  /** Length in bytes, including the line end. */
  length: number
  content: Buffer
}

/** The row that is being read. Positions are offsets in the buffered bytes. */
interface OpenRow {
  from: number
  /** Where the search for the next line end continues. */
  at: number
  /**
   * Position of its first line end, if that is within quotes. The row ends there if its quotes turn out to be
   * malformed.
   */
  firstEnd: number | undefined
  /** True within a quoted cell. */
  isOpen: boolean
  isMalformed: boolean
  /** Number of bytes of the row that were discarded because it is too long. */
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
 * Creates a splitter that buffers at most the first MB of an unfinished row between two pieces. A quote is valid only
 * at the start or the end of a cell. A row with any other quote is cut after its first line.
 */
function createSplitter(separator: number | undefined, isBeginning: boolean) {
  let held: Buffer = Buffer.alloc(0)
  let row = rowFrom(0)
  /** Position of the next quote to examine, or -1 if none is buffered. */
  let nextQuote = -1
  let isFirst = isBeginning

  const findQuote = (from: number) => (separator === undefined ? -1 : held.indexOf(quote, from))

  const opensCell = (at: number): boolean =>
    at === row.from ||
    held[at - 1] === separator ||
    (isFirst && at === byteOrderMark.length && held.indexOf(byteOrderMark) === 0)

  /** Tells whether a quote ends its cell. Returns undefined if that depends on bytes still to come. */
  function closesCell(at: number, isEnd: boolean): boolean | undefined {
    const [next, afterNext] = [held[at + 1], held[at + 2]]
    if (next === undefined) return isEnd ? true : undefined
    if (next === separator || next === lineFeed) return true
    if (next !== carriageReturn) return false
    return afterNext === undefined ? isEnd || undefined : afterNext === lineFeed
  }

  /** Processes the quotes before a position. @returns false if more bytes are needed first. */
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

  /**
   * Returns the position where the row ends, at a line end or at the end of the text. Returns undefined if the end is
   * not buffered yet.
   */
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

  /** Discards the finished rows, and what exceeds the first MB of the unfinished one. */
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

    /** Returns the remaining rows. The last one may lack a line end. */
    rest: () => rows(true),
  }
}
