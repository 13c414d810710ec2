// Writes the error summary of a page.
import { fieldName } from './posted.js'
import { controlsOf, type FormTemplate, type Repeat } from './template.js'
import type { FormFault } from './values.js'

/** One fault in the error summary of a page, with a link to its field. */
export interface SummaryLine {
  text: string
  /** Fragment of the field, such as `#depth[0]`. Empty if no field belongs to the fault. */
  href: string
}

/** Prefixes each fault with the name of its control, such as "Wound 2, Depth: It is required." */
export const summaryOf = (template: FormTemplate, faults: readonly Omit<FormFault, 'code'>[]): SummaryLine[] =>
  faults.map(({ id, path, detail }) => {
    const placed = id === undefined ? undefined : controlsOf(template).get(id)
    const repeats = placed?.repeats ?? repeatsAround(template, id)
    if (id === undefined || (!placed && repeats.length === 0)) return { text: detail, href: '' }
    const iterations = path.map((index, depth) => `${repeats[depth]?.label ?? ''} ${index + 1}`)
    const label = placed?.control.label
    // The detail of a repeat's fault already begins with its label.
    const place = [...iterations, ...(label === undefined ? [] : [label])].join(', ')
    return { text: place === '' ? detail : `${place}: ${detail}`, href: `#${fieldName(id, path)}` }
  })

/**
 * Finds a repeat by its id. Returns the repeats around it and itself, the outermost first; none if there is no such
 * repeat.
 */
function repeatsAround(template: FormTemplate, id: string | undefined): readonly Repeat[] {
  for (const { repeats } of controlsOf(template).values()) {
    const depth = repeats.findIndex(repeat => repeat.id === id)
    if (depth >= 0) return repeats.slice(0, depth + 1)
  }
  return []
}
