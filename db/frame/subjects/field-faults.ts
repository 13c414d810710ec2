// Explains faults in the values of custom fields.
import type { Fault } from '../../../runtime/problem.js'
import { memberOf } from '../../../runtime/schema/member-of.js'
import { faultOfValue } from './custom-fields.js'
import type { Field } from './field-forms.js'

/** True where a fault may lie in a value of a custom field, so that its fields are worth reading. */
export const isOfValue = ({ pointer }: Fault): boolean => pointer.includes('/Value')

/**
 * Faults that the schema finds in custom field values, each with the key of its field and what that takes.
 * @param items the items that the pointers begin with.
 * @param fieldsOf the fields of an item; undefined where they are not known.
 */
export const explainValues = (
  faults: readonly Fault[],
  items: readonly unknown[],
  fieldsOf: (item: unknown) => readonly Field[] | undefined,
): Fault[] =>
  faults.map(fault => {
    const [, index = '', ...path] = fault.pointer.split('/')
    const item = memberOf(items, index)
    const value = valueAt(item, path)
    const fields = value && fieldsOf(item)
    if (!value) return fault
    const detail = fields ? faultOfValue(fields, value.key, value.within) : `The field '${value.key}': ${fault.detail}`
    return { ...fault, detail }
  })

/** The entry whose value a path leads into, by its key, and the rest of the path. An item of a PATCH is itself an entry. */
function valueAt(item: unknown, path: readonly string[]): { key: string; within: string } | undefined {
  let entry = item
  for (const [n, name] of path.entries()) {
    const key = memberOf(entry, 'Key')
    const within = path.slice(n + 1).map(part => `/${part}`)
    if (name === 'Value' && typeof key === 'string') return { key, within: within.join('') }
    entry = memberOf(entry, name)
  }
  return undefined
}
