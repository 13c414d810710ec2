// Checks the custom field values that clients send, and turns them into their stored form.

import Format from 'typebox/format'
import type { FaultCode } from '../../../runtime/problems/fault-codes.js'
import type { Fault } from '../../../runtime/problems/problem.js'
import { comparableText } from './comparable-text.js'
import {
  type CustomField,
  type DataType,
  dataTypesByTypeKey,
  type GivenValue,
  type InputValue,
} from './custom-field.js'
import { type Field, taken, takenAs, unknownField } from './field-forms.js'

/** A value as it is stored. The value is a text that does not depend on a locale, so that decimals keep all their digits. */
export type StoredValue = [dataType: DataType, text: string]
/** Stored values by field key. An array field has a list with at least one value. */
export type StoredValues = Record<string, StoredValue | StoredValue[]>

/** Returns the values of a field as a list, whether or not it is an array field. */
export const listOf = (value: StoredValue | StoredValue[]): StoredValue[] => (isList(value) ? value : [value])
export const isList = (value: StoredValue | StoredValue[]): value is StoredValue[] => typeof value[0] !== 'string'

/** Returns a field's value. Works for fields with names such as `constructor`, which every object inherits. */
export const heldIn = (values: StoredValues, key: string): StoredValue | StoredValue[] | undefined =>
  Object.hasOwn(values, key) ? values[key] : undefined

/** Converts stored values to the form in which clients send them. */
export const givenOf = (values: StoredValues): GivenValue[] =>
  Object.entries(values).flatMap(([Key, value]) =>
    listOf(value).map(([dataType, text]): { Key: string; Value: InputValue } => ({
      Key,
      Value: { [dataType]: { Value: text } },
    })),
  )

type FaultOfItem = Omit<Fault, 'index'>

/**
 * Checks all values of an item against the fields of its type and returns them in stored form, or null if there are none.
 * Adds every fault to `faults`, with a pointer relative to the item.
 */
export function readValues(
  fields: readonly CustomField[],
  given: readonly GivenValue[] | undefined,
  faults: FaultOfItem[],
): StoredValues | null {
  if (given === undefined && fields.length === 0) return null
  const stored = readGiven(fields, given ?? [], faults)
  const values = withChanges({}, stored)
  requireValues(fields, values, given, faults)
  requireSize(values, faults)
  return Object.keys(values).length > 0 ? values : null
}

/** A field's new value in stored form; undefined removes the value. */
export type ChangedValue = StoredValue | StoredValue[] | undefined

/** The values that a request sets or removes, by field key. */
export type ChangedValues = Map<string, ChangedValue>

/**
 * Checks the values of a request, which may be all values of an item or only those that change. Does not check for required
 * fields that are missing; see {@link requireValues}.
 * @param at pointer to the list of values, relative to the item.
 */
export function readGiven(
  fields: readonly Field[],
  given: readonly GivenValue[],
  faults: FaultOfItem[],
  at = '/CustomFieldValues',
): ChangedValues {
  const read: ChangedValues = new Map()
  const seen = new Set<string>()
  const report = (pointer: string, code: FaultCode, detail: string) => faults.push({ pointer, code, detail })
  given.forEach(({ Key, Value }, n) => {
    const field = fields.find(each => each.key === Key)
    if (!field) report(`${at}/${n}/Key`, 'unknown-custom-field', unknownField(fields, Key))
    else if (seen.has(Key)) report(`${at}/${n}/Key`, 'duplicate-key', `The field '${Key}' is given twice.`)
    else if (Array.isArray(Value) !== (field.isArray ?? false) && Value !== null) {
      const code = field.isArray ? 'array' : 'single-value'
      report(`${at}/${n}/Value`, code, `The field '${Key}' takes ${takenAs(field)}`)
    } else if (Array.isArray(Value)) {
      const values = Value.map((each, m) => readValue(field, each, `${at}/${n}/Value/${m}`, faults))
      read.set(Key, withoutFaulty(values))
    } else read.set(Key, Value === null ? undefined : readValue(field, Value, `${at}/${n}/Value`, faults))
    seen.add(Key)
  })
  return read
}

const withoutFaulty = (values: (StoredValue | undefined)[]): StoredValue[] | undefined => {
  const valid = values.filter(value => value !== undefined)
  return valid.length > 0 ? valid : undefined
}

/** Applies changes to values. The result has no prototype, because a field may be called `constructor` or `__proto__`. */
export function withChanges(before: StoredValues, changes: ChangedValues): StoredValues {
  const after: StoredValues = Object.assign(Object.create(null), before)
  for (const [key, value] of changes) {
    if (value === undefined) delete after[key]
    else after[key] = value
  }
  return after
}

/**
 * Reports each required field without a value. Skips fields that the request names with a value: if there is none in
 * `values`, the value was at fault and has been reported already.
 */
export function requireValues(
  fields: readonly Field[],
  values: StoredValues,
  given: readonly GivenValue[] | undefined,
  faults: FaultOfItem[],
  at = '/CustomFieldValues',
): void {
  for (const field of fields) {
    if (!field.required || heldIn(values, field.key)) continue
    const entry = given?.findIndex(({ Key }) => Key === field.key) ?? -1
    const empty = entry >= 0 && isEmpty(given?.[entry], field)
    if (entry >= 0 && !empty) continue
    const detail = `The field '${field.key}' is required. It takes ${takenAs(field)}`
    faults.push({ pointer: empty ? `${at}/${entry}/Value` : at, code: 'required-custom-field', detail })
  }
}

/** The most bytes of values, in the form in which they are stored, that a subject or an entity may have. */
export const maxValueBytes = 1024 * 1024

/**
 * Reports values that are too large together.
 * @param at pointer to the list of values in the request.
 */
export function requireSize(values: StoredValues, faults: FaultOfItem[], at = '/CustomFieldValues'): void {
  const bytes = Buffer.byteLength(JSON.stringify(values))
  if (bytes <= maxValueBytes) return
  const detail = `The values would take ${bytes.toLocaleString('en')} bytes together with those that are kept, of at most ${maxValueBytes.toLocaleString('en')} (1 MB). Shorten them, or keep documents in the subject's record.`
  faults.push({ pointer: at, code: 'too-large', detail })
}

const isEmpty = (given: GivenValue | undefined, field: { isArray?: boolean }): boolean =>
  given?.Value === null || (field.isArray === true && Array.isArray(given?.Value) && given.Value.length === 0)

/**
 * Describes a fault that the schema found inside the value of a field. The schema cannot do that itself, because the expected form
 * depends on the kind of the field.
 * @param within pointer to the fault, relative to the value: either below its data type (`/Integer/Value`) or in the shape around it.
 */
export function faultOfValue(fields: readonly Field[], key: string, within: string, code: FaultCode): string {
  const field = fields.find(each => each.key === key)
  if (!field) return unknownField(fields, key)
  if (code === 'out-of-range')
    return `The field '${key}' takes Integers of up to ${Number.MAX_SAFE_INTEGER}, either sign. Send a larger number as Decimal, which keeps all digits.`
  const [, dataType = ''] = /^(?:\/\d+)?\/(\w+)\/Value$/.exec(within) ?? []
  const isOfField = dataTypesOf(field).some(each => each === dataType)
  return `The field '${key}' takes ${isOfField ? taken(field) : takenAs(field)}`
}

const dataTypesOf = ({ typeKey }: CustomField): readonly DataType[] => dataTypesByTypeKey[typeKey]

/** Checks one value. The schema has made sure that it has one property with a known name, and a value of the right JSON type. */
function readValue(field: Field, value: InputValue, at: string, faults: FaultOfItem[]): StoredValue | undefined {
  const dataType = Object.keys(value)[0] as DataType
  const report = (pointer: string, code: FaultCode, detail: string): undefined => {
    faults.push({ pointer, code, detail })
  }
  if (!dataTypesOf(field).includes(dataType)) {
    return report(at, 'wrong-data-type', `The field '${field.key}' takes ${takenAs(field)}`)
  }
  const text = String(value[dataType]?.Value)
  const inside = `${at}/${dataType}/Value`
  if (field.typeKey === 'PhoneNumber' && !/^(?=(?:\D*\d){3})\+?[\d\s().\-/]{3,40}$/.test(text)) {
    return report(inside, 'phone-number', `The field '${field.key}' takes ${taken(field)}`)
  }
  if (field.required && comparableText(text) === '') {
    const detail = `The field '${field.key}' is required and must not be blank. It takes ${taken(field)}`
    return report(inside, 'required-custom-field', detail)
  }
  return [dataType, keptText(dataType, text)]
}

/** Returns the text in which a value is stored and compared: equal values have equal texts. Date-times are in UTC, times have seconds. */
function keptText(dataType: DataType, text: string): string {
  if (dataType === 'DateTime') return utc(text)
  return dataType === 'Time' ? keptTime(text) : text
}

/** Returns true for a time of day, `HH:MM[:SS[.fff]]`, without a zone. */
export const isTime = (text: string): boolean => /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?$/.test(text)

/** Formats a time of day as `HH:MM:SS`, followed by `.fff` unless that is zero, so that `10:30` and `10:30:00.000` become equal. */
export function keptTime(text: string): string {
  const [time = '', fraction = ''] = text.split('.')
  const seconds = time.length === 'HH:MM'.length ? `${time}:00` : time
  const milliseconds = fraction.padEnd(3, '0')
  return milliseconds === '000' ? seconds : `${seconds}.${milliseconds}`
}

const dateTime = /^(\d{4}-\d\d-\d\d)T((?:[01]\d|2[0-3]):\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?$/i

/** Returns true for an ISO 8601 date-time, with or without seconds and zone, whose day exists. */
export function isDateTime(text: string): boolean {
  const [, date = ''] = dateTime.exec(text) ?? []
  return Format.IsDate(date) && !Number.isNaN(Date.parse(zoned(text)))
}

/**
 * Returns true for a date-time that can be stored: in UTC its year is 0001 to 9999. `9999-12-31T23:59:59-05:00`, for example, falls
 * into the year 10000 in UTC, and a client could not write back what it reads.
 */
export const isKeptDateTime = (text: string): boolean => isDateTime(text) && /^(?!0000)\d{4}-/.test(utc(text))

const zoned = (text: string): string => (dateTime.exec(text)?.[3] ? text : `${text}Z`)

/** Converts a date-time to UTC, with milliseconds. A date-time without a zone is taken to be in UTC. */
export const utc = (text: string): string => new Date(zoned(text)).toISOString()
