// Derives the value type of a control from its definition.
import type { Control } from './template.js'
import type { ValueType } from './values.js'

/** The value types that an answer can have: all but `empty`. */
export const enteredTypes = [
  'single-value',
  'single-selection',
  'multiple-selection',
  'geolocation',
  'annotated-image',
  'partial-date',
  'translatable-text-value',
] as const satisfies readonly ValueType[]
type EnteredType = (typeof enteredTypes)[number]

/** Returns the value type of a control's answers (spec forms "Control value types"). */
export function valueTypeOf({ dataType, options, couldHaveMultipleValues, partial }: Control): EnteredType {
  if (options) return couldHaveMultipleValues ? 'multiple-selection' : 'single-selection'
  if (dataType === 'date' && partial) return 'partial-date'
  const isOfItsOwn =
    dataType === 'geolocation' || dataType === 'annotated-image' || dataType === 'translatable-text-value'
  return isOfItsOwn ? dataType : 'single-value'
}
