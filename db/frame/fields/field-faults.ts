// Rewrites the faults that a schema finds in custom field values, so that they say what the field accepts.
import type { Fault } from '../../../runtime/problems/problem.js'
import { memberOf } from '../../../runtime/schema/member-of.js'
import { faultOfValue } from './custom-fields.js'
import type { Field } from './field-forms.js'

/** Returns true if a fault may lie in the value of a custom field. Only then is it worth reading the fields from the database. */
export const isOfValue = ({ pointer }: Fault): boolean => pointer.includes('/Value')

/**
 * Adds the field's key, and the form of value that it accepts, to each fault in a custom field value. Other faults stay as they are.
 * @param items the items of the request; the first part of each pointer is an index into them.
 * @param fieldsOf returns the fields of an item, or undefined if they are not known.
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
    const detail = fields
      ? faultOfValue(fields, value.key, value.within, fault.code)
      : `The field '${value.key}': ${fault.detail}`
    return { ...fault, detail }
  })

/**
 * Finds the entry of `CustomFieldValues` whose value a path leads into, and returns its key and the rest of the path. In a PATCH the
 * item is itself such an entry.
 */
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
