// Builds the view model of a form page with input fields.
import { groupedBy } from '../../../db/rows.js'
import { checkForm } from '../../../forms/check.js'
import { holds, type Look } from '../../../forms/conditions.js'
import { fieldName, markerName } from '../../../forms/posted.js'
import { iterationKey, iterationsOf, readSubmitted, type SubmittedValues } from '../../../forms/submitted-values.js'
import {
  type Condition,
  type Control,
  controlsOf,
  type FormTemplate,
  type Repeat,
  type Section,
} from '../../../forms/template.js'
import { type FormFault, pathOf } from '../../../forms/values.js'
import { asksControls, conditionText } from './page-conditions.js'
import { type FieldView, fieldOf } from './page-control.js'
import { initialOf } from './page-initial.js'

/**
 * The iterations around an element, the outermost first. A blank iteration has a token such as `{wounds}` for scripts
 * to replace.
 */
type Path = readonly (number | string)[]

interface Shown {
  isIrrelevant: boolean
  /** True if it is irrelevant because of the context, so that no answer can make it relevant. */
  isHidden: boolean
  /** The condition in words, or '' if there is none that depends on answers. */
  onlyIf: string
  errors: string[]
}

export interface ControlView extends Shown, FieldView {
  id: string
  /** Iteration indices joined with dots. */
  path: string
  label: string
  hint: string
  required: boolean
  describedBy: string
  /** The URL that clearing a choice without scripts posts to. It leads back to this control. */
  address: string
}

export interface PartView extends Shown {
  hint: string
  controls: ControlView[]
  repeats: RepeatView[]
}

export interface RepeatView extends Shown {
  id: string
  name: string
  path: string
  label: string
  hint: string
  /** The URL that adding and removing iterations without scripts posts to. It leads back to this repeat. */
  address: string
  iterations: IterationView[]
  /** A blank iteration for scripts to copy. */
  blank: IterationView
}

export interface IterationView {
  index: number | string
  n: number
  path: string
  marker: string
  controls: ControlView[]
  repeats: RepeatView[]
}

export interface SectionView extends PartView {
  id: string
  title: string
  /** HTML element of the title. */
  heading: 'h2' | 'h3'
}

export interface BlockView {
  title: string
  sections: SectionView[]
}

export interface FormInput {
  template: FormTemplate
  given: SubmittedValues
  context: Readonly<Record<string, string>>
  faults: readonly FormFault[]
  /** URL of the POST. */
  action: string
}

/** Builds the view of a page with input fields, in the order of the form. */
export function fillView({ template, given, context, faults, action }: FormInput): BlockView[] {
  const { values: sent } = readSubmitted(template, given)
  const counts = iterationsOf(template, sent)
  const { values } = checkForm(template, given, { complete: false, context })
  const sentAt = new Map(
    [...sent].flatMap(([id, all]) => all.map(each => [fieldName(id, each.path), each.value] as const)),
  )
  const known = new Map(
    Object.entries(values).flatMap(([id, all]) => all.map(each => [fieldName(id, pathOf(each)), each] as const)),
  )
  const wrong = groupedBy(faults, ({ id, path }) => (id === undefined ? '' : fieldName(id, path)))

  const lookFrom =
    (path: Path): Look =>
    id =>
      known.get(fieldName(id, path.slice(0, controlsOf(template).get(id)?.repeats.length)))

  function shown(relevant: Condition | undefined, path: Path, name: string): Shown {
    const isIrrelevant = !holds(relevant, lookFrom(path), context)
    const isAsking = relevant !== undefined && asksControls(relevant)
    return {
      isIrrelevant,
      isHidden: isIrrelevant && !isAsking,
      onlyIf: isAsking ? conditionText(template, relevant) : '',
      errors: (wrong.get(name) ?? []).map(({ detail }) => detail),
    }
  }

  function controlView(control: Control, path: Path): ControlView {
    const name = fieldName(control.id, path)
    const isBlank = path.some(index => typeof index === 'string')
    const calculated = control.calculate ? known.get(name) : undefined
    const value = calculated ?? (isBlank ? initialOf(control, context) : sentAt.get(name))
    return {
      ...fieldOf(control, path, value, template.language),
      ...shown(control.relevant, path, name),
      id: control.id,
      path: path.join('.'),
      label: control.label,
      hint: control.hint ?? '',
      required: control.required,
      address: `${action}#${name}`,
      describedBy: [control.hint && 'hint', control.unit && 'unit', 'error']
        .flatMap(what => (what ? `${name}:${what}` : []))
        .join(' '),
    }
  }

  const inside = ({ controls, repeats }: Section | Repeat, path: Path) => ({
    controls: controls.map(control => controlView(control, path)),
    repeats: repeats.map(repeat => repeatView(repeat, path)),
  })

  function repeatView(repeat: Repeat, path: Path): RepeatView {
    const iteration = (index: number | string): IterationView => ({
      index,
      n: typeof index === 'number' ? index + 1 : 1,
      path: [...path, index].join('.'),
      marker: markerName(repeat.id, [...path, index]),
      ...inside(repeat, [...path, index]),
    })
    const isBlank = path.some(index => typeof index === 'string')
    const numbers = path.filter(index => typeof index === 'number')
    const count = isBlank ? repeat.minIterations : (counts.get(iterationKey(repeat.id, numbers)) ?? 0)
    const name = fieldName(repeat.id, path)
    return {
      ...shown(repeat.relevant, path, name),
      id: repeat.id,
      name,
      path: path.join('.'),
      label: repeat.label,
      hint: repeat.hint ?? '',
      address: `${action}#${name}`,
      iterations: Array.from({ length: count }, (_, index) => iteration(index)),
      blank: iteration(`{${repeat.id}}`),
    }
  }

  return template.buildingBlocks.map(({ title = '', sections }) => ({
    title,
    sections: sections.map(section => ({
      id: section.id,
      title: section.title ?? '',
      heading: title === '' ? 'h2' : 'h3',
      hint: section.hint ?? '',
      ...shown(section.relevant, [], ''),
      ...inside(section, []),
    })),
  }))
}
