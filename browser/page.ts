// Reads the form, its template and its values from the document.
import { checkForm } from '../forms/check.js'
import { givenOf } from '../forms/posted.js'
import type { FormTemplate } from '../forms/template.js'
import type { FormFault, FormValues } from '../forms/values.js'
import { postedAs, tooLargeFiles } from './files.js'

/** A form as it stands in the document, and what it was made from. */
export interface Page {
  /** The element around the form. All lookups start here: a field may have the name of a form's member and would hide it. */
  root: HTMLElement
  form: HTMLFormElement
  template: FormTemplate
  context: Readonly<Record<string, string>>
}

/** The values entered so far, and their faults. */
export interface Judged {
  values: FormValues
  faults: readonly FormFault[]
}

/** The form of the document that can be filled in; undefined where there is none. */
export function readPage(document: Document): Page | undefined {
  const root = document.querySelector('main')
  const form = root?.querySelector<HTMLFormElement>('form[data-form]')
  const made = document.getElementById('form-template')?.textContent
  return form && made ? { root, form, context: {}, ...JSON.parse(made) } : undefined
}

/** Judges what is filled in just as the server will. @param complete whether all that is required must be there. */
export function judge({ root, form, template, context }: Page, complete: boolean): Judged {
  const given = givenOf(template, [...new FormData(form)].map(postedAs))
  const { values, faults } = checkForm(template, given, { complete, context })
  return { values, faults: [...faults, ...tooLargeFiles(root, template)] }
}

/** The fields of a control that a person fills in. */
export const fieldsIn = (element: Element): (HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement)[] => [
  ...element.querySelectorAll<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>(
    'input:not([type=hidden]), select, textarea',
  ),
]
