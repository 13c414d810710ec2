// The error summary of a page.
import { fieldName } from './posted.js'
import { controlsOf, type FormTemplate, type Repeat } from './template.js'
import type { FormFault } from './values.js'

/** A fault among all of a page: what it says, and where its field is. */
export interface SummaryLine {
  text: string
  /** Empty where there is no field for it. */
  href: string
}

/** Every fault with the name of what it is about, such as "Wound 2, Depth: It is required." */
export const summaryOf = (template: FormTemplate, faults: readonly Omit<FormFault, 'code'>[]): SummaryLine[] =>
  faults.map(({ id, path, detail }) => {
    const placed = id === undefined ? undefined : controlsOf(template).get(id)
    const repeats = placed?.repeats ?? repeatsAround(template, id)
    if (id === undefined || (!placed && repeats.length === 0)) return { text: detail, href: '' }
    const iterations = path.map((index, depth) => `${repeats[depth]?.label ?? ''} ${index + 1}`)
    const label = placed?.control.label
    // The faults of repeats name them already.
    const place = [...iterations, ...(label === undefined ? [] : [label])].join(', ')
    return { text: place === '' ? detail : `${place}: ${detail}`, href: `#${fieldName(id, path)}` }
  })

/** A repeat by its id, with those around it. */
function repeatsAround(template: FormTemplate, id: string | undefined): readonly Repeat[] {
  for (const { repeats } of controlsOf(template).values()) {
    const depth = repeats.findIndex(repeat => repeat.id === id)
    if (depth >= 0) return repeats.slice(0, depth + 1)
  }
  return []
}
