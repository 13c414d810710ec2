// Runs in a child process of server/forms/pages/large-pages.ts.
import type { FormTemplate } from '../../../forms/template.js'
import { blankParts, type FormPage, renderForm } from './page.js'

/** A page whose template is JSON: a text crosses in a moment, 150,000 options as objects do not. */
export type SentPage = Omit<FormPage, 'template'> & { template: string }

const opened = ({ template, ...page }: SentPage): FormPage => {
  const parsed: FormTemplate = JSON.parse(template)
  return { ...page, template: parsed }
}

export const form = (page: SentPage): Buffer[] => [Buffer.from(renderForm(opened(page)))]

export const blank = ({ template, action }: { template: string; action: string }): Buffer[] =>
  blankParts(JSON.parse(template), action)
