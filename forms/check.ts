import { calculated, holds, type Look } from './conditions.js'
import { type Checked, checks, memberOf, textOf } from './data-types.js'
import { type Given, type GivenValue, iterationKey, iterationsOf, readGiven } from './given.js'
import { type Control, controlsOf, type FormTemplate, type Repeat, type Section } from './template.js'
import { type Content, type FormFault, type FormValues, placedAt, type Selection } from './values.js'

export interface CheckOptions {
  /** Whether everything required must be there: not of a draft. */
  complete: boolean
  /** Of the instance; a single-pass form has none. */
  context?: Readonly<Record<string, string>>
}

/**
 * Checks all that was filled in, for the API and the page alike. What is not relevant is left out, whatever was sent for it;
 * what is calculated is calculated here.
 * @returns the values of all relevant controls, and every fault.
 */
export function checkForm(
  template: FormTemplate,
  given: Given,
  { complete, context = {} }: CheckOptions,
): { values: FormValues; faults: FormFault[] } {
  const { values: sent, faults } = readGiven(template, given)
  const iterations = iterationsOf(template, sent)
  const values: FormValues = {}
  /** What was sent and what is known so far, by control and iterations. */
  const given_ = new Map([...sent].flatMap(([id, all]) => all.map(each => [keyOf(id, each.path), each] as const)))
  const known = new Map<string, Content>()

  const lookFrom =
    (path: readonly number[]): Look =>
    id =>
      known.get(keyOf(id, path.slice(0, controlsOf(template).get(id)?.repeats.length)))

  function part(within: Section | Repeat, path: readonly number[]): void {
    if (!holds(within.relevant, lookFrom(path), context)) return
    for (const control of within.controls) {
      if (control.couldHaveValue && holds(control.relevant, lookFrom(path), context)) one(control, path)
    }
    for (const repeat of within.repeats) repeated(repeat, path)
  }

  function repeated(repeat: Repeat, path: readonly number[]): void {
    if (!holds(repeat.relevant, lookFrom(path), context)) return
    const count = iterations.get(iterationKey(repeat.id, path)) ?? 0
    const report = (code: string, detail: string) => faults.push({ pointer: '', code, detail, id: repeat.id, path })
    if (complete && count < repeat.minIterations)
      report('too-few-iterations', `${repeat.label}: there are ${count}; at least ${repeat.minIterations} are needed.`)
    if (repeat.maxIterations !== null && count > repeat.maxIterations)
      report('too-many-iterations', `${repeat.label}: there are ${count}; at most ${repeat.maxIterations} are allowed.`)
    for (let n = 0; n < count; n++) {
      // Its own condition was looked at from outside.
      part({ ...repeat, relevant: undefined }, [...path, n])
    }
  }

  function one(control: Control, path: readonly number[]): void {
    const sentHere = given_.get(keyOf(control.id, path))
    const report = (code: string, detail: string) =>
      faults.push({ pointer: sentHere?.pointer ?? `/${control.id}`, code, detail, id: control.id, path })
    const value = control.calculate ? calculated(control.calculate, lookFrom(path)) : enteredOf(sentHere)
    const checked = value === undefined ? undefined : checkValue(control, value, template.language)
    if (checked && !('content' in checked)) report(checked.code, checked.detail)
    const content: Content = checked && 'content' in checked ? checked.content : { type: 'empty' }
    if (value === undefined && complete && control.required) report('required', 'It is required.')
    known.set(keyOf(control.id, path), content)
    values[control.id] ??= []
    values[control.id]?.push(placedAt(path, content))
  }

  for (const { sections } of template.buildingBlocks) for (const section of sections) part(section, [])
  return { values, faults: faults.map(fault => ({ ...fault, pointer: fault.pointer || `/${fault.id ?? ''}` })) }
}

const keyOf = (id: string, path: readonly number[]): string => `${id} ${path.join(' ')}`

/** What was entered, without what it is wrapped in; undefined where that is nothing. */
function enteredOf(sent: GivenValue | undefined): unknown {
  const given = sent?.value
  if (memberOf(given, 'type') === 'empty') return undefined
  const value = memberOf(given, 'selections') ?? memberOf(given, 'value') ?? given
  if (value === null || value === undefined || value === '') return undefined
  if (Array.isArray(value)) return value.length === 0 ? undefined : value
  // An entry that says nothing but which iteration it is of.
  const isBare =
    typeof value === 'object' &&
    Object.keys(value).every(name => /^(type|repeatIteration(Index|Path)|value|selections)$/.test(name))
  const isNoPin =
    Array.isArray(memberOf(value, 'annotations')) && (memberOf(value, 'annotations') as unknown[]).length === 0
  return (isBare && textOf(value) === undefined) || isNoPin ? undefined : value
}

/** Checks a value that is there: of a control with options what was chosen, else by its data type. */
export function checkValue(control: Control, value: unknown, language: string): Checked {
  const { options } = control
  if (!options) return checks[control.dataType](control, value, language)
  const chosen = [value].flat().map(each => optionOf(control, each, language))
  const wrong = chosen.find(each => 'code' in each)
  if (wrong && 'code' in wrong) return wrong
  const selections = chosen.filter(each => 'value' in each)
  if (!control.couldHaveMultipleValues) {
    const [first, second] = selections
    if (!first || second) return { code: 'single-selection', detail: 'Only one of the options can be chosen.' }
    return { content: { type: 'single-selection', ...first } }
  }
  if (new Set(selections.map(({ value }) => value)).size < selections.length) {
    return { code: 'duplicate-selection', detail: 'An option is chosen twice.' }
  }
  return { content: { type: 'multiple-selection', selections } }
}

function optionOf(control: Control, given: unknown, language: string): Selection | { code: string; detail: string } {
  const value = textOf(memberOf(given, 'value') ?? given)
  const option = control.options?.find(each => each.value === value)
  if (option) return { value: option.value, displayName: option.label }
  if (!control.allowOther || value === undefined || value.trim() === '') {
    return { code: 'unknown-option', detail: 'It is none of the options.' }
  }
  const other = checks[control.dataType](control, value, language)
  if (!('content' in other)) return other
  const text = other.content.type === 'single-value' ? other.content.value : value
  return { value: text, displayName: text }
}
