// Small form templates and their pages.
import type { Page } from 'playwright-core'
import { Compile } from 'typebox/compile'
import type { FormTemplate } from '../../forms/template.js'
import { type FormPage, renderForm } from '../../server/forms/pages/page.js'
import { Template } from '../../server/forms/templates/template-schema.js'
import { completedTemplate } from '../../server/forms/templates/template-shape.js'
import { aSmallTemplate } from './factories.js'
import type { TemplateBody } from './forms.js'

const template = Compile(Template)

/** A template as the platform keeps it. */
export function templateOf(body: TemplateBody): FormTemplate {
  if (!template.Check(body)) throw new Error(JSON.stringify([...template.Errors(body)]))
  return completedTemplate(body.key, body.version, body)
}

/** A page to fill in with nothing in it, sent to `/x`; some of it replaced. */
export const aPage = (template: FormTemplate, more: Partial<FormPage> = {}): string =>
  renderForm({ template, given: {}, faults: [], mode: 'fill', action: '/x', hidden: {}, buttons: [], ...more })

/** The same of a template with just these controls. */
export const aPageOf = (controls: readonly object[], more: Partial<FormPage> = {}): string =>
  aPage(templateOf(aSmallTemplate(controls)), more)

/** What the form of a page posts, but for files. */
export const postedBy = (page: Page): Promise<[name: string, text: string][]> =>
  page.evaluate(
    `[...new FormData(document.querySelector('form[data-form]'))].filter(([, value]) => typeof value === 'string')`,
  )

/** What somebody meets who has the page read to them: roles, names, states and values, without the texts of labels. */
export const heard = async (page: Page, selector: string): Promise<string[]> => {
  const lines = (await page.locator(selector).ariaSnapshot()).split('\n')
  return lines.filter(line => !/^ *- text:/.test(line)).map(line => line.replace('- ', ''))
}
