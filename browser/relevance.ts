// Hides the parts of a form that are not relevant for the values entered so far.
import { holds, type Look } from '../forms/conditions.js'
import { controlsOf, type FormTemplate, type Repeat, type Section } from '../forms/template.js'
import { type FormValues, pathOf } from '../forms/values.js'
import { pathTo } from './iterations.js'
import type { Judged, Page } from './page.js'

/** Marks what is not relevant with what is filled in; the style sheet hides it, and what was entered there stays. */
export function showRelevance({ root, template, context }: Page, { values }: Judged): void {
  const mark = (element: HTMLElement, { relevant }: Pick<Section, 'relevant'>) => {
    if (relevant)
      element.toggleAttribute('data-irrelevant', !holds(relevant, lookFrom(template, values, pathTo(element)), context))
  }
  const sections = template.buildingBlocks.flatMap(block => block.sections)
  // Two blocks may have sections of the same id; their order is that of the template.
  root.querySelectorAll<HTMLElement>('[data-section]').forEach((element, n) => {
    const section = sections[n]
    if (section) mark(element, section)
  })
  const repeats = new Map(sections.flatMap(repeatsIn).map(repeat => [repeat.id, repeat]))
  for (const element of root.querySelectorAll<HTMLElement>('[data-repeat], [data-control]')) {
    const { repeat = '', control = '' } = element.dataset
    const part = repeats.get(repeat) ?? controlsOf(template).get(control)?.control
    if (part) mark(element, part)
  }
}

/** Every repeat of a section, nested ones too. */
export const repeatsIn = ({ repeats }: Pick<Section, 'repeats'>): Repeat[] =>
  repeats.flatMap(repeat => [repeat, ...repeatsIn(repeat)])

/** The values that a condition can read from these iterations. A control that is not relevant has no value. */
const lookFrom =
  (template: FormTemplate, values: FormValues, path: readonly number[]): Look =>
  id => {
    const around = path.slice(0, controlsOf(template).get(id)?.repeats.length).join()
    return values[id]?.find(value => pathOf(value).join() === around)
  }
