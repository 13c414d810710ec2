// Hides the parts of a form that are not relevant for the values entered so far.
import { holds, type Look } from '../forms/conditions.js'
import { controlsOf, type FormTemplate, type Repeat, type Section } from '../forms/template.js'
import { type FormValues, pathOf } from '../forms/values.js'
import { pathTo } from './iterations.js'
import type { Judged, Page } from './page.js'

/** Marks the parts that are not relevant, for the style sheet to hide. What was entered there is not deleted. */
export function showRelevance({ root, template, context }: Page, { values }: Judged): void {
  const mark = (element: HTMLElement, { relevant }: Pick<Section, 'relevant'>) => {
    if (relevant)
      element.toggleAttribute('data-irrelevant', !holds(relevant, lookFrom(template, values, pathTo(element)), context))
  }
  const sections = template.buildingBlocks.flatMap(block => block.sections)
  // Sections are matched by their order, because two blocks may have sections with the same id.
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

/** Returns all repeats of a section, nested ones included. */
export const repeatsIn = ({ repeats }: Pick<Section, 'repeats'>): Repeat[] =>
  repeats.flatMap(repeat => [repeat, ...repeatsIn(repeat)])

/** Creates the function that a condition in these iterations reads values with. Irrelevant controls have no value. */
const lookFrom =
  (template: FormTemplate, values: FormValues, path: readonly number[]): Look =>
  id => {
    const around = path.slice(0, controlsOf(template).get(id)?.repeats.length).join()
    return values[id]?.find(value => pathOf(value).join() === around)
  }
