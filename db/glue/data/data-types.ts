// Checks data point values by their data type.
import Format from 'typebox/format'
import { ExactNumber, isNumeric } from '../../../runtime/exact-number.js'
import { isDateTime, isTime } from '../../frame/subjects/custom-fields.js'

/** The eight types of input values are checked; a value of another type is kept as it is (DECISIONS "Data point DataType"). */
const checks: Record<string, (value: unknown) => boolean> = {
  Boolean: value => typeof value === 'boolean',
  String: value => typeof value === 'string',
  Integer: value => Number.isSafeInteger(value) || (value instanceof ExactNumber && /^-?\d+$/.test(value.text)),
  Decimal: isNumeric,
  DateTime: value => typeof value === 'string' && isDateTime(value),
  Date: value => typeof value === 'string' && Format.IsDate(value),
  // With a zone too: what a provider says is kept as it is.
  Time: value => typeof value === 'string' && (isTime(value) || Format.IsTime(value, false)),
  UserIdentifier: value => typeof value === 'string',
}

/** Whether a value is of the type, or there is none. */
export const isOfType = (dataType: string, value: unknown): boolean =>
  value === null || !Object.hasOwn(checks, dataType) || (checks[dataType]?.(value) ?? true)
