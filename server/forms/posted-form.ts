import type { Context } from 'koa'
import { defaultMaxBytes } from '../../forms/data-types.js'
import { type Given, pathIn } from '../../forms/given.js'
import { givenOf, withIteration, withoutIteration } from '../../forms/posted.js'
import { controlsOf, type FormTemplate } from '../../forms/template.js'
import type { FormFault } from '../../forms/values.js'
import { Problem } from '../../runtime/problem.js'
import { formFields } from '../middleware/form-fields.js'
import { initialOf } from './page-initial.js'

/** What the page of a form posts. */
export interface PostedForm {
  given: Given
  /** Of the button that was pressed. */
  action: string
  /** The last field of a name, such as a hidden one; '' where there is none. */
  field(name: string): string
}

/** Most fields of a page. To show one of a thousand again takes the process some 200 ms, in which it does nothing else. */
const maxFields = 3_000

/** Reads the page of a form. @throws Problem 400, 413, 415 */
export async function readPosted(ctx: Context, template: FormTemplate): Promise<PostedForm> {
  const fields = await formFields(ctx, { maxFileBytes: name => fileLimit(template, name) })
  if (fields.length > maxFields) {
    const detail = `The page has ${fields.length} fields; at most ${maxFields} are taken.`
    throw new Problem(413, 'too-many-fields', 'The form is too large', detail)
  }
  const field = (name: string) => fields.findLast(([given]) => given === name)?.[1] ?? ''
  return { given: givenOf(template, fields), action: field('action'), field }
}

/** Largest file that a field takes, in bytes. */
function fileLimit(template: FormTemplate, field: string): number {
  const control = controlsOf(template).get(field.replace(/(\[\d+\])*$/, ''))?.control
  return control?.dataType === 'data-url' ? (control.maxBytes ?? defaultMaxBytes) : 0
}

/** What the page holds after a button that adds or removes an iteration; undefined for every other action. */
export function stepped(
  template: FormTemplate,
  { given, action }: PostedForm,
  context: Readonly<Record<string, string>> = {},
): Given | undefined {
  const [, step, repeatId = '', at = ''] = /^(add|remove):([^:]+):([\d.]*)$/.exec(action) ?? []
  if (!step) return undefined
  const path = at === '' ? [] : at.split('.').map(Number)
  return step === 'add'
    ? withIteration(template, given, repeatId, path, control => initialOf(control, context))
    : withoutIteration(template, given, repeatId, path)
}

/** Files that are refused are not sent back with the page. */
export function withoutBadFiles(template: FormTemplate, given: Given, faults: readonly FormFault[]): Given {
  const left: Record<string, unknown> = { ...given }
  for (const { id = '', path } of faults) {
    if (controlsOf(template).get(id)?.control.dataType !== 'data-url') continue
    const list = left[id]
    left[id] = Array.isArray(list)
      ? list.map(entry => (pathIn(entry, path.length)?.join() === path.join() ? { ...entry, value: null } : entry))
      : ''
  }
  return left
}
