// Translates the limits of a control into facets of XML Schema.
import { checks } from '../../../forms/data-types.js'
import type { Control } from '../../../forms/template.js'
import type { Facet } from './xml-schema-node.js'

/**
 * Returns the limits of a control that XML Schema can express. They may be weaker than the control's own but never stricter, so
 * a value that passes our checks is always valid. Date-times get none, because XML Schema does not order those with a zone
 * and those without.
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

/** Normalizes a bound in the way that values are normalized. Returns undefined if there is none. */
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

/** Returns a pattern only if it has the same meaning in XML Schema, whose regular expressions differ from JavaScript's. */
const portable = (pattern: string | undefined): string | undefined =>
  pattern !== undefined && inBoth.test(pattern) ? pattern : undefined
