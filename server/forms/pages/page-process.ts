// Renders pages in a child process of large-pages.ts.
import type { FormTemplate } from '../../../forms/template.js'
import { answerInputs } from '../../../runtime/process/confined-process.js'
import { blankParts, type FormPage, renderForm } from './page.js'

/**
 * A page with its template as JSON text. A text is copied to the process quickly; the objects of 150,000 options are
 * not.
 */
type SentPage = Omit<FormPage, 'template'> & { by: 'form'; template: string }

/** What the page of a new form is made of. */
interface SentBlank {
  by: 'blank'
  template: string
  action: string
  basePath: string
}

export type PageInput = SentPage | SentBlank

const parsePage = ({ template, ...page }: SentPage): FormPage => {
  const parsed: FormTemplate = JSON.parse(template)
  return { ...page, template: parsed }
}

answerInputs((input: PageInput): Buffer[] =>
  input.by === 'form'
    ? [Buffer.from(renderForm(parsePage(input)))]
    : blankParts(JSON.parse(input.template), input.action, input.basePath),
)
