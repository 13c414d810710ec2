// Checks the values of a form against its template, for the API and the page alike.
import { type Checked, memberOf, textOf, type Wrong, wrong } from './checked.js'
import { calculated, holds, type Look } from './conditions.js'
import { checks } from './data-types.js'
import type { AnswerFaultCode } from './fault-codes.js'
import { iterationKey, readSubmitted, type SubmittedValues } from './submitted-values.js'
import { type Control, controlsOf, type FormTemplate, type Repeat, type Section } from './template.js'
import { type Content, type ControlValue, type FormFault, type FormValues, placedAt, type Selection } from './values.js'

export interface CheckOptions {
  /** True if everything required must be there. Drafts are checked with false. */
  complete: boolean
  /** The context of the form instance. Single-pass forms have none. */
  context?: Readonly<Record<string, string>>
}

/**
 * Checks all values of a form, drops those of irrelevant controls, and calculates those of calculated controls.
 * @returns the values of all relevant controls, and every fault.
 */
export function checkForm(
  template: FormTemplate,
  given: SubmittedValues,
  { complete, context = {} }: CheckOptions,
): { values: FormValues; faults: FormFault[] } {
  const { values: sent, iterations, faults } = readSubmitted(template, given)
  const sentAt = new Map([...sent].map(([id, all]) => [id, new Map(all.map(each => [keyOf(each.path), each]))]))
  /** The values checked so far, by control id and iteration key. Conditions and calculations read them. */
  const known = new Map<string, Map<string, Content>>()
  const values = new Map<string, ControlValue[]>()

  /**
   * Creates the function that conditions and calculations read other controls with.
   * @param keys of the iterations around the reader, the outermost first. The first is '', the key outside all repeats.
   */
  const lookFrom =
    (keys: readonly string[]): Look =>
    id =>
      known.get(id)?.get(keys[controlsOf(template).get(id)?.repeats.length ?? 0] ?? '')

  function checkPart({ controls, repeats }: Section | Repeat, path: readonly number[], keys: readonly string[]): void {
    const key = keys.at(-1) ?? ''
    const look = lookFrom(keys)
    for (const control of controls) {
      if (control.couldHaveValue && holds(control.relevant, look, context)) checkControl(control, path, key, look)
    }
    for (const repeat of repeats) {
      if (holds(repeat.relevant, look, context)) checkRepeat(repeat, path, keys)
    }
  }

  function checkRepeat(repeat: Repeat, path: readonly number[], keys: readonly string[]): void {
    const { id, label, minIterations, maxIterations } = repeat
    const count = iterations.get(iterationKey(id, path)) ?? 0
    const report = (code: AnswerFaultCode, detail: string) => faults.push({ pointer: `/${id}`, code, detail, id, path })
    if (complete && count < minIterations)
      report('too-few-iterations', `${label}: at least ${minIterations} needed, ${count} filled in.`)
    if (maxIterations !== null && count > maxIterations)
      report('too-many-iterations', `${label}: at most ${maxIterations} allowed, ${count} filled in.`)
    for (let n = 0; n < count; n++) {
      const inside = [...path, n]
      checkPart(repeat, inside, [...keys, keyOf(inside)])
    }
  }

  function checkControl(control: Control, path: readonly number[], key: string, look: Look): void {
    const { id, calculate, required } = control
    const { pointer = `/${id}`, value: entry } = sentAt.get(id)?.get(key) ?? {}
    const report = ({ code, detail }: Wrong) => faults.push({ pointer, code, detail, id, path })
    const value = calculate ? calculated(calculate, look) : enteredIn(entry)
    const checked = value === undefined ? undefined : checkValue(control, value, template.language)
    if (checked && 'code' in checked) report(checked)
    if (value === undefined && complete && required) report(missing(control))
    const content: Content = checked && 'content' in checked ? checked.content : { type: 'empty' }
    known.set(id, (known.get(id) ?? new Map()).set(key, content))
    const all = values.get(id) ?? []
    all.push(placedAt(path, content))
    values.set(id, all)
  }

  for (const { sections } of template.buildingBlocks) {
    for (const section of sections) if (holds(section.relevant, lookFrom(['']), context)) checkPart(section, [], [''])
  }
  // Unlike an assignment, Object.fromEntries turns even an id such as `__proto__` into an ordinary member.
  return { values: Object.fromEntries(values), faults }
}

const keyOf = (path: readonly number[]): string => path.join(' ')

const missing = ({ calculate }: Control): Wrong =>
  wrong(
    'required',
    calculate ? 'It is calculated from other answers, and not all of these are there.' : 'It is required.',
  )

/** Unwraps an entered value. Returns undefined if it is empty. */
function enteredIn(entry: unknown): unknown {
  if (memberOf(entry, 'type') === 'empty') return undefined
  const value = memberOf(entry, 'selections') ?? memberOf(entry, 'value') ?? entry
  const text = textOf(memberOf(value, 'originalText') ?? value)
  if (text !== undefined) return text.trim() === '' ? undefined : value
  const list = memberOf(value, 'annotations') ?? value
  if (Array.isArray(list)) return list.length === 0 ? undefined : value
  return isBare(value) ? undefined : value
}

/** True for null, undefined, and an object that says no more than which iteration it belongs to. */
const isBare = (value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  Object.keys(value).every(name => /^(type|repeatIteration(Index|Path)|value|selections)$/.test(name))

/** Checks a value that is not empty: against the options of the control if it has any, otherwise by its data type. */
export function checkValue(control: Control, value: unknown, language: string): Checked {
  if (!control.options) return checks[control.dataType](control, value, language)
  const selections: Selection[] = []
  for (const each of Array.isArray(value) ? value : [value]) {
    const chosen = optionOf(control, each, language)
    if ('code' in chosen) return chosen
    selections.push(chosen)
  }
  const [first] = selections
  if (!control.couldHaveMultipleValues) {
    if (!first || selections.length > 1) return wrong('single-selection', 'Only one of the options can be chosen.')
    return { content: { type: 'single-selection', ...first } }
  }
  if (new Set(selections.map(({ value }) => value)).size < selections.length)
    return wrong('duplicate-selection', 'An option is chosen twice.')
  const own = selections.filter(({ value }) => !control.options?.some(option => option.value === value))
  if (own.length > 1) return wrong('several-others', 'Besides the options there can be only one answer of your own.')
  return { content: { type: 'multiple-selection', selections } }
}

function optionOf(control: Control, given: unknown, language: string): Selection | Wrong {
  const { options = [], allowOther, dataType } = control
  const named = (text: string | undefined): Selection | undefined => {
    const option = options.find(({ value }) => value === text)
    return option && { value: option.value, displayName: option.label }
  }
  const text = textOf(memberOf(given, 'value') ?? given)
  const option = named(text)
  if (option) return option
  if (!allowOther || text === undefined || text.trim() === '') {
    const some = options.slice(0, 20).map(({ value }) => value)
    return wrong('unknown-option', `It is none of the options: ${some.join(', ')}${options.length > 20 ? ', …' : ''}.`)
  }
  const other = checks[dataType](control, text.trim(), language)
  if ('code' in other) return other
  const own = other.content.type === 'single-value' ? other.content.value : text
  return named(own) ?? { value: own, displayName: own }
}
