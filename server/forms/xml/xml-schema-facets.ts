// XML Schema facets for the limits of a control.
import { checks } from '../../../forms/data-types.js'
import type { Control } from '../../../forms/template.js'
import type { Facet } from './xml-schema-node.js'

/**
 * The limits of a control that XML Schema can express. They may be weaker than the control's own, never stricter: a
 * value that passes our checks is always valid. Moments have none: with and without a zone they have no order in XML
 * Schema.
 */
export function facetsOf(control: Control): Facet[] {
  switch (control.dataType) {
    case 'integer':
    case 'decimal':
    case 'date':
    case 'time':
      return [
        ...facet('minInclusive', bound(control, control.min)),
        ...facet('maxInclusive', bound(control, control.max)),
      ]
    case 'string':
    case 'html':
      return [
        ...facet('minLength', control.minLength),
        ...facet('maxLength', control.maxLength),
        ...facet('pattern', portable(control.pattern)),
      ]
    default:
      return []
  }
}

const facet = (name: string, value: string | number | undefined): Facet[] =>
  value === undefined ? [] : [[name, value]]

/** A bound in the one way of writing that values have; undefined where there is none. */
function bound(control: Control, given: string | undefined): string | undefined {
  if (given === undefined || control.partial) return undefined
  const checked = checks[control.dataType]({ ...control, min: undefined, max: undefined }, given, '')
  return 'content' in checked && checked.content.type === 'single-value' ? checked.content.value : undefined
}

const literal = String.raw`[\w \-,:;/@#%&='"<>!~]`
const escaped = String.raw`\\[d.?*+()|{}[\]\\]`
const oneOf = String.raw`\[(?:[A-Za-z\d]-[A-Za-z\d]|[\w .,:@/]|\\d)+\]`
const times = String.raw`(?:[?*+]|\{\d{1,3}(?:,\d{0,3})?\})?`
const group = String.raw`\((?![?|)])|\)\??`
const or = String.raw`(?<!^)\|(?![|)]|$)`
const inBoth = new RegExp(`^(?:(?:${literal}|${escaped}|${oneOf})${times}|${group}|${or})+$`)

/** A pattern that means the same in XML Schema, which knows fewer signs and gives others another meaning. */
const portable = (pattern: string | undefined): string | undefined =>
  pattern !== undefined && inBoth.test(pattern) ? pattern : undefined
