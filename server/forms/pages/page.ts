// Renders the HTML of form pages and notices.
import { fileURLToPath } from 'node:url'
import { Liquid } from 'liquidjs'
import type { SubjectIdentity } from '../../../db/frame/subjects/subject-names.js'
import type { Given } from '../../../forms/given.js'
import { summaryOf } from '../../../forms/summary.js'
import { controlsOf, type FormTemplate } from '../../../forms/template.js'
import type { FormFault } from '../../../forms/values.js'
import { assetUrls } from './assets.js'
import { answerView } from './page-answers.js'
import { paragraphsOf } from './page-control.js'
import { initialGiven } from './page-initial.js'
import { personView } from './page-person.js'
import { fillView } from './page-view.js'

export interface Button {
  /** Posted as the field `action`. */
  action: string
  label: string
  kind: 'primary' | 'secondary' | 'danger'
}

export interface Link {
  href: string
  label: string
}

export interface FormPage {
  template: FormTemplate
  /** The values of the fields; for a new form see `initialGiven`. */
  given: Given
  context?: Readonly<Record<string, string>>
  faults: readonly FormFault[]
  mode: 'fill' | 'read'
  /** URL of the POST. */
  action: string
  /** Further fields that are posted, unseen. */
  hidden: Readonly<Record<string, string>>
  /** The first is also what Enter does. */
  buttons: readonly Button[]
  /** Stands above everything else, on each printed sheet too. Absent on pages of nobody in particular. */
  person?: SubjectIdentity
  notice?: { kind: 'info' | 'success' | 'error'; title: string; text?: string }
  /** Shown on top, such as by whom it was submitted, and when. */
  facts?: readonly { label: string; text: string }[]
  links?: readonly Link[]
  autoSaveSeconds?: number
  etag?: string
}

const engine = new Liquid({
  root: fileURLToPath(new URL('liquid/', import.meta.url)),
  extname: '.liquid',
  relativeReference: false,
  cache: true,
  outputEscape: 'escape',
  ownPropertyOnly: true,
  strictFilters: true,
  strictVariables: true,
  lenientIf: true,
})
const formTemplate = engine.parseFileSync('form')
const noticeTemplate = engine.parseFileSync('notice')

/** A page with a form to fill in, or with its answers to read. */
export function renderForm(page: FormPage): string {
  const { template, context = {}, faults, mode, hidden, etag } = page
  const input = { template, given: page.given, context, faults, action: page.action }
  const isFill = mode === 'fill'
  const summary = summaryOf(template, faults)
  const { title } = template
  const view = {
    language: template.language,
    assets: assetUrls,
    title: summary.length > 0 ? `Error: ${title}` : title,
    heading: title,
    introduction: isFill ? paragraphsOf(template.introduction ?? '') : [],
    isFill,
    data: isFill ? dataOf(template, context) : '',
    summary,
    person: page.person ? personView(page.person, template.language) : null,
    notice: page.notice ? { text: '', ...page.notice } : null,
    facts: page.facts ?? [],
    links: page.links ?? [],
    action: page.action,
    hiddenFields: hiddenFields({ ...hidden, ...(etag !== undefined && { etag }) }),
    buttons: page.buttons,
    autoSaveSeconds: page.autoSaveSeconds ?? 0,
    hasRequired: [...controlsOf(template).values()].some(({ control }) => control.required),
    blocks: isFill ? fillView(input) : [],
    answers: isFill ? [] : answerView(input),
  }
  return String(engine.renderSync(formTemplate, { page: view }))
}

/** A page that says one thing: sent, not found, refused. */
export function renderNotice(page: {
  language?: string
  title: string
  text: string
  kind: 'info' | 'success' | 'error'
  links?: readonly Link[]
  person?: SubjectIdentity
}): string {
  const { language = 'en', title, text, kind, links = [], person } = page
  const view = {
    language,
    assets: assetUrls,
    title,
    heading: title,
    person: person ? personView(person, language) : null,
    paragraphs: paragraphsOf(text),
    kind,
    links,
    data: '',
  }
  return String(engine.renderSync(noticeTemplate, { page: view }))
}

/**
 * The page of a new form, rendered and encoded once, because encoding a long text is the slowest part of a response.
 * Only the hidden fields differ. It is kept in parts: joining them would copy the whole page each time.
 * @returns the parts before and after the hidden fields.
 */
export function blankParts(template: FormTemplate, action: string): Buffer[] {
  // No authored text has it, and no id may.
  const mark = { name: 'page:hidden', value: '\u0000' }
  const page = renderForm({
    template,
    given: initialGiven(template),
    faults: [],
    mode: 'fill',
    action,
    hidden: { [mark.name]: mark.value },
    buttons: [{ action: 'send', label: 'Send', kind: 'primary' }],
  })
  const marked = hiddenFields({ [mark.name]: mark.value })
  const at = page.indexOf(marked)
  return [Buffer.from(page.slice(0, at)), Buffer.from(page.slice(at + marked.length))]
}

/** @param parts of a page, from {@link blankParts}. */
export const withHidden = (
  [before = Buffer.of(), after = Buffer.of()]: readonly Buffer[],
  hidden: Readonly<Record<string, string>>,
): Buffer[] => [before, Buffer.from(hiddenFields(hidden)), after]

/**
 * Headers of the answers that are such pages: nothing from elsewhere, no script or style but our files, nothing kept.
 * @param frameAncestors origins of pages that may show it in a frame; none may where it is empty.
 */
export function pagePolicy(frameAncestors: readonly string[]): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ')}`,
  ]
  return {
    'Content-Security-Policy': policy.join('; '),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  }
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' }
const escaped = (text: string): string => text.replace(/[&<>"']/g, character => escapes[character] ?? '')

const hiddenFields = (fields: Readonly<Record<string, string>>): string =>
  Object.entries(fields)
    .map(([name, text]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(text)}">`)
    .join('\n')

/** The form's data for scripts. Pictures are omitted, because the page contains them already. */
const dataOf = (template: FormTemplate, context: Readonly<Record<string, string>>): string =>
  JSON.stringify({ template, context }, (name, value) => (name === 'image' ? undefined : value)).replaceAll(
    '<',
    '\\u003c',
  )
