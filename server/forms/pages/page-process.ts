// Renders pages in a child process of large-pages.ts.
import type { FormTemplate } from '../../../forms/template.js'
import { blankParts, type FormPage, renderForm } from './page.js'

/**
 * A page with its template as JSON text. A text is copied to the process quickly; the objects of 150,000 options are
 * not.
 */
export type SentPage = Omit<FormPage, 'template'> & { template: string }

/** What the page of a new form is made of. */
interface SentBlank {
  template: string
  action: string
  basePath: string
}

const parsePage = ({ template, ...page }: SentPage): FormPage => {
  const parsed: FormTemplate = JSON.parse(template)
  return { ...page, template: parsed }
}

export const form = (page: SentPage): Buffer[] => [Buffer.from(renderForm(parsePage(page)))]

export const blank = ({ template, action, basePath }: SentBlank): Buffer[] =>
  blankParts(JSON.parse(template), action, basePath)
