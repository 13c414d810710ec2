// Builds the view model of a read-only form page.
import { imageWithPins } from '../../../forms/annotated-image.js'
import { checkForm } from '../../../forms/check.js'
import { type Control, controlsOf, type Repeat, type Section } from '../../../forms/template.js'
import type { Content, FormValues } from '../../../forms/values.js'
import { pathOf } from '../../../forms/values.js'
import { type Kept, keptFile, paragraphsOf } from './page-control.js'
import { shownDate, shownDateTime, shownPartialDate, shownTime } from './page-dates.js'
import type { FormInput } from './page-view.js'

/** A value as it is displayed. */
interface Shown {
  isEmpty: boolean
  texts: string[]
  /** A web address; '' for values that are not one. */
  link: string
  picture: { source: string; description: string } | null
  /** The texts of the pins, ordered by their number. */
  pins: string[]
  file: Kept | null
}

export interface AnswerView extends Shown {
  id: string
  path: string
  label: string
}

/** A section, or one iteration of a repeat. */
export interface AnswersView {
  id: string
  title: string
  heading: 'h2' | 'h3'
  label: string
  n: number
  index: number
  answers: AnswerView[]
  iterations: AnswersView[]
}

export interface AnswerBlockView {
  title: string
  sections: AnswersView[]
}

/** Builds the view of a read-only page: all relevant answers, in the order of the form. */
export function answerView({ template, given, context }: Omit<FormInput, 'faults' | 'action'>): AnswerBlockView[] {
  const { values } = checkForm(template, given, { complete: false, context })
  const known = new Map<string, Content>(
    Object.entries(values).flatMap(([id, all]) => all.map(each => [`${id} ${pathOf(each).join(' ')}`, each] as const)),
  )

  function answersOf(within: Section | Repeat, path: readonly number[]): AnswerView[] {
    return within.controls.flatMap(control => {
      const value = known.get(`${control.id} ${path.join(' ')}`)
      if (!value) return []
      const shown = shownValue(control, value, template.language)
      return [{ id: control.id, path: path.join('.'), label: control.label, ...shown }]
    })
  }

  function iterationsOf(repeat: Repeat, around: readonly number[]): AnswersView[] {
    const count = countOf(values, repeat, around)
    return Array.from({ length: count }, (_, index) => ({
      ...partOf(repeat, [...around, index]),
      label: repeat.label,
      n: index + 1,
      index,
    }))
  }

  const partOf = (within: Section | Repeat, path: readonly number[]): AnswersView => ({
    id: within.id,
    title: 'title' in within ? (within.title ?? '') : '',
    heading: 'h2',
    label: '',
    n: 0,
    index: 0,
    answers: answersOf(within, path),
    iterations: within.repeats.flatMap(repeat => iterationsOf(repeat, path)),
  })

  /** Counts the iterations of a repeat up to the last one that has a relevant control. */
  const countOf = (values: FormValues, repeat: Repeat, around: readonly number[]): number => {
    const inside = [...controlsOf(template).values()].filter(({ repeats }) => repeats.includes(repeat))
    const paths = inside.flatMap(({ control }) => (values[control.id] ?? []).map(pathOf))
    const here = paths.filter(path => around.every((index, n) => path[n] === index))
    return Math.max(0, ...here.map(path => (path[around.length] ?? 0) + 1))
  }

  return template.buildingBlocks.flatMap(({ title = '', sections }) => {
    const heading = title === '' ? 'h2' : 'h3'
    const shown = sections
      .map(section => ({ ...partOf(section, []), heading }) satisfies AnswersView)
      .filter(({ answers, iterations }) => answers.length + iterations.length > 0)
    return shown.length === 0 ? [] : [{ title, sections: shown }]
  })
}

const nothing: Shown = { isEmpty: false, texts: [], link: '', picture: null, pins: [], file: null }

function shownValue(control: Control, value: Content, language: string): Shown {
  const texts = (...all: string[]): Shown => ({ ...nothing, texts: all })
  switch (value.type) {
    case 'empty':
      return { ...nothing, isEmpty: true }
    case 'single-value':
      return shownText(control, value.value, language)
    case 'single-selection':
      return texts(value.displayName)
    case 'multiple-selection':
      return texts(...value.selections.map(({ displayName }) => displayName))
    case 'partial-date':
      return texts(shownPartialDate(value.dateKind, value.date, language))
    case 'geolocation':
      return texts(`Latitude ${value.latitude}, longitude ${value.longitude}`)
    case 'annotated-image': {
      const source = imageWithPins(control, value.annotations)
      const pins = value.annotations.map(({ value }) => (value === '' ? 'No text' : value))
      return { ...nothing, picture: { source, description: control.imageDescription ?? control.label }, pins }
    }
    case 'translatable-text-value':
      return texts(
        ...paragraphsOf(value.originalText),
        ...(value.translatedText === null ? [] : [`${value.translatedText} (translated)`]),
      )
  }
}

function shownText(control: Control, text: string, language: string): Shown {
  switch (control.dataType) {
    case 'boolean':
      return { ...nothing, texts: [text === 'true' ? 'Yes' : 'No'] }
    case 'date':
      return { ...nothing, texts: [shownDate(text, language)] }
    case 'time':
      return { ...nothing, texts: [shownTime(text)] }
    case 'datetime':
      return { ...nothing, texts: [shownDateTime(text, language)] }
    case 'integer':
    case 'decimal':
      return { ...nothing, texts: [control.unit === undefined ? text : `${text} ${control.unit}`] }
    case 'url':
      return { ...nothing, link: text }
    case 'data-url':
      return { ...nothing, file: keptFile(text) }
    default:
      return { ...nothing, texts: paragraphsOf(text) }
  }
}
