import Format from 'typebox/format'
import type { Fault } from '../../runtime/problem.js'

/** The kinds of custom field (spec frame "Structure type") and the data types a value of each may have. */
export const dataTypesByTypeKey = {
  Text: ['String'],
  PhoneNumber: ['String'],
  Number: ['Integer', 'Decimal'],
  Date: ['Date'],
  DateTime: ['DateTime'],
  Time: ['Time'],
  UserIdentifier: ['UserIdentifier'],
} as const satisfies Record<string, readonly DataType[]>

export type TypeKey = keyof typeof dataTypesByTypeKey
export type DataType = 'Boolean' | 'String' | 'Integer' | 'Decimal' | 'DateTime' | 'Date' | 'Time' | 'UserIdentifier'

export interface CustomField {
  key: string
  name: string
  typeKey: TypeKey
  required: boolean
}

/** A value as clients write it: one property, named for the data type, e.g. `{Integer: {Value: 3}}`. */
export type InputValue = { [K in DataType]?: { Value: unknown } | undefined }

export interface GivenValue {
  Key: string
  Value: InputValue | InputValue[]
}

/** A value as it is kept: its data type and its invariant text, so that decimals keep their digits. */
export type StoredValue = [dataType: DataType, text: string]
export type StoredValues = Record<string, StoredValue>

/** Longest text of one value, in characters. */
export const maxTextLength = 10_000

/**
 * Checks the values given for an item against the fields of its type and returns them as they are kept.
 * Every fault goes into `faults`, its pointer relative to the item.
 */
export function readValues(
  fields: readonly CustomField[],
  given: readonly GivenValue[] | undefined,
  faults: Omit<Fault, 'index'>[],
): StoredValues | null {
  if (given === undefined && fields.length === 0) return null
  // Without a prototype: a field may be called `constructor` or `__proto__`.
  const stored: StoredValues = Object.create(null)
  given?.forEach((entry, n) => {
    const at = `/CustomFieldValues/${n}`
    const field = fields.find(each => each.key === entry.Key)
    if (!field) {
      faults.push({
        pointer: `${at}/Key`,
        code: 'unknown-custom-field',
        detail: `There is no custom field '${entry.Key}' here.`,
      })
    } else if (stored[field.key]) {
      faults.push({
        pointer: `${at}/Key`,
        code: 'duplicate-key',
        detail: `The custom field '${field.key}' is given twice.`,
      })
    } else if (Array.isArray(entry.Value)) {
      const detail = `The custom field '${field.key}' takes one value, not an array.`
      faults.push({ pointer: `${at}/Value`, code: 'single-value', detail })
    } else {
      const value = readValue(field, entry.Value)
      if ('code' in value) faults.push({ ...value, pointer: `${at}/Value${value.pointer}` })
      else stored[field.key] = value
    }
  })
  for (const field of fields) {
    if (!field.required || stored[field.key] || given?.some(entry => entry.Key === field.key)) continue
    const detail = `The custom field '${field.key}' is required.`
    faults.push({ pointer: '/CustomFieldValues', code: 'required-custom-field', detail })
  }
  return Object.keys(stored).length > 0 ? stored : null
}

/** One value: the schema has seen that it has one property of a known name and a value of the right JSON type. */
function readValue(field: CustomField, value: InputValue): StoredValue | Omit<Fault, 'index'> {
  const dataType = Object.keys(value)[0] as DataType
  const allowed: readonly DataType[] = dataTypesByTypeKey[field.typeKey]
  if (!allowed.includes(dataType)) {
    const detail = `The custom field '${field.key}' of type ${field.typeKey} takes ${allowed.join(' or ')}, not ${dataType}.`
    return { pointer: '', code: 'wrong-data-type', detail }
  }
  const text = String(value[dataType]?.Value)
  if (field.typeKey === 'PhoneNumber' && !/^(?=(?:\D*\d){3})\+?[\d\s().\-/]{3,40}$/.test(text)) {
    const detail = 'This is no phone number: at least three digits, blanks, and + ( ) . - / only.'
    return { pointer: '/String/Value', code: 'phone-number', detail }
  }
  if (field.required && text.trim() === '') {
    const detail = `The custom field '${field.key}' is required and must not be blank.`
    return { pointer: `/${dataType}/Value`, code: 'required-custom-field', detail }
  }
  return [dataType, dataType === 'DateTime' ? utc(text) : text]
}

const dateTime = /^(\d{4}-\d\d-\d\d)T((?:[01]\d|2[0-3]):\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?$/i

/** True for an ISO 8601 date-time that exists, with or without seconds and zone. */
export function isDateTime(text: string): boolean {
  const [, date = ''] = dateTime.exec(text) ?? []
  return Format.IsDate(date) && !Number.isNaN(Date.parse(zoned(text)))
}

const zoned = (text: string): string => (dateTime.exec(text)?.[3] ? text : `${text}Z`)

/** A date-time in UTC with milliseconds; one without a zone is taken as UTC. */
const utc = (text: string): string => new Date(zoned(text)).toISOString()
