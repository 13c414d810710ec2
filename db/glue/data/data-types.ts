// Checks the values of data points against their data type.
import Format from 'typebox/format'
import { isInteger, isNumeric } from '../../../runtime/json/exact-number.js'
import { isDateTime, isTime } from '../../frame/fields/custom-fields.js'

/**
 * Checks for the eight types of the spec. A value of any other type is stored unchecked (DECISIONS "Data point
 * DataType").
 */
const checks: Record<string, (value: unknown) => boolean> = {
  Boolean: value => typeof value === 'boolean',
  String: value => typeof value === 'string',
  Integer: isInteger,
  Decimal: isNumeric,
  DateTime: value => typeof value === 'string' && isDateTime(value),
  Date: value => typeof value === 'string' && Format.IsDate(value),
  // Unlike in input values, a time zone is allowed: what a provider says is stored unchanged.
  Time: value => typeof value === 'string' && (isTime(value) || Format.IsTime(value, false)),
  UserIdentifier: value => typeof value === 'string',
}

/** Tells whether a value is null or of the type. */
export const isOfType = (dataType: string, value: unknown): boolean =>
  value === null || !Object.hasOwn(checks, dataType) || (checks[dataType]?.(value) ?? true)
