import type { Calculation, Condition } from './template.js'
import type { Content } from './values.js'

/** The value of a control as a condition sees it from where it stands; undefined where it has none, or is not relevant. */
export type Look = (controlId: string) => Content | undefined

/** The texts by which a value is compared: of a selection the values that were chosen. */
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

const isAnswered = (content: Content | undefined): boolean => content !== undefined && content.type !== 'empty'

/** Whether a condition holds. JSON Logic was looked at: it knows nothing of iterations, nor which of its names is wrong. */
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
  const number = texts.length === 1 && texts[0] !== '' ? Number(texts[0]) : Number.NaN
  return (
    (equals === undefined || texts.includes(equals)) &&
    (among === undefined || among.some(value => texts.includes(value))) &&
    (answered === undefined || isAnswered(content) === answered) &&
    (atLeast === undefined || number >= atLeast) &&
    (atMost === undefined || number <= atMost)
  )
}

const ofContext = (context: Readonly<Record<string, string>>, key: string): Content | undefined =>
  Object.hasOwn(context, key) ? { type: 'single-value', value: context[key] ?? '' } : undefined

/** The text that a calculation gives; undefined until there is enough to calculate it from. */
export function calculated({ sum, bands }: Calculation, look: Look): string | undefined {
  const numberOf = (id: string) => {
    const [text = ''] = textsOf(look(id))
    return text.trim() === '' ? Number.NaN : Number(text)
  }
  if (sum) {
    const total = sum.reduce((all, id) => all + numberOf(id), 0)
    // Decimals such as 0.1 + 0.2 have digits that nobody wrote.
    return Number.isFinite(total) ? String(Number(total.toFixed(9))) : undefined
  }
  const number = bands ? numberOf(bands.of) : Number.NaN
  return Number.isNaN(number) ? undefined : bands?.bands.find(({ upTo = Infinity }) => number <= upTo)?.value
}
