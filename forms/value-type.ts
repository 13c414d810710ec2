import type { Control } from './template.js'
import type { ValueType } from './values.js'

/** The value type of what is entered in a control (spec forms "Control value types"). */
export function valueTypeOf({ dataType, options, couldHaveMultipleValues, partial }: Control): ValueType {
  if (options) return couldHaveMultipleValues ? 'multiple-selection' : 'single-selection'
  if (dataType === 'date' && partial) return 'partial-date'
  const isOfItsOwn =
    dataType === 'geolocation' || dataType === 'annotated-image' || dataType === 'translatable-text-value'
  return isOfItsOwn ? dataType : 'single-value'
}
