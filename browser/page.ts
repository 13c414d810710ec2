// Reads the form, its template and its values from the document.
import { checkForm } from '../forms/check.js'
import { givenOf } from '../forms/posted.js'
import type { FormTemplate } from '../forms/template.js'
import type { FormFault, FormValues } from '../forms/values.js'
import { postedAs, tooLargeFiles } from './files.js'

/** The form in the document, with the template and context that it was made from. */
export interface Page {
  /**
   * The element around the form. Lookups start here and not at the form, because a field named like a member of the
   * form hides it.
   */
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

/** Reads the form of the document. Returns undefined if there is none that can be filled in. */
export function readPage(document: Document): Page | undefined {
  const root = document.querySelector('main')
  const form = root?.querySelector<HTMLFormElement>('form[data-form]')
  const made = document.getElementById('form-template')?.textContent
  return form && made ? { root, form, context: {}, ...JSON.parse(made) } : undefined
}

/** Checks the entered values with the server's own rules. @param complete true if everything required must be there. */
export function judge({ root, form, template, context }: Page, complete: boolean): Judged {
  const given = givenOf(template, [...new FormData(form)].map(postedAs))
  const { values, faults } = checkForm(template, given, { complete, context })
  return { values, faults: [...faults, ...tooLargeFiles(root, template)] }
}

/** Returns the visible fields of an element that are sent. */
export const fieldsIn = (element: Element): (HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement)[] => [
  ...element.querySelectorAll<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>(
    'input[name]:not([type=hidden]), select, textarea',
  ),
]
