// Checks the values of a form against its template, for the API and the page alike.
import { type Checked, memberOf, textOf, type Wrong, wrong } from './checked.js'
import { calculated, holds, type Look } from './conditions.js'
import { checks } from './data-types.js'
import type { AnswerFaultCode } from './fault-codes.js'
import { type Given, iterationKey, readGiven } from './given.js'
import { type Control, controlsOf, type FormTemplate, type Repeat, type Section } from './template.js'
import { type Content, type ControlValue, type FormFault, type FormValues, placedAt, type Selection } from './values.js'

export interface CheckOptions {
  /** Whether everything required must be there: not of a draft. */
  complete: boolean
  /** Of the instance; a single-pass form has none. */
  context?: Readonly<Record<string, string>>
}

/**
 * Checks all values of a form, for the API and the page alike. Values of irrelevant controls are left out, calculated
 * ones are calculated here.
 * @returns the values of all relevant controls, and every fault.
 */
export function checkForm(
  template: FormTemplate,
  given: Given,
  { complete, context = {} }: CheckOptions,
): { values: FormValues; faults: FormFault[] } {
  const { values: sent, iterations, faults } = readGiven(template, given)
  const sentAt = new Map([...sent].map(([id, all]) => [id, new Map(all.map(each => [keyOf(each.path), each]))]))
  /** The values so far, by control and iterations: conditions and calculations read earlier controls. */
  const known = new Map<string, Map<string, Content>>()
  const values = new Map<string, ControlValue[]>()

  /** @param keys of the iterations around where it looks from, '' for none first. */
  const lookFrom =
    (keys: readonly string[]): Look =>
    id =>
      known.get(id)?.get(keys[controlsOf(template).get(id)?.repeats.length ?? 0] ?? '')

  function part({ controls, repeats }: Section | Repeat, path: readonly number[], keys: readonly string[]): void {
    const key = keys.at(-1) ?? ''
    const look = lookFrom(keys)
    for (const control of controls) {
      if (control.couldHaveValue && holds(control.relevant, look, context)) one(control, path, key, look)
    }
    for (const repeat of repeats) {
      if (holds(repeat.relevant, look, context)) repeated(repeat, path, keys)
    }
  }

  function repeated(repeat: Repeat, path: readonly number[], keys: readonly string[]): void {
    const { id, label, minIterations, maxIterations } = repeat
    const count = iterations.get(iterationKey(id, path)) ?? 0
    const report = (code: AnswerFaultCode, detail: string) => faults.push({ pointer: `/${id}`, code, detail, id, path })
    if (complete && count < minIterations)
      report('too-few-iterations', `${label}: at least ${minIterations} needed, ${count} filled in.`)
    if (maxIterations !== null && count > maxIterations)
      report('too-many-iterations', `${label}: at most ${maxIterations} allowed, ${count} filled in.`)
    for (let n = 0; n < count; n++) {
      const inside = [...path, n]
      part(repeat, inside, [...keys, keyOf(inside)])
    }
  }

  function one(control: Control, path: readonly number[], key: string, look: Look): void {
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
    for (const section of sections) if (holds(section.relevant, lookFrom(['']), context)) part(section, [], [''])
  }
  // Also of ids such as `__proto__` it makes members like all others.
  return { values: Object.fromEntries(values), faults }
}

const keyOf = (path: readonly number[]): string => path.join(' ')

const missing = ({ calculate }: Control): Wrong =>
  wrong(
    'required',
    calculate ? 'It is calculated from other answers, and not all of these are there.' : 'It is required.',
  )

/** The entered value without its wrapper; undefined where it is empty. */
function enteredIn(entry: unknown): unknown {
  if (memberOf(entry, 'type') === 'empty') return undefined
  const value = memberOf(entry, 'selections') ?? memberOf(entry, 'value') ?? entry
  const text = textOf(memberOf(value, 'originalText') ?? value)
  if (text !== undefined) return text.trim() === '' ? undefined : value
  const list = memberOf(value, 'annotations') ?? value
  if (Array.isArray(list)) return list.length === 0 ? undefined : value
  return isBare(value) ? undefined : value
}

/** Nothing, or what says no more than which iteration it is of. */
const isBare = (value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  Object.keys(value).every(name => /^(type|repeatIteration(Index|Path)|value|selections)$/.test(name))

/** Checks a value that is there: of a control with options what was chosen, else by its data type. */
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
