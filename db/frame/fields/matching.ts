// Maintains the index of subject values. Filters and the matching of upserts find subjects through it.
import { hash } from 'node:crypto'
import Format from 'typebox/format'
import { parseExactNumber } from '../../../runtime/json/exact-number.js'
import type { Db, TenantId } from '../../connect.js'
import { deleteRows, Hex, upsertRows } from '../../rows.js'
import { comparableText } from './comparable-text.js'
import type { SubjectField } from './custom-field.js'
import { isKeptDateTime, isList, isTime, keptTime, type StoredValue, type StoredValues, utc } from './custom-fields.js'

/** Identifies a value of a certain field: the first 16 bytes of a hash, as hex, so that hashes can be compared and sorted. */
export type ValueHash = string

/** Returns the hashes of all values of a subject. {@link filterHash} gives the same hash for a filter that the value meets. */
export const hashesOf = (values: StoredValues): ValueHash[] =>
  Object.entries(values).flatMap(([key, value]) =>
    isList(value) ? [...new Set(value.map(each => hashOf(key, comparable(each))))] : hashOf(key, comparable(value)),
  )

/**
 * Returns the hash of a value that a filter states as text. Numbers are compared as numbers, times as times, and texts as
 * {@link comparableText} describes. Returns undefined if the text cannot be a value of this field.
 */
export function filterHash({ key, typeKey }: SubjectField, text: string): ValueHash | undefined {
  switch (typeKey) {
    case 'Number':
      return /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? hashOf(key, plainNumber(text)) : undefined
    case 'Boolean':
      return /^(true|false)$/i.test(text) ? hashOf(key, text.toLowerCase()) : undefined
    case 'Date':
      return Format.IsDate(text) ? hashOf(key, text) : undefined
    case 'Time':
      return isTime(text) ? hashOf(key, keptTime(text)) : undefined
    case 'DateTime':
      return isKeptDateTime(text) ? hashOf(key, utc(text)) : undefined
    default:
      return hashOf(key, text)
  }
}

/**
 * Returns a hash of all matching values together, by which an upsert identifies a subject, and the hashes of the single values.
 * Returns undefined if a matching field has no value.
 */
export function matchingHashes(
  matchingFields: readonly string[],
  values: StoredValues,
): { together: ValueHash; each: ValueHash[] } | undefined {
  const each = matchingFields.flatMap(key => (Object.hasOwn(values, key) ? hashesOf({ [key]: values[key] ?? [] }) : []))
  if (each.length < matchingFields.length) return undefined
  return { together: shortHash(each.join()), each }
}

const shortHash = (text: string): ValueHash => hash('sha256', text, 'hex').slice(0, 32)
const hashOf = (key: string, text: string): ValueHash => shortHash(`${key}\0${comparableText(text)}`)

const comparable = ([dataType, text]: StoredValue): string =>
  dataType === 'Integer' || dataType === 'Decimal' ? plainNumber(text) : text

/** Writes a number in its shortest form: `+1.50` → `1.5`, `-0` → `0`. */
export function plainNumber(text: string): string {
  const [, sign = '', whole = '', fraction = ''] =
    /^([+-]?)(\d+)(?:\.(\d*))?$/.exec(String(parseExactNumber(text))) ?? []
  const places = fraction.replace(/(?<!0)0+$/, '')
  const digits = whole.replace(/^0+(?=\d)/, '') + (places && `.${places}`)
  return sign === '-' && /[1-9]/.test(digits) ? `-${digits}` : digits
}

export const toBytes = (valueHash: ValueHash): Buffer => Buffer.from(valueHash, 'hex')

/** The values of a subject before and after a change. */
export interface ValueChange {
  id: string
  before: StoredValues
  after: StoredValues
}

/** Rows of `subject_values` to delete and to insert, because the values of subjects change. */
export interface ValueRows {
  gone: [TenantId, Buffer, string][]
  added: [TenantId, Hex, string][]
}

/** Computes how the index must change with the values of subjects. The rows are sorted, so that writers lock them in the same order. */
export function valueRows(tenant: TenantId, changes: readonly ValueChange[]): ValueRows {
  const gone: [ValueHash, string][] = []
  const added: [ValueHash, string][] = []
  for (const { id, before, after } of changes) {
    const [held, holds] = [new Set(hashesOf(before)), new Set(hashesOf(after))]
    for (const each of held) if (!holds.has(each)) gone.push([each, id])
    for (const each of holds) if (!held.has(each)) added.push([each, id])
  }
  // Access by index: destructuring each pair makes the sort three times as slow.
  const sorted = (pairs: [ValueHash, string][]) => pairs.sort((a, b) => (a[0] < b[0] ? -1 : 1))
  return {
    gone: sorted(gone).map(([each, id]) => [tenant, toBytes(each), id]),
    added: sorted(added).map(([each, id]) => [tenant, new Hex(each), id]),
  }
}

/** Updates the index `subject_values`, inside the transaction that writes the values of the subjects. */
export async function indexValues(db: Db, { gone, added }: ValueRows): Promise<void> {
  const columns = ['tenant_id', 'value_hash', 'subject_id']
  await deleteRows(db, 'subject_values', columns, gone)
  await upsertRows(db, 'subject_values', columns, added, [])
}
