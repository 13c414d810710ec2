// Reads the rows of an upload, CSV or NDJSON, as items to upsert, and checks their form.

import { isUtf8 } from 'node:buffer'
import { halfPair, parseExactJson } from '../../../runtime/json/exact-json.js'
import { parseExactNumber } from '../../../runtime/json/exact-number.js'
import { type FaultCode, isFaultCode } from '../../../runtime/problems/fault-codes.js'
import { type Fault, Problem } from '../../../runtime/problems/problem.js'
import { maxRowBytes, type TextRow } from '../../../runtime/rows/row-splitter.js'
import type { Checked, partsOf } from '../../../runtime/schema/check.js'
import { memberOf } from '../../../runtime/schema/member-of.js'
import { comparableText } from '../fields/comparable-text.js'
import type { CustomField, InputValue } from '../fields/custom-field.js'
import { withoutExample } from '../fields/field-forms.js'
import { exampleDate, readDate, readDecimalComma } from './column-forms.js'
import type { Column } from './columns.js'
import { cellsOf, isBlank, type Separator } from './csv-rows.js'

/** The format of the rows of an upload. */
export interface RowFormat {
  format: 'csv' | 'ndjson'
  /** Only for CSV, like `columns`. */
  separator?: Separator
  columns?: Column[]
}

/** A fault of a row. */
export interface RowFault {
  /** In CSV the name of the column, in NDJSON a pointer into the line; '' if the row as a whole is at fault. */
  column: string
  code: FaultCode
  detail: string
}

/** A row that was read, with its faults. */
export interface ReadRow<Input> extends Pick<TextRow, 'number' | 'byte' | 'bytes'> {
  /** The content of the row, valid or not. Undefined if the row cannot be parsed. */
  value: unknown
  /** The part of the row that can be judged further, with faulty values replaced by null. Undefined if nothing can be judged. */
  input: Input | undefined
  /** The faults of the row's form. Later checks add theirs. */
  faults: RowFault[]
  /** Pointers to the entries of {@link input} with a faulty value. */
  faulty: ReadonlySet<string>
  /** Describes a fault that a later check finds to the author of the row. */
  faultOf(fault: Pick<Fault, 'pointer' | 'code' | 'detail'>): RowFault
}

/** How the rows of a certain kind of item are read. */
export interface ItemReader {
  /** The schema check of an item: the one that the upsert of a single item uses. */
  check: ReturnType<typeof partsOf>
  /** The beginning of a valid line of NDJSON, for error messages. */
  example: string
  /** Creates a function that turns the cells of a row into an item. */
  converter(columns: readonly Column[]): (cells: readonly string[]) => Converted
  /** Rewrites faults in values so that they state the expected form. The pointers begin with `/0`. */
  explain(faults: readonly Fault[], value: unknown): Fault[]
  /** Values that replace faulty members, so that the rest of the item can be judged. If any other member is faulty, nothing can be. */
  standIn: Readonly<Record<string, unknown>>
}

/** An item made from the cells of a row. */
export interface Converted {
  given: object
  /** Cells that are not in the form of their column. The pointers lead to entries of the item without a value. */
  faults: Fault[]
  /** Returns the column that a pointer into the item refers to. */
  columnOf(pointer: string): string
}

/**
 * Reads rows of an upload and checks their form, without reading from the database. Leaves out rows whose cells are all empty. Missing
 * cells at the end of a row count as empty.
 */
export function readRows<Input>(rows: readonly TextRow[], format: RowFormat, reader: ItemReader): ReadRow<Input>[] {
  if (format.format === 'ndjson') return rows.map(row => readLine(row, reader))
  const { separator = 'comma', columns = [] } = format
  const cells = cellsOf(rows, separator)
  const convert = reader.converter(columns)
  return rows.flatMap((row, n): ReadRow<Input>[] => {
    const own = cells[n] ?? []
    if (!Array.isArray(own)) {
      const column = own.cell === undefined ? '' : (columns[own.cell]?.column ?? '')
      return [refused(row, { column, code: own.code, detail: own.detail })]
    }
    if (isBlank(own)) return []
    if (own.length > columns.length) {
      const detail = `The row has ${count(own.length, 'cell')}, the header ${count(columns.length, 'column')}.`
      return [refused(row, { column: '', code: 'column-count', detail })]
    }
    const nameless = own.findIndex((cell, n) => columns[n]?.column === '' && comparableText(cell) !== '')
    if (nameless >= 0) {
      const detail = `Column ${nameless + 1} has no name in the header, but the row has a value there.`
      return [refused(row, { column: '', code: 'unknown-column', detail })]
    }
    const { given, faults, columnOf } = convert(own)
    const faultOf = (fault: Fault) => rowFault('csv', columnOf(fault.pointer), fault)
    return [checked(row, { value: given, faults }, reader, faultOf)]
  })
}

const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`

const refused = ({ number, byte, bytes }: TextRow, fault: RowFault): ReadRow<never> => ({
  number,
  byte,
  bytes,
  value: undefined,
  input: undefined,
  faults: [fault],
  faulty: new Set(),
  faultOf: fault => rowFault('ndjson', '', fault),
})

/** Describes a fault to the author of a row. To the author of a CSV, an example in JSON would say nothing. */
export const rowFault = (
  format: RowFormat['format'],
  column: string,
  { code, detail }: Pick<Fault, 'code' | 'detail'>,
): RowFault => ({ column, code, detail: format === 'csv' ? withoutExample(detail) : detail })

function readLine<Input>(row: TextRow, reader: ItemReader): ReadRow<Input> {
  const fault = (code: FaultCode, detail: string) => refused(row, { column: '', code, detail })
  if (row.isTooLong) return fault('row-too-long', `The line is longer than ${maxRowBytes / 1024 / 1024} MB.`)
  if (!isUtf8(row.bytes)) return fault('not-utf-8', 'The line is not in UTF-8.')
  const text = textOf(row.bytes, row.number)
  if (halfPair.test(text))
    return fault(
      'not-unicode',
      'The line has an escape sequence for half a character: \\ud800 to \\udfff come in pairs only.',
    )
  let given: unknown
  try {
    given = parseExactJson(text)
  } catch (error) {
    if (error instanceof Problem && isFaultCode(error.code)) return fault(error.code, error.message)
    return fault('malformed-json', `The line is not valid JSON: ${error instanceof Error ? error.message : error}`)
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return fault('wrong-type', `Each line must be a JSON object, such as ${reader.example}.`)
  return checked(row, reader.check.rename(given), reader, fault => rowFault('ndjson', fault.pointer, fault))
}

/** Returns the text of a row. Removes the byte order mark from the first one. */
const textOf = (bytes: Buffer, number: number): string => {
  const text = bytes.toString()
  return number === 1 && text.startsWith('\ufeff') ? text.slice(1) : text
}

function checked<Input>(
  { number, byte, bytes }: TextRow,
  { value, faults: ofNames }: Checked,
  { check, explain, standIn }: ItemReader,
  faultOf: ReadRow<Input>['faultOf'],
): ReadRow<Input> {
  const faults = check.isSound(value) ? ofNames : check.faultsIn(value, ofNames)
  const row = { number, byte, bytes, value, faultOf }
  if (faults.length === 0) return { ...row, input: value as Input, faults: [], faulty: none }
  const faulty = new Set(faults.map(({ pointer }) => entryOf(pointer)))
  const isJudgeable = replaceFaulty(value, faulty, standIn)
  const explained = explain(
    faults.map(fault => ({ ...fault, pointer: `/0${fault.pointer}` })),
    value,
  ).map(fault => faultOf({ ...fault, pointer: fault.pointer.slice('/0'.length) }))
  const input = isJudgeable ? (value as Input) : undefined
  return { ...row, input, faults: explained, faulty }
}

const none: ReadonlySet<string> = new Set()

/** Shortens a pointer to the member, or to the entry in the list of values, that it leads into. */
export const entryOf = (pointer: string): string => pointer.split('/').slice(0, 3).join('/')

/**
 * Replaces faulty values with null, so that the other entries keep their indexes, and faulty members with their stand-ins.
 * @returns false if there is a fault that cannot be replaced, so that the item cannot be judged further.
 */
function replaceFaulty(value: unknown, faulty: ReadonlySet<string>, standIn: ItemReader['standIn']): boolean {
  const values = memberOf(value, 'CustomFieldValues')
  for (const entry of faulty) {
    const [, member = '', n] = entry.split('/')
    if (n === undefined && Object.hasOwn(standIn, member)) {
      Object.assign(Object(value), { [member]: standIn[member] })
      continue
    }
    const given = member === 'CustomFieldValues' ? memberOf(values, n ?? '') : undefined
    // Without a key it is not known which field an entry is for.
    if (typeof given !== 'object' || given === null || typeof memberOf(given, 'Key') !== 'string') return false
    Object.assign(given, { Value: null })
  }
  return true
}

/** Reads a cell as a value of a field, in the form of its column. Returns a fault if the text is not in that form. */
export function readCell(
  field: Pick<CustomField, 'typeKey'>,
  text: string,
  { format, decimal }: Pick<Column, 'format' | 'decimal'> = {},
): InputValue | Omit<Fault, 'pointer'> {
  if (format !== undefined && field.typeKey === 'Date') {
    const date = readDate(text, format)
    const detail = `Write the date as ${format}, such as ${exampleDate(format)}.`
    return date === undefined ? { code: 'wrong-format', detail } : inputValue(field, date)
  }
  if (decimal !== undefined && field.typeKey === 'Number') {
    const number = readDecimalComma(text)
    const detail = 'Write the number with a decimal comma and without separators of thousands, such as 72,5.'
    return number === undefined ? { code: 'wrong-format', detail } : inputValue(field, number)
  }
  return inputValue(field, text)
}

/** Converts a text to a value of a field. Keeps a text that is no such value, for the check to report. */
function inputValue({ typeKey }: Pick<CustomField, 'typeKey'>, text: string): InputValue {
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
