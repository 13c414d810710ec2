// Describes conditions in words.
import { type Condition, controlsOf, type FormTemplate } from '../../../forms/template.js'

/** True if a condition depends on an answer, and not only on the context. */
export const asksControls = ({ control, all = [], any = [], not }: Condition): boolean =>
  control !== undefined || [...all, ...any, ...(not ? [not] : [])].some(asksControls)

/** Describes a condition for users without scripts, who see all controls. Returns '' if no answer decides it. */
export function conditionText(template: FormTemplate, condition: Condition): string {
  const { control: id, all = [], any = [], not } = condition
  const parts = [
    id === undefined ? '' : ofControl(template, id, condition),
    joined(template, all, ' and '),
    joined(template, any, ' or '),
    not && asksControls(not) ? `not (${conditionText(template, not)})` : '',
  ]
  return parts.filter(part => part !== '').join(' and ')
}

const joined = (template: FormTemplate, conditions: readonly Condition[], word: string): string => {
  const parts = conditions.filter(asksControls).map(each => conditionText(template, each))
  return parts.length > 1 && word === ' or ' ? `(${parts.join(word)})` : parts.join(word)
}

function ofControl(template: FormTemplate, id: string, condition: Condition): string {
  const control = controlsOf(template).get(id)?.control
  const { equals, in: among, answered, atLeast, atMost } = condition
  const shown = (value: string) => {
    if (control?.dataType === 'boolean' && !control.options) return value === 'true' ? 'Yes' : 'No'
    return control?.options?.find(option => option.value === value)?.label ?? value
  }
  const asked = [
    equals === undefined ? '' : `is “${shown(equals)}”`,
    among === undefined ? '' : `is ${among.map(value => `“${shown(value)}”`).join(' or ')}`,
    answered === undefined ? '' : answered ? 'is answered' : 'is not answered',
    atLeast === undefined ? '' : `is at least ${atLeast}`,
    atMost === undefined ? '' : `is at most ${atMost}`,
  ].filter(part => part !== '')
  return `“${control?.label ?? id}” ${asked.join(' and ')}`
}
