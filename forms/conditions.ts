// Evaluates conditions and calculations of forms.
import { scaled, unscaled } from './decimal.js'
import type { Calculation, Condition } from './template.js'
import type { Content } from './values.js'

/**
 * Returns the value of a control as seen from one place in the form: the value of the same iteration, or of one around it.
 * Undefined if the control has no value or is not relevant.
 */
export type Look = (controlId: string) => Content | undefined

/** Returns the texts that conditions compare a value by. A selection has one for each chosen option. */
export function textsOf(content: Content | undefined): string[] {
  switch (content?.type) {
    case 'single-value':
    case 'single-selection':
      return [content.value]
    case 'multiple-selection':
      return content.selections.map(({ value }) => value)
    case 'partial-date':
      return [content.date.slice(0, content.dateKind.length)]
    case 'translatable-text-value':
      return [content.originalText]
    default:
      return []
  }
}

/** Reads a value as a number scaled by {@link scaled}. Returns undefined if it is not exactly one number. */
function numberIn(content: Content | undefined): bigint | undefined {
  const texts = textsOf(content)
  return texts.length === 1 ? scaled(texts[0] ?? '') : undefined
}

/**
 * Evaluates a condition; without one the answer is true. JSON Logic was considered and rejected: it knows nothing of iterations
 * and cannot tell an author which name is wrong.
 */
export function holds(
  condition: Condition | undefined,
  look: Look,
  context: Readonly<Record<string, string>>,
): boolean {
  if (!condition) return true
  const { control, context: key, equals, in: among, answered, atLeast, atMost, all, any, not } = condition
  const each = (one: Condition) => holds(one, look, context)
  if (all && !all.every(each)) return false
  if (any && !any.some(each)) return false
  if (not && each(not)) return false
  if (control === undefined && key === undefined) return true
  const content = control === undefined ? ofContext(context, key ?? '') : look(control)
  const texts = textsOf(content)
  const isAnswered = content !== undefined && content.type !== 'empty'
  return (
    (equals === undefined || texts.includes(equals)) &&
    (among === undefined || among.some(value => texts.includes(value))) &&
    (answered === undefined || isAnswered === answered) &&
    isBetween(content, atLeast, atMost)
  )
}

/** Compares a value with its bounds, both inclusive. Without bounds every value passes; with one, only numbers can. */
function isBetween(content: Content | undefined, min: number | undefined, max: number | undefined): boolean {
  if (min === undefined && max === undefined) return true
  const number = numberIn(content)
  const value = number === undefined ? Number.NaN : Number(unscaled(number))
  return value >= (min ?? -Infinity) && value <= (max ?? Infinity)
}

const ofContext = (context: Readonly<Record<string, string>>, key: string): Content | undefined =>
  Object.hasOwn(context, key) ? { type: 'single-value', value: context[key] ?? '' } : undefined

/** Calculates a value. Returns undefined until all answers that it needs are there. Decimals are added exactly. */
export function calculated({ sum, bands }: Calculation, look: Look): string | undefined {
  if (sum) {
    const numbers = sum.map(id => numberIn(look(id)))
    const known = numbers.filter(number => number !== undefined)
    return known.length === numbers.length ? unscaled(known.reduce((total, each) => total + each, 0n)) : undefined
  }
  const content = bands && look(bands.of)
  return numberIn(content) === undefined
    ? undefined
    : bands?.bands.find(({ upTo }) => isBetween(content, undefined, upTo))?.value
}
