// Estimates the size of a form's page before it is rendered.
import { type Given, iterationsOf, readGiven } from '../../../forms/given.js'
import { type Control, controlsOf, type FormTemplate } from '../../../forms/template.js'

/** A page draws an option in some 10 µs to 50 µs and a control in ten times that. */
const ofControl = 10
const sizeOf = ({ options = [] }: Control): number => ofControl + options.length

/** Largest page: some 30 MB of HTML, for which a processor works for some seconds. */
export const largestPage = 250_000

/** Size of the page of a form that is opened for the first time, with the blank iterations that scripts copy. */
export const initialSize = (template: FormTemplate): number =>
  [...controlsOf(template).values()].reduce(
    (size, { control, repeats }) =>
      size + repeats.reduce((all, { minIterations }) => all * (minIterations + 1), sizeOf(control)),
    0,
  )

/** Size of the page of a form that holds these values. A page to read shows no options, and nothing that is not filled in. */
export function pageSize(template: FormTemplate, given: Given, mode: 'fill' | 'read'): number {
  const controls = [...controlsOf(template).values()]
  const drawn = mode === 'fill' ? sizeOf : () => ofControl
  const around = mode === 'fill' ? initialSize(template) : controls.length * ofControl
  if (controls.every(({ repeats }) => repeats.length === 0)) return around
  const counts = new Map<string, number>()
  for (const [key, count] of iterationsOf(template, readGiven(template, given).values)) {
    const [repeatId = ''] = key.split(' ', 1)
    counts.set(repeatId, (counts.get(repeatId) ?? 0) + count)
  }
  return controls.reduce(
    (size, { control, repeats }) => size + drawn(control) * (counts.get(repeats.at(-1)?.id ?? '') ?? 0),
    around,
  )
}
