// Estimates the size of a form's page before it is rendered.
import { iterationsOf, readSubmitted, type SubmittedValues } from '../../../forms/submitted-values.js'
import { type Control, controlsOf, type FormTemplate } from '../../../forms/template.js'

/** Size of a control; an option has size 1. Rendering an option takes about 10 µs to 50 µs, and a control ten times that. */
const ofControl = 10
const sizeOf = ({ options = [] }: Control): number => ofControl + options.length

/** Largest page that is rendered: about 30 MB of HTML, which take some seconds of processor time. */
export const largestPage = 250_000

/** Estimates the page of a new form, including the blank iterations that scripts copy. */
export const initialSize = (template: FormTemplate): number =>
  [...controlsOf(template).values()].reduce(
    (size, { control, repeats }) =>
      size + repeats.reduce((all, { minIterations }) => all * (minIterations + 1), sizeOf(control)),
    0,
  )

/** Estimates the page of a form with these values. A read-only page has no options and no blank iterations. */
export function pageSize(template: FormTemplate, given: SubmittedValues, mode: 'fill' | 'read'): number {
  const controls = [...controlsOf(template).values()]
  const drawn = mode === 'fill' ? sizeOf : () => ofControl
  const around = mode === 'fill' ? initialSize(template) : controls.length * ofControl
  if (controls.every(({ repeats }) => repeats.length === 0)) return around
  const counts = new Map<string, number>()
  for (const [key, count] of iterationsOf(template, readSubmitted(template, given).values)) {
    const [repeatId = ''] = key.split(' ', 1)
    counts.set(repeatId, (counts.get(repeatId) ?? 0) + count)
  }
  return controls.reduce(
    (size, { control, repeats }) => size + drawn(control) * (counts.get(repeats.at(-1)?.id ?? '') ?? 0),
    around,
  )
}
