// Rows of an upload as items to upsert.
import { isUtf8 } from 'node:buffer'
import { cellsOf, type Separator } from '../../../runtime/csv-rows.js'
import { halfPair, parseExactJson } from '../../../runtime/exact-json.js'
import { parseExactNumber } from '../../../runtime/exact-number.js'
import { type FaultCode, isFaultCode } from '../../../runtime/fault-codes.js'
import { type Fault, Problem } from '../../../runtime/problem.js'
import type { Checked, partsOf } from '../../../runtime/schema/check.js'
import { memberOf } from '../../../runtime/schema/member-of.js'
import { maxRowBytes, type TextRow } from '../../../runtime/text-rows.js'
import type { CustomField, InputValue } from '../subjects/custom-field.js'
import type { Column } from './columns.js'

/** How the rows of an upload are read. */
export interface RowFormat {
  format: 'csv' | 'ndjson'
  /** Of CSV. */
  separator?: Separator
  columns?: Column[]
}

/** A fault of a row. */
export interface RowFault {
  /** Name of the column in CSV, in NDJSON a pointer into the line; '' for the row as a whole. */
  column: string
  code: FaultCode
  detail: string
}

/** A row as it was read. */
export interface ReadRow<Input> {
  /** As a spreadsheet counts: the header of a CSV is 1. */
  number: number
  bytes: Buffer
  /** All that the row says, sound or not; undefined where it cannot be told. */
  value: unknown
  /** The judgeable part of the row; undefined where there is none. Faulty values are null in it. */
  input: Input | undefined
  /** The entries with faults of their form. */
  faults: RowFault[]
  /** Pointers of the entries of {@link input} whose value is at fault. */
  faulty: ReadonlySet<string>
  /** The column of a fault that is found later. */
  columnOf(pointer: string): string
}

/** Reads the rows of one kind of item. */
export interface ItemReader {
  /** The check of an item, as its single upsert has it. */
  check: ReturnType<typeof partsOf>
  /** The beginning of a line. */
  example: string
  /** Makes the item that the cells of a row mean. */
  converter(columns: readonly Column[]): (cells: readonly string[]) => Converted
  /** Says of faults in values which form is expected. The pointers begin with `/0`. */
  explain(faults: readonly Fault[], value: unknown): Fault[]
  /** Values that stand for members with a fault, so that the others are judged. Without the other members an item says nothing. */
  standIn: Readonly<Record<string, unknown>>
}

/** An item that cells mean. */
export interface Converted {
  given: object
  /** The column that a pointer into the item leads to. */
  columnOf(pointer: string): string
}

/** Reads rows of an upload. Nothing is looked up. */
export function readRows<Input>(rows: readonly TextRow[], format: RowFormat, reader: ItemReader): ReadRow<Input>[] {
  if (format.format === 'ndjson') return rows.map(row => readLine(row, reader))
  const { separator = 'comma', columns = [] } = format
  const cells = cellsOf(rows, separator)
  const convert = reader.converter(columns)
  return rows.map((row, n): ReadRow<Input> => {
    const own = cells[n] ?? []
    if (!Array.isArray(own)) {
      const column = own.cell === undefined ? '' : (columns[own.cell]?.column ?? '')
      return refused(row, { column, code: own.code, detail: own.detail })
    }
    if (own.length !== columns.length) {
      const detail = `The row has ${count(own.length, 'cell')}, the header ${count(columns.length, 'column')}.`
      return refused(row, { column: columns[own.length]?.column ?? '', code: 'column-count', detail })
    }
    const { given, columnOf } = convert(own)
    return checked(row, { value: given, faults: [] }, reader, columnOf)
  })
}

const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`

const refused = ({ number, bytes }: TextRow, fault: RowFault): ReadRow<never> => ({
  number,
  bytes,
  value: undefined,
  input: undefined,
  faults: [fault],
  faulty: new Set(),
  columnOf: () => '',
})

const itself = (pointer: string): string => pointer

function readLine<Input>(row: TextRow, reader: ItemReader): ReadRow<Input> {
  const fault = (code: FaultCode, detail: string) => refused(row, { column: '', code, detail })
  if (row.isTooLong) return fault('row-too-long', `The line is longer than ${maxRowBytes / 1024 / 1024} MB.`)
  if (!isUtf8(row.bytes)) return fault('not-utf-8', 'The line is not in UTF-8.')
  const text = textOf(row.bytes, row.number)
  if (halfPair.test(text)) return fault('not-unicode', 'The line has an escape of half a character.')
  let given: unknown
  try {
    given = parseExactJson(text)
  } catch (error) {
    if (error instanceof Problem && isFaultCode(error.code)) return fault(error.code, error.message)
    return fault('malformed-json', `The line is no JSON: ${error instanceof Error ? error.message : error}`)
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return fault('wrong-type', `A line is one JSON object, such as ${reader.example}.`)
  return checked(row, reader.check.rename(given), reader, itself)
}

/** The text of a row; of the first one without a byte order mark. */
const textOf = (bytes: Buffer, number: number): string => {
  const text = bytes.toString()
  return number === 1 && text.startsWith('\ufeff') ? text.slice(1) : text
}

function checked<Input>(
  { number, bytes }: TextRow,
  { value, faults: ofNames }: Checked,
  { check, explain, standIn }: ItemReader,
  columnOf: (pointer: string) => string,
): ReadRow<Input> {
  const faults = check.isSound(value) ? ofNames : check.faultsIn(value, ofNames)
  if (faults.length === 0) return { number, bytes, value, input: value as Input, faults: [], faulty: none, columnOf }
  const faulty = new Set(faults.map(({ pointer }) => entryOf(pointer)))
  const isJudgeable = replaceFaulty(value, faulty, standIn)
  const explained = explain(
    faults.map(fault => ({ ...fault, pointer: `/0${fault.pointer}` })),
    value,
  ).map(({ pointer, code, detail }) => ({ column: columnOf(pointer.slice('/0'.length)), code, detail }))
  const input = isJudgeable ? (value as Input) : undefined
  return { number, bytes, value, input, faults: explained, faulty, columnOf }
}

const none: ReadonlySet<string> = new Set()

/** The entry of the list of values, or the member, that a pointer leads into. */
export const entryOf = (pointer: string): string => pointer.split('/').slice(0, 3).join('/')

/** Makes faulty values null, so that the others keep their places. @returns false where another member is at fault. */
function replaceFaulty(value: unknown, faulty: ReadonlySet<string>, standIn: ItemReader['standIn']): boolean {
  const values = memberOf(value, 'CustomFieldValues')
  for (const entry of faulty) {
    const [, member = '', n] = entry.split('/')
    if (n === undefined && Object.hasOwn(standIn, member)) {
      Object.assign(Object(value), { [member]: standIn[member] })
      continue
    }
    const given = member === 'CustomFieldValues' ? memberOf(values, n ?? '') : undefined
    // Without its key an entry stands for no field.
    if (typeof given !== 'object' || given === null || typeof memberOf(given, 'Key') !== 'string') return false
    Object.assign(given, { Value: null })
  }
  return true
}

/** A text as the value that it means; one that is none stays a text, and the check names it. */
export function inputValue({ typeKey }: Pick<CustomField, 'typeKey'>, text: string): InputValue {
  switch (typeKey) {
    case 'Number':
      if (/^-?\d{1,15}$/.test(text)) return { Integer: { Value: Number(text) } }
      return { Decimal: { Value: /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) ? parseExactNumber(text) : text } }
    case 'Boolean':
      return { Boolean: { Value: booleans.get(text.toLowerCase()) ?? text } }
    case 'Text':
    case 'PhoneNumber':
      return { String: { Value: text } }
    default:
      return { [typeKey]: { Value: text } }
  }
}

const booleans = new Map([
  ['true', true],
  ['false', false],
])
