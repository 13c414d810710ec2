// Renders the XML of submitted forms.
import { checkForm } from '../../forms/check.js'
import type { SubmittedValues } from '../../forms/submitted-values.js'
import type { FormTemplate } from '../../forms/template.js'
import { type PatientFormOptions, patientForm } from '../../server/forms/xml/xml.js'

/** Renders a filled-in form. @throws if its values have faults, because it would not be sent then. */
export function documentOf(template: FormTemplate, given: SubmittedValues, options: PatientFormOptions = {}): string {
  const { values, faults } = checkForm(template, given, { complete: true, context: options.context ?? {} })
  if (faults.length > 0) throw new Error(JSON.stringify(faults))
  return patientForm(template, values, options)
}

/** Removes the line breaks and the indentation of a document. */
export const inOneLine = (xml: string): string => xml.trim().replace(/\n\s*/g, '')
