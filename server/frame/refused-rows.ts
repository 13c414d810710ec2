// Writes the refused rows of imports as CSV or NDJSON, in a form that can be corrected and imported again.
import { isUtf8 } from 'node:buffer'
import Type from 'typebox'
import { type Column, refusedColumns } from '../../db/frame/imports/columns.js'
import { cellsOf, csvRow, type Separator } from '../../db/frame/imports/csv-rows.js'
import type { Import } from '../../db/frame/imports/imports.js'
import type { Reject } from '../../db/frame/imports/rejects.js'
import { parseExactJson, stringifyExactJson } from '../../runtime/json/exact-json.js'
import { faultCodes } from '../../runtime/problems/fault-codes.js'

const RowFault = Type.Object({
  column: Type.String({ description: 'Name of the column; of NDJSON a pointer into the line. Empty: the whole row.' }),
  code: Type.Enum(faultCodes, { description: 'docs/problems.md has each, with the next step.' }),
  detail: Type.String(),
})

/**
 * A refused row as a line of NDJSON. If the upload was NDJSON, the line also has its original members, so that it can be
 * corrected and sent again.
 */
export const RefusedRow = Type.Object(
  {
    Refused: Type.Object({
      ...RowFault.properties,
      row: Type.Integer({ description: 'As a spreadsheet counts: the header of a CSV is 1.' }),
      errors: Type.Array(RowFault, { description: 'All faults of the row; the first is that above.' }),
      line: Type.Optional(Type.String({ description: 'The row as it came, where it is no JSON object.' })),
    }),
  },
  { $id: 'RefusedRow' },
)

/** Writes refused rows as CSV. Columns behind the row's own cells tell what is wrong with it. */
export async function* csvOf(
  rejects: AsyncIterable<Reject>,
  { format, separator = 'comma', columns = [] }: Import,
): AsyncGenerator<string> {
  const own = format === 'csv' ? columns.filter(({ column }) => !refusedColumns.some(each => each === column)) : [line]
  yield `${csvRow([...own.map(({ column }) => column), ...refusedColumns], separator)}\r\n`
  for await (const { row, faults, content } of rejects) {
    const cells = format === 'csv' ? ownCells(content, separator, columns) : [String(content)]
    const said = faults.map(({ detail }) => detail).join(' ')
    const [first] = faults
    yield `${csvRow([...cells, String(row), first?.column ?? '', first?.code ?? '', said], separator)}\r\n`
  }
}

/** The only column of its own that a line of NDJSON has when it is written as CSV: the whole line. */
const line: Column = { column: 'Line', field: '' }

/**
 * Splits a refused row into the cells of the upload's columns. A malformed row goes unchanged into the first cell. Columns
 * that tell what was wrong in an earlier import are left out.
 */
function ownCells(content: Buffer, separator: Separator, columns: readonly Column[]): string[] {
  const isOwn = ({ column }: Column) => !refusedColumns.some(each => each === column)
  const whole = { number: 0, byte: 0, bytes: content, isTooLong: false, isMalformed: false }
  const [cells] = isUtf8(content) ? cellsOf([whole], separator) : []
  const given = Array.isArray(cells) && cells.length <= columns.length ? cells : [String(content)]
  return columns.map((_, n) => given[n] ?? '').filter((_, n) => isOwn(columns[n] ?? line))
}

/** Writes refused rows as NDJSON. The member `Refused` of each line tells what is wrong with it. */
export async function* ndjsonOf(rejects: AsyncIterable<Reject>, { format }: Import): AsyncGenerator<string> {
  for await (const { row, faults, content } of rejects) {
    const [first = { column: '', code: '', detail: '' }] = faults
    const item = format === 'ndjson' ? objectIn(content) : undefined
    const came = item ? {} : { line: String(content) }
    // Replaces the member `Refused` that the line has if it was refused in an earlier import too.
    yield `${stringifyExactJson({ ...item, Refused: { row, ...first, errors: faults, ...came } })}\n`
  }
}

/** Parses a line. Returns undefined if it is not a JSON object. */
function objectIn(content: Buffer): object | undefined {
  try {
    const value = parseExactJson(String(content).trim())
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
