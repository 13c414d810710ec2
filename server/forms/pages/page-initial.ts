// Determines the initial values of a new form.
import type { SubmittedValues } from '../../../forms/submitted-values.js'
import { type Control, controlsOf, type FormTemplate, type Repeat } from '../../../forms/template.js'

/** Returns the initial value of a control, from the context or else the template. Undefined if it has none. */
export const initialOf = ({ initial }: Control, context: Readonly<Record<string, string>>): string | undefined =>
  initial?.context !== undefined && Object.hasOwn(context, initial.context) ? context[initial.context] : initial?.value

/** Returns the values of a new form: the initial values, in the minimum number of iterations of each repeat. */
export function initialGiven(template: FormTemplate, context: Readonly<Record<string, string>> = {}): SubmittedValues {
  const all = [...controlsOf(template).values()].flatMap(({ control, repeats }): [string, unknown][] => {
    const value = initialOf(control, context)
    if (repeats.length === 0) return value === undefined ? [] : [[control.id, value]]
    const entries = pathsOf(repeats).map(path =>
      path.length === 1
        ? { repeatIterationIndex: path[0], value: value ?? null }
        : { repeatIterationPath: path, value: value ?? null },
    )
    return entries.length === 0 ? [] : [[control.id, entries]]
  })
  return Object.fromEntries(all)
}

const pathsOf = (repeats: readonly Repeat[]): number[][] =>
  repeats.reduce<number[][]>(
    (paths, { minIterations }) => paths.flatMap(path => Array.from({ length: minIterations }, (_, n) => [...path, n])),
    [[]],
  )
