// Warns about form templates that are valid but suspicious.
import { type Control, controlsOf, type FormTemplate } from '../../../forms/template.js'
import { type Fault, fault } from '../../../runtime/problems/problem.js'
import { pathsOf } from './control-paths.js'

/** Finds valid settings that are probably unintended. The template must have no faults. */
export const templateWarnings = (template: FormTemplate): Fault[] => [
  ...([...controlsOf(template).values()].some(({ control }) => control.couldHaveValue)
    ? []
    : [fault('/buildingBlocks', 'no-values', 'Nothing can be filled in.')]),
  ...pathsOf(template).flatMap(({ control, at }) => (control ? controlWarnings(control, at) : [])),
]

function controlWarnings({ options = [], calculate, image, imageDescription }: Control, at: string): Fault[] {
  const bands = calculate?.bands?.bands ?? []
  const last = bands.at(-1)?.upTo
  const labels = options.map(({ label }) => label.trim())
  return [
    ...(image !== undefined && imageDescription === undefined
      ? [fault(`${at}/imageDescription`, 'not-described', 'Describe the picture for people who cannot see it.')]
      : []),
    ...labels.flatMap((label, n) =>
      labels.indexOf(label) === n
        ? []
        : [fault(`${at}/options/${n}/label`, 'same-label', `Another option is called '${label}' too.`)],
    ),
    ...(last === undefined
      ? []
      : [
          fault(
            `${at}/calculate/bands/bands/${bands.length - 1}/upTo`,
            'open-end',
            `More than ${last} gives no value.`,
          ),
        ]),
  ]
}
