// The index of subject values, by which filters and matching find subjects.
import { hash } from 'node:crypto'
import Format from 'typebox/format'
import { parseExactNumber } from '../../../runtime/exact-number.js'
import type { Db, TenantId } from '../../connect.js'
import { deleteRows, Hex, upsertRows } from '../../rows.js'
import type { SubjectField } from './custom-field.js'
import { isKeptDateTime, isList, isTime, keptTime, type StoredValue, type StoredValues, utc } from './custom-fields.js'

/** Names a value of a field: 16 bytes of a hash, in hex, so that they can be compared and sorted. */
export type ValueHash = string

/** Hashes of everything a subject holds: what {@link filterHash} finds it by. */
export const hashesOf = (values: StoredValues): ValueHash[] =>
  Object.entries(values).flatMap(([key, value]) =>
    isList(value) ? [...new Set(value.map(each => hashOf(key, comparable(each))))] : hashOf(key, comparable(value)),
  )

/**
 * The hash of a value as a filter gives it, a text: numbers are compared as numbers, times as times, texts as
 * {@link comparableText}.
 * Undefined where no value of the field's type reads so.
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
 * The hash of the values of the matching fields together, and those of each; undefined where one has none.
 * They are what makes a subject the one that an upsert means.
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

/**
 * A text as it is compared with others: in NFC and without white space at its ends, as ECMAScript's `trim` knows it. Letter
 * case, accents and blanks inside count.
 */
export const comparableText = (text: string): string => text.normalize('NFC').trim()

const comparable = ([dataType, text]: StoredValue): string =>
  dataType === 'Integer' || dataType === 'Decimal' ? plainNumber(text) : text

/** The shortest way to write the same number: `+1.50` → `1.5`, `-0` → `0`. */
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

/** Rows of `subject_values` that changes of subjects take away and add. */
export interface ValueRows {
  gone: [TenantId, Buffer, string][]
  added: [TenantId, Hex, string][]
}

export function valueRows(tenant: TenantId, changes: readonly ValueChange[]): ValueRows {
  const gone: [ValueHash, string][] = []
  const added: [ValueHash, string][] = []
  for (const { id, before, after } of changes) {
    const [held, holds] = [new Set(hashesOf(before)), new Set(hashesOf(after))]
    for (const each of held) if (!holds.has(each)) gone.push([each, id])
    for (const each of holds) if (!held.has(each)) added.push([each, id])
  }
  // Indexes, because to take each pair apart takes three times as long as to compare.
  const sorted = (pairs: [ValueHash, string][]) => pairs.sort((a, b) => (a[0] < b[0] ? -1 : 1))
  return {
    gone: sorted(gone).map(([each, id]) => [tenant, toBytes(each), id]),
    added: sorted(added).map(([each, id]) => [tenant, new Hex(each), id]),
  }
}

/** Keeps `subject_values` in step with the values of subjects, inside the transaction that writes them. */
export async function indexValues(db: Db, { gone, added }: ValueRows): Promise<void> {
  const columns = ['tenant_id', 'value_hash', 'subject_id']
  await deleteRows(db, 'subject_values', columns, gone)
  await upsertRows(db, 'subject_values', columns, added, [])
}
