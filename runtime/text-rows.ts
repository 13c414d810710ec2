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
  /** A quote is open where the row ends. */
  isOpen: boolean
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
  /** A line end in quotes ends no row. */
  quotes: boolean
  /** Rows and bytes after which a batch ends with its row. */
  most: { rows: number; bytes: number }
}

const lineFeed = 0x0a
const carriageReturn = 0x0d
const quote = 0x22

/**
 * Reads the rows of a text in batches. The rows are the same wherever the reading begins. Memory is bounded by a batch
 * and the longest row: behind a row's first MB, quotes do not count.
 */
export async function* rowBatches(
  pieces: AsyncIterable<Uint8Array>,
  { from, quotes, most }: Reading,
): AsyncGenerator<RowBatch> {
  let place = { ...from }
  let rows: TextRow[] = []
  let bytes = 0
  const splitter = createSplitter(quotes)

  function* take(split: Iterable<Split>): Generator<RowBatch> {
    for (const { length, content, isTooLong, isOpen } of split) {
      place = { byte: place.byte + length, row: place.row + 1 }
      if (content.length > 0) rows.push({ number: place.row, bytes: content, isTooLong, isOpen })
      bytes += content.length
      if (rows.length < most.rows && bytes < most.bytes) continue
      yield { rows, next: place }
      rows = []
      bytes = 0
    }
  }

  for await (const piece of pieces) yield* take(splitter.rowsOf(piece))
  yield* take(splitter.rest())
  if (place.row > from.row) yield { rows, next: place }
}

interface Split extends Pick<TextRow, 'isTooLong' | 'isOpen'> {
  /** With its line end, in bytes. */
  length: number
  content: Buffer
}

/** Cuts a text into rows. All that is left of it between two pieces is a row that has not ended, at most its first MB. */
function createSplitter(quotes: boolean) {
  let held: Buffer = Buffer.alloc(0)
  /** Bytes of the row behind those that are held. */
  let cut = 0
  let isOpen = false

  /** @param length of the row with its line end, as far as it is held. */
  function split(line: Buffer, length: number): Split {
    const content = line.at(-1) === carriageReturn ? line.subarray(0, -1) : line
    const isTooLong = content.length > maxRowBytes || cut > 0
    const row = { length: length + cut, content: content.subarray(0, maxRowBytes), isTooLong, isOpen }
    cut = 0
    isOpen = false
    return row
  }

  return {
    *rowsOf(piece: Uint8Array): Generator<Split> {
      let scanned = held.length
      held =
        held.length === 0 ? Buffer.from(piece.buffer, piece.byteOffset, piece.length) : Buffer.concat([held, piece])
      let from = 0
      let nextQuote = quotes ? held.indexOf(quote, scanned) : -1
      for (;;) {
        const lineEnd = held.indexOf(lineFeed, scanned)
        const to = lineEnd < 0 ? held.length : lineEnd
        while (nextQuote >= 0 && nextQuote < to) {
          if (nextQuote - from + cut < maxRowBytes) isOpen = !isOpen
          nextQuote = held.indexOf(quote, nextQuote + 1)
        }
        scanned = to + 1
        if (lineEnd < 0) break
        if (isOpen && lineEnd - from + cut < maxRowBytes) continue
        yield split(held.subarray(from, lineEnd), scanned - from)
        from = scanned
      }
      held = held.subarray(from)
      const excess = held.length - maxRowBytes - 1
      if (excess <= 0) return
      cut += excess
      held = held.subarray(0, maxRowBytes + 1)
    },

    /** The last row, where no line end stands behind it. */
    *rest(): Generator<Split> {
      if (held.length > 0) yield split(held, held.length)
      held = Buffer.alloc(0)
    },
  }
}
