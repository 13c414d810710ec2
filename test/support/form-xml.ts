// The XML of a submitted form.
import { checkForm } from '../../forms/check.js'
import type { SubmittedValues } from '../../forms/submitted-values.js'
import type { FormTemplate } from '../../forms/template.js'
import type { TemplateBody as Authored } from '../../server/forms/templates/template-schema.js'
import { completedTemplate } from '../../server/forms/templates/template-shape.js'
import { type PatientFormOptions, patientForm } from '../../server/forms/xml/xml.js'
import type { TemplateBody } from './forms.js'

/** The template that is made of what an author writes. Tests write it loosely; what is wrong with it is not looked at. */
export const templateOf = (body: TemplateBody): FormTemplate =>
  completedTemplate(body.key, body.version, body as unknown as Authored)

/** The document of a form in which this is filled in. What the checks find is thrown: then it would not be sent. */
export function documentOf(template: FormTemplate, given: SubmittedValues, options: PatientFormOptions = {}): string {
  const { values, faults } = checkForm(template, given, { complete: true, context: options.context ?? {} })
  if (faults.length > 0) throw new Error(JSON.stringify(faults))
  return patientForm(template, values, options)
}

/** A document in one line, of one that is written in several. */
export const inOneLine = (xml: string): string => xml.trim().replace(/\n\s*/g, '')
