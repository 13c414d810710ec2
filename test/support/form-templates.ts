// Makes small form templates and their pages.
import type { Page } from 'playwright-core'
import { Compile } from 'typebox/compile'
import type { FormTemplate } from '../../forms/template.js'
import { type FormPage, renderForm } from '../../server/forms/pages/page.js'
import { Template } from '../../server/forms/templates/template-schema.js'
import { completedTemplate } from '../../server/forms/templates/template-shape.js'
import { aSmallTemplate } from './factories.js'
import type { TemplateBody } from './forms.js'

const template = Compile(Template)

/** Converts a template to the form in which the platform stores it. */
export function templateOf(body: TemplateBody): FormTemplate {
  if (!template.Check(body)) throw new Error(JSON.stringify([...template.Errors(body)]))
  return completedTemplate(body.key, body.version, body)
}

/** Renders an empty form that is posted to `/x`; `more` replaces members. */
export const aPage = (template: FormTemplate, more: Partial<FormPage> = {}): string =>
  renderForm({ template, given: {}, faults: [], mode: 'fill', action: '/x', hidden: {}, buttons: [], ...more })

/** Renders an empty form with only these controls. */
export const aPageOf = (controls: readonly object[], more: Partial<FormPage> = {}): string =>
  aPage(templateOf(aSmallTemplate(controls)), more)

/** Returns the fields that the form on a page would post, without files. */
export const postedBy = (page: Page): Promise<[name: string, text: string][]> =>
  page.evaluate(
    `[...new FormData(document.querySelector('form[data-form]'))].filter(([, value]) => typeof value === 'string')`,
  )

/** Returns what a screen reader announces: roles, names, states and values, without the texts of labels. */
export const heard = async (page: Page, selector: string): Promise<string[]> => {
  const lines = (await page.locator(selector).ariaSnapshot()).split('\n')
  return lines.filter(line => !/^ *- text:/.test(line)).map(line => line.replace('- ', ''))
}
