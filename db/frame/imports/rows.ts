// Rows of an upload as subjects to upsert.
import { isUtf8 } from 'node:buffer'
import { cellsOf, type Separator } from '../../../runtime/csv-rows.js'
import { halfPair, parseExactJson } from '../../../runtime/exact-json.js'
import { parseExactNumber } from '../../../runtime/exact-number.js'
import { Problem } from '../../../runtime/problem.js'
import { checkOf } from '../../../runtime/schema/check.js'
import { memberOf } from '../../../runtime/schema/member-of.js'
import { maxRowBytes, type TextRow } from '../../../runtime/text-rows.js'
import type { GivenValue, InputValue, SubjectField } from '../subjects/custom-field.js'
import { explainValues } from '../subjects/field-faults.js'
import { SubjectWrite } from '../subjects/subject-input.js'
import type { SubjectInput } from '../subjects/subject-plan.js'
import { type Column, listSeparator, placesColumn } from './columns.js'

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
  code: string
  detail: string
}

/** A row as it was read. */
export interface ReadRow {
  /** As a spreadsheet counts: the header of a CSV is 1. */
  number: number
  bytes: Buffer
  /** The judgeable part of the row; undefined where there is none. Faulty values are null in it. */
  input: SubjectInput | undefined
  /** The entries with faults of their form. */
  faults: RowFault[]
  /** Pointers of the entries of {@link input} whose value is at fault. */
  faulty: ReadonlySet<string>
  /** The column of a fault that is found later. */
  columnOf(pointer: string): string
}

const check = checkOf(SubjectWrite)

/** Reads rows of an upload. Nothing is looked up. */
export function readRows(rows: readonly TextRow[], format: RowFormat, fields: readonly SubjectField[]): ReadRow[] {
  if (format.format === 'ndjson') return rows.map(row => readLine(row, fields))
  const { separator = 'comma', columns = [] } = format
  const cells = cellsOf(rows, separator)
  const convert = converter(columns, fields)
  return rows.map((row, n): ReadRow => {
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
    return checked(row, given, fields, columnOf)
  })
}

const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`

const refused = ({ number, bytes }: TextRow, fault: RowFault): ReadRow => ({
  number,
  bytes,
  input: undefined,
  faults: [fault],
  faulty: new Set(),
  columnOf: () => '',
})

const itself = (pointer: string): string => pointer

function readLine(row: TextRow, fields: readonly SubjectField[]): ReadRow {
  const fault = (code: string, detail: string) => refused(row, { column: '', code, detail })
  if (row.isTooLong) return fault('row-too-long', `The line is longer than ${maxRowBytes / 1024 / 1024} MB.`)
  if (!isUtf8(row.bytes)) return fault('not-utf-8', 'The line is not in UTF-8.')
  const text = textOf(row.bytes, row.number)
  if (halfPair.test(text)) return fault('not-unicode', 'The line has an escape of half a character.')
  let given: unknown
  try {
    given = parseExactJson(text)
  } catch (error) {
    if (error instanceof Problem) return fault(error.code, error.message)
    return fault('malformed-json', `The line is no JSON: ${error instanceof Error ? error.message : error}`)
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return fault('wrong-type', 'A line is one JSON object, such as {"CustomFieldValues":[…]}.')
  return checked(row, given, fields, itself)
}

/** The text of a row; of the first one without a byte order mark. */
const textOf = (bytes: Buffer, number: number): string => {
  const text = bytes.toString()
  return number === 1 && text.startsWith('\ufeff') ? text.slice(1) : text
}

function checked(
  { number, bytes }: TextRow,
  given: object,
  fields: readonly SubjectField[],
  columnOf: (pointer: string) => string,
): ReadRow {
  const { value, faults } = check(given)
  const faulty = new Set(faults.map(({ pointer }) => entryOf(pointer)))
  const input = faulty.size === 0 ? (value as SubjectInput) : withoutFaultyValues(value, faulty)
  const explained = explainValues(
    faults.map(fault => ({ ...fault, pointer: `/0${fault.pointer}` })),
    [value],
    () => fields,
  ).map(({ pointer, code, detail }) => ({ column: columnOf(pointer.slice('/0'.length)), code, detail }))
  return { number, bytes, input, faults: explained, faulty, columnOf }
}

/** The entry of the list of values, or the member, that a pointer leads into. */
export const entryOf = (pointer: string): string => pointer.split('/').slice(0, 3).join('/')

/** The judgeable part of a row: faulty values become null, so that the others keep their places. */
function withoutFaultyValues(value: unknown, faulty: ReadonlySet<string>): SubjectInput | undefined {
  const values = memberOf(value, 'CustomFieldValues')
  for (const entry of faulty) {
    const [, member, n] = entry.split('/')
    const given = member === 'CustomFieldValues' ? memberOf(values, n ?? '') : undefined
    // Without its key an entry stands for no field.
    if (typeof given !== 'object' || given === null || typeof memberOf(given, 'Key') !== 'string') return undefined
    Object.assign(given, { Value: null })
  }
  return value as SubjectInput
}

interface Converted {
  given: object
  columnOf(pointer: string): string
}

/** Makes the subject that the cells of a row mean. An empty cell means that there is no value. */
function converter(columns: readonly Column[], fields: readonly SubjectField[]): (cells: string[]) => Converted {
  const byField = new Map<string, { field: SubjectField; cells: number[] }>()
  const places: number[] = []
  for (const [n, { field: key }] of columns.entries()) {
    const field = fields.find(each => each.key === key)
    if (key === placesColumn) places.push(n)
    else if (field) byField.set(key, { field, cells: [...(byField.get(key)?.cells ?? []), n] })
    // It was there when the import was accepted: the plan says that there is no such field.
    else if (key !== '') byField.set(key, { field: { ...unknown, key }, cells: [n] })
  }
  const entries = [...byField.values()]
  const name = (cells: readonly number[] | undefined) => columns[cells?.[0] ?? -1]?.column ?? ''
  const columnOf = (pointer: string): string => {
    const [, member, entry] = pointer.split('/')
    if (member === 'StructuralEntityKeys') return name(places)
    return entry === undefined ? '' : name(entries[Number(entry)]?.cells)
  }
  return cells => {
    const listed = (at: readonly number[]) => at.flatMap(n => (cells[n] ?? '').split(listSeparator).filter(Boolean))
    const values = entries.map(({ field, cells: at }): GivenValue => {
      const texts = field.isArray ? listed(at) : [cells[at[0] ?? -1] ?? ''].filter(Boolean)
      const given = texts.map(text => inputValue(field, text))
      return { Key: field.key, Value: field.isArray && given.length > 0 ? given : (given[0] ?? null) }
    })
    const given = { CustomFieldValues: values, ...(places.length > 0 ? { StructuralEntityKeys: listed(places) } : {}) }
    return { given, columnOf }
  }
}

const unknown: SubjectField = { key: '', name: '', typeKey: 'Text', required: false, isArray: false }

/** A text as the value that it means; one that is none stays a text, and the check names it. */
function inputValue({ typeKey }: SubjectField, text: string): InputValue {
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
