// Checks the upload of an import while it is being stored: reads the header of a CSV file and counts the rows.

import Type, { type Static } from 'typebox'
import { type Column, type ColumnTargets, columnsOf, type GivenMaps, isMapped } from '../../db/frame/imports/columns.js'
import { type CellFault, cellsOf, isBlank, type Separator, separators } from '../../db/frame/imports/csv-rows.js'
import type { Import } from '../../db/frame/imports/imports.js'
import { absentAtMost } from '../../db/frame/imports/unassign-absent.js'
import { badRequest, fault, invalid } from '../../runtime/problems/problem.js'
import { fileCharsets, NotText, toUtf8 } from '../../runtime/rows/decoded-text.js'
import { type RowPlace, rowBatches, type TextRow } from '../../runtime/rows/row-splitter.js'
import { keyText } from '../../runtime/schema/key.js'

export const csv = 'text/csv'
export const ndjson = 'application/x-ndjson'

/** Describes the content types of an upload. @param lines names of the schemas that a line of NDJSON may follow. */
export const uploadTypes = (lines: readonly string[]) => ({
  [csv]: Type.String({
    format: 'binary',
    description: 'In UTF-8 or as `Charset` says, with a header. An empty cell means that there is no value.',
  }),
  [ndjson]: Type.String({
    format: 'binary',
    description: `In UTF-8, a line each: a ${lines.join(' or a ')} as JSON.`,
  }),
})

const options = {
  Mode: Type.Optional(
    Type.Enum(['all', 'each'], {
      description:
        '`each` (default): valid rows are written, the others are refused. `all`: every row is checked first; if one is refused, nothing is written.',
    }),
  ),
  DryRun: Type.Optional(
    Type.Boolean({ description: 'The job says what it would create, update, move and refuse, and writes nothing.' }),
  ),
  Separator: Type.Optional(
    Type.Enum(Object.keys(separators), { description: 'For CSV: the separator between cells. Default: `comma`.' }),
  ),
  Charset: Type.Optional(
    Type.Enum([...fileCharsets], {
      description: 'For CSV: its charset, if it is not in UTF-8. A file in UTF-16 begins with a byte order mark.',
    }),
  ),
  Map: Type.Optional(
    Type.Array(Type.String({ maxLength: 600 }), {
      maxItems: 1_000,
      description:
        'For CSV: `Column:FieldKey` if a column is not named like its field; `Column:` ignores the column. Names of ' +
        'columns are compared without blanks at their ends, and in any letter case.',
    }),
  ),
  MapKey: Type.Optional(
    keyText({
      description: 'For CSV: the key of a map in `importMaps` of the manifest. `Map` takes precedence over it.',
    }),
  ),
}

/** Parameters of an import of structural entities. */
export const EntityImportQuery = Type.Object(options)

/** Parameters of an import of subjects. */
export const SubjectImportQuery = Type.Object({
  ...options,
  Absent: Type.Optional(
    Type.Enum(['leave', 'unassign'], {
      description:
        '`unassign`: the file lists everybody. Subjects that no row names lose their places at the end; Delete:SubjectLocation is needed. Default: `leave`.',
    }),
  ),
  AbsentAtMost: absentAtMost(
    'For `Absent=unassign`: if more subjects would be taken from their places, the job fails with `too-many-absent` before it takes ' +
      'anybody. A number, or a percentage of the subjects that the upload updates or misses, rounded up. Default: `absentAtMost` of ' +
      'the manifest, or `10%`.',
  ),
  Below: Type.Optional(
    keyText({
      description:
        'For `Absent=unassign`: the key of a structural entity. Subjects are only taken from places at or below it. Default: all places.',
    }),
  ),
})

/** Parameters of any import. */
export type ImportQuery = Static<typeof SubjectImportQuery>

/** An upload that is checked while it is stored. Read all of `content` before calling `work`. */
export interface LookedUpload {
  content(): AsyncIterable<Buffer>
  /** Returns the input of the job. @param size bytes that were stored. @throws Problem 400 if the upload has no rows. */
  work(size: number): { input: Import; rows: number }
}

/**
 * Prepares an upload to be checked while it is stored.
 * @param columns the columns of an earlier import, if the upload has corrected rows of one.
 * @throws Problem 400 for parameters that do not go with NDJSON. Faults of a CSV header are thrown as by {@link csvUpload}.
 */
export const lookedUpload = (
  type: string,
  content: AsyncIterable<Buffer>,
  query: ImportQuery & Pick<GivenMaps, 'columns'>,
  targets: ColumnTargets,
): LookedUpload => (type === csv ? csvUpload(content, query, targets) : ndjsonUpload(content, query))

/** Reading `content` throws Problem 400 with every fault of the header and the map, before it yields any bytes to store. */
function csvUpload(
  content: AsyncIterable<Buffer>,
  query: ImportQuery & Pick<GivenMaps, 'columns'>,
  targets: ColumnTargets,
): LookedUpload {
  const separator = (query.Separator ?? 'comma') as Separator
  let header: { columns: Column[]; begin: RowPlace } | undefined
  const counted = countLines(
    beginningOf(inUtf8(content, query.Charset), separator, (row, begin) => {
      header = { columns: headerOf(row, separator, query, targets), begin }
    }),
  )
  return {
    content: counted.content,
    work(bytes) {
      const rows = counted.lines() - (header?.begin.row ?? 0)
      if (!header || bytes <= header.begin.byte || rows <= 0) throw noRows
      return { input: { format: 'csv', separator, ...optionsOf(query), ...header, bytes }, rows }
    },
  }
}

function ndjsonUpload(content: AsyncIterable<Buffer>, query: ImportQuery): LookedUpload {
  const faults = (['Separator', 'Charset', 'Map', 'MapKey'] as const)
    .filter(name => query[name] !== undefined)
    .map(name => fault(`/query/${name}`, 'unknown-parameter', `${name} is for text/csv.`))
  if (faults.length > 0) throw invalid(faults)
  const counted = countLines(content)
  return {
    content: counted.content,
    work(bytes) {
      if (bytes === 0) throw noRows
      return {
        input: { format: 'ndjson', ...optionsOf(query), begin: { byte: 0, row: 0 }, bytes },
        rows: counted.lines(),
      }
    },
  }
}

const optionsOf = ({ Mode, DryRun }: ImportQuery): Pick<Import, 'mode' | 'dryRun'> => ({
  mode: Mode === 'all' ? 'all' : 'each',
  dryRun: DryRun ?? false,
})

/** Converts an upload to UTF-8. @throws Problem 400 if it is not in its charset. */
async function* inUtf8(content: AsyncIterable<Buffer>, charset: ImportQuery['Charset']): AsyncGenerator<Buffer> {
  try {
    yield* charset === undefined ? content : toUtf8(content, charset)
  } catch (error) {
    if (!(error instanceof NotText)) throw error
    const detail = `The file is not in ${charset}: ${error.message}. Give the charset in which it was saved.`
    throw invalid([{ pointer: '/query/Charset', code: 'wrong-charset', detail }])
  }
}

const noRows = badRequest('no-rows', 'The upload has no rows.')

/**
 * Counts lines as they pass, including a last one without a line end. There are never fewer lines than rows, because a
 * quoted cell of CSV may span several lines and blank lines are not rows.
 */
function countLines(content: AsyncIterable<Buffer>) {
  let ends = 0
  let isAtEnd = true
  return {
    async *content(): AsyncGenerator<Buffer> {
      for await (const piece of content) {
        for (let at = piece.indexOf(lineFeed); at >= 0; at = piece.indexOf(lineFeed, at + 1)) ends++
        isAtEnd = piece.at(-1) === lineFeed
        yield piece
      }
    },
    lines: () => ends + (isAtEnd ? 0 : 1),
  }
}

const lineFeed = 0x0a

/**
 * Yields `content` unchanged, but first passes its first row, and where the next one begins, to `look`. If `look` throws,
 * no bytes have been yielded and so none are stored.
 */
async function* beginningOf(
  content: AsyncIterable<Buffer>,
  separator: Separator,
  look: (row: TextRow, next: RowPlace) => void,
): AsyncGenerator<Buffer> {
  const pieces = content[Symbol.asyncIterator]()
  const held: Buffer[] = []
  async function* watched(): AsyncGenerator<Buffer> {
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
      held.push(next.value)
      yield next.value
    }
  }
  const reading = { from: { byte: 0, row: 0 }, separator: separators[separator], max: { rows: 1, bytes: 1 } }
  for await (const { rows, next } of rowBatches(watched(), reading)) {
    const [row] = rows
    if (!row) break
    const [cells] = cellsOf([row], separator)
    if (Array.isArray(cells) && isBlank(cells)) continue
    look(row, next)
    yield* held
    for (let more = await pieces.next(); !more.done; more = await pieces.next()) yield more.value
    return
  }
  throw noRows
}

/** Reads the columns from a header. @throws Problem 400 with every fault. */
function headerOf(row: TextRow, separator: Separator, maps: GivenMaps, targets: ColumnTargets): Column[] {
  const { bytes } = row
  if (utf16Marks.some(mark => bytes.indexOf(mark) === 0)) {
    const detail = 'The file begins like one in UTF-16. Give Charset=utf-16, or save it as UTF-8.'
    throw invalid([{ pointer: '/query/Charset', code: 'wrong-charset', detail }])
  }
  const at = bytes.indexOf(byteOrderMark) === 0 ? byteOrderMark.length : 0
  const header = { ...row, bytes: bytes.subarray(at) }
  const [cells = []] = cellsOf([header], separator)
  const names = Object.keys(separators) as Separator[]
  if (!Array.isArray(cells)) {
    // Quoted cells look malformed under the wrong separator: read with commas, `"a";"b"` has a stray quote.
    const other = names.find(each => cellsOf([{ ...header, isMalformed: false }], each).some(isSeveral))
    if (cells.code === 'stray-quote' && other) throw wrongSeparator(other)
    const { cell, code, detail } = cells
    throw invalid([{ pointer: cell === undefined ? '/1' : `/1/${cell + 1}`, code, detail }])
  }
  const other = names.find(each => cells[0]?.includes(separators[each]))
  if (cells.length === 1 && other && !isMapped(cells[0] ?? '', maps, targets)) throw wrongSeparator(other)
  if (cells.some(cell => cell.includes('\r'))) {
    const detail = 'The lines end with carriage returns alone. Save the file with line feeds, or with both.'
    throw invalid([{ pointer: '/1', code: 'wrong-line-ends', detail }])
  }
  const { columns, faults } = columnsOf(cells, maps, targets)
  if (faults.length > 0) throw invalid(faults)
  return columns
}

const isSeveral = (cells: string[] | CellFault): boolean => Array.isArray(cells) && cells.length > 1

const wrongSeparator = (other: Separator) => {
  const detail = `The header has one column. If a ${other} stands between its cells, give Separator=${other}.`
  return invalid([{ pointer: '/1', code: 'wrong-separator', detail }])
}

const byteOrderMark = Buffer.from('\ufeff')
const utf16Marks = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])]
