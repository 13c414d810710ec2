// Reads a form page's POST, and applies its buttons that change the page and send nothing.
import type { Context } from 'koa'
import { defaultMaxBytes } from '../../../forms/data-types.js'
import { controlIdOf, givenOf, withIteration, withoutIteration } from '../../../forms/posted.js'
import { pathIn, type SubmittedValues } from '../../../forms/submitted-values.js'
import { controlsOf, type FormTemplate } from '../../../forms/template.js'
import type { FormFault } from '../../../forms/values.js'
import { badRequest } from '../../../runtime/problems/problem.js'
import { formFields } from '../../middleware/form-fields.js'
import { initialOf } from './page-initial.js'

/** The POST of a form's page. */
export interface PostedForm {
  given: SubmittedValues
  /** The action of the button that was pressed. */
  action: string
  /** Returns the last field with a name, such as a hidden one; '' if there is none. */
  field(name: string): string
}

/** Reads the fields of a posted form. @throws Problem 400, 413 or 415 */
export async function readPosted(ctx: Context, template: FormTemplate): Promise<PostedForm> {
  const fields = await formFields(ctx, name => fileLimit(template, name))
  const field = (name: string) => fields.findLast(([given]) => given === name)?.[1] ?? ''
  const action = field('action')
  if (action.length > longestAction) throw badRequest('action', 'There is no such action.')
  return { given: givenOf(template, fields), action, field }
}

/** Longest action, in characters: it can contain the id of a repeat and the indices of iterations. */
const longestAction = 200

/** Returns the largest file that a field takes, in bytes; 0 if it takes none. */
function fileLimit(template: FormTemplate, field: string): number {
  const control = controlsOf(template).get(controlIdOf(field))?.control
  return control?.dataType === 'data-url' ? (control.maxBytes ?? defaultMaxBytes) : 0
}

/**
 * Applies a button that adds or removes an iteration or clears a choice. Returns the new values, or undefined for any other action.
 */
export function stepped(
  template: FormTemplate,
  { given, action }: PostedForm,
  context: Readonly<Record<string, string>> = {},
): SubmittedValues | undefined {
  const [, step, id = '', at = ''] = /^(add|remove|clear):([^:]+):([\d.]*)$/.exec(action) ?? []
  if (!step) return undefined
  const path = at === '' ? [] : at.split('.').map(Number)
  if (step === 'clear') return withoutValue(given, id, path)
  return step === 'add'
    ? withIteration(template, given, id, path, control => initialOf(control, context))
    : withoutIteration(template, given, id, path)
}

/** Empties a control in one iteration. */
function withoutValue(given: SubmittedValues, id: string, path: readonly number[]): SubmittedValues {
  if (!Object.hasOwn(given, id)) return given
  const list = given[id]
  const isHere = (entry: unknown) => pathIn(entry, path.length)?.join() === path.join()
  const left =
    path.length > 0 && Array.isArray(list)
      ? list.map(entry => (isHere(entry) ? { ...Object(entry), value: null } : entry))
      : ''
  return { ...given, [id]: left }
}

/** Removes refused files from the values, so that the page does not send them back. */
export function withoutBadFiles(
  template: FormTemplate,
  given: SubmittedValues,
  faults: readonly FormFault[],
): SubmittedValues {
  return faults
    .filter(({ id = '' }) => controlsOf(template).get(id)?.control.dataType === 'data-url')
    .reduce((left, { id = '', path }) => withoutValue(left, id, path), given)
}
