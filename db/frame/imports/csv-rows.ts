// Splits CSV rows into cells, and writes them.
import { isUtf8 } from 'node:buffer'
import { CsvError, parse } from 'csv-parse/sync'
import type { FaultCode } from '../../../runtime/problems/fault-codes.js'
import { maxRowBytes, type TextRow } from '../../../runtime/rows/row-splitter.js'
import { comparableText } from '../fields/comparable-text.js'

/** The character between two cells of a row. */
export const separators = { comma: ',', semicolon: ';', tab: '\t' } as const
export type Separator = keyof typeof separators

/** Why a row cannot be split into cells. Never repeats its content. */
export interface CellFault {
  /** Index of the cell; undefined if no single cell is at fault. */
  cell: number | undefined
  code: FaultCode
  detail: string
}

/**
 * Splits each row into cells (RFC 4180), or returns why it cannot. The apostrophe of a guarded cell is taken away, see {@link csvRow}.
 * @param rows read with the same separator.
 */
export const cellsOf = (rows: readonly TextRow[], separator: Separator): (string[] | CellFault)[] =>
  guardedCellsOf(rows, separator).map(cells => (Array.isArray(cells) ? cells.map(unguarded) : cells))

function guardedCellsOf(rows: readonly TextRow[], separator: Separator): (string[] | CellFault)[] {
  const whole = rows.filter(row => isWhole(row) && !isPlain(row))
  const together = whole.length > 0 ? parsedTogether(whole, separator) : []
  let n = 0
  return rows.map(row => {
    if (!isWhole(row)) return parsedAlone(row, separator)
    if (isPlain(row)) return String(row.bytes).split(separators[separator])
    return together ? (together[n++] ?? []) : parsedAlone(row, separator)
  })
}

/** Returns true for a row whose cells are all empty or blank, as spreadsheets write them below a table. */
export const isBlank = (cells: readonly string[]): boolean => cells.every(cell => comparableText(cell) === '')

const isWhole = ({ isTooLong, isMalformed, bytes }: TextRow): boolean => !isTooLong && !isMalformed && isUtf8(bytes)

/** Without quotes a row can simply be split; the parser takes 6 µs per row. */
const isPlain = ({ bytes }: TextRow): boolean => !bytes.includes(quote)

const quote = 0x22

const options = (separator: Separator) => ({
  delimiter: separators[separator],
  record_delimiter: '\n',
  relax_column_count: true,
})

/** Parses all rows in one call, because starting the parser costs more than a row. Returns undefined if any is malformed. */
function parsedTogether(rows: readonly TextRow[], separator: Separator): string[][] | undefined {
  try {
    const parsed: string[][] = parse(Buffer.concat(rows.flatMap(({ bytes }) => [bytes, lineEnd])), options(separator))
    return parsed.length === rows.length ? parsed : undefined
  } catch (error) {
    if (error instanceof CsvError) return undefined
    throw error
  }
}

const lineEnd = Buffer.from('\n')

function parsedAlone({ bytes, isTooLong }: TextRow, separator: Separator): string[] | CellFault {
  try {
    const [cells = []]: string[][] = parse(bytes, { ...options(separator), encoding: 'latin1' })
    // The row is cut in its last cell.
    if (isTooLong) return { cell: cells.length - 1, ...tooLong }
    const cell = cells.findIndex(each => !isUtf8(Buffer.from(each, 'latin1')))
    return cell < 0 ? cells.map(each => Buffer.from(each, 'latin1').toString()) : { cell, ...notUtf8 }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const cell = typeof error.column === 'number' ? error.column : undefined
    if (error.code === 'CSV_QUOTE_NOT_CLOSED') return { cell, ...(isTooLong ? tooLongOpen : openQuote) }
    return { cell, ...(isTooLong ? tooLong : strayQuote) }
  }
}

const size = `${maxRowBytes / 1024 / 1024} MB`

/** A fault without its cell. */
type Told = Omit<CellFault, 'cell'>

const openQuote: Told = {
  code: 'unclosed-quote',
  detail: 'The cell begins with a quote that is never closed. Close it, and double each quote of the text itself.',
}
const strayQuote: Told = {
  code: 'stray-quote',
  detail: 'The cell has a quote in it. Put the whole cell in quotes, and double each quote of the text: "5"" pipe".',
}
const tooLong: Told = { code: 'row-too-long', detail: `The row is longer than ${size}.` }
const tooLongOpen: Told = {
  code: 'unclosed-quote',
  detail: `The cell begins with a quote that is not closed within ${size}. Close it, and double each quote of the text itself.`,
}
const notUtf8: Told = {
  code: 'not-utf-8',
  detail: 'The cell is not in UTF-8. Save the file as UTF-8, or give Charset=windows-1252 if it is in that.',
}

/**
 * Formats cells as a CSV row, quoting where RFC 4180 requires it. A cell that a spreadsheet would run as a formula gets an apostrophe
 * in front (OWASP, CSV injection), and so does one that has such an apostrophe already, so that {@link cellsOf} restores each.
 */
export const csvRow = (cells: readonly string[], separator: Separator): string =>
  cells
    .map(guarded)
    .map(cell => (needsQuotes.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
    .join(separators[separator])

/** Matches what spreadsheets take for a formula, also in the wide letters of Japanese, and any apostrophes in front. */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/
const guarded = (cell: string): string => (formula.test(cell) ? `'${cell}` : cell)
const unguarded = (cell: string): string => (cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell)

const needsQuotes = /["\r\n,;\t]/
