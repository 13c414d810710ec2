// Renders the HTML of form pages and notices.
import { fileURLToPath } from 'node:url'
import type { SubjectIdentity } from '../../../db/frame/subjects/subject-names.js'
import type { SubmittedValues } from '../../../forms/submitted-values.js'
import { summaryOf } from '../../../forms/summary.js'
import { controlsOf, type FormTemplate } from '../../../forms/template.js'
import type { FormFault } from '../../../forms/values.js'
import { liquidEngine } from '../../liquid.js'
import { assetUrls } from './assets.js'
import { answerView } from './page-answers.js'
import { paragraphsOf } from './page-control.js'
import { initialGiven } from './page-initial.js'
import { personView } from './page-person.js'
import { fillView } from './page-view.js'

export interface Button {
  /** Value of the posted field `action`. */
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
  /** The values of the fields. New forms start with `initialGiven`. */
  given: SubmittedValues
  context?: Readonly<Record<string, string>>
  faults: readonly FormFault[]
  mode: 'fill' | 'read'
  /** URL of the POST. */
  action: string
  /** Hidden fields that are posted with the form. */
  hidden: Readonly<Record<string, string>>
  /** The buttons. Pressing Enter triggers the first one. */
  buttons: readonly Button[]
  /**
   * The person that the form is about, shown at the top of the page and of each printed sheet. Single-pass forms have
   * none.
   */
  person?: SubjectIdentity
  notice?: { kind: 'info' | 'success' | 'error'; title: string; text?: string }
  /** Facts shown at the top, such as who submitted the form and when. */
  facts?: readonly { label: string; text: string }[]
  links?: readonly Link[]
  autoSaveSeconds?: number
  etag?: string
  /** Path of the platform's public address, which the addresses of style sheet and script begin with. Default ''. */
  basePath?: string
}

const engine = liquidEngine(fileURLToPath(new URL('liquid/', import.meta.url)), true)
const formTemplate = engine.parseFileSync('form')
const noticeTemplate = engine.parseFileSync('notice')

/** Renders a page with a form to fill in, or with its answers to read. */
export function renderForm(page: FormPage): string {
  const { template, context = {}, faults, mode, hidden, etag } = page
  const input = { template, given: page.given, context, faults, action: page.action }
  const isFill = mode === 'fill'
  const summary = summaryOf(template, faults)
  const { title } = template
  const view = {
    language: template.language,
    assets: assetUrls(page.basePath ?? ''),
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

/** Renders a page that shows a single message, such as "Your form was sent". */
export function renderNotice(page: {
  language?: string
  title: string
  text: string
  kind: 'info' | 'success' | 'error'
  links?: readonly Link[]
  person?: SubjectIdentity
  basePath?: string
}): string {
  const { language = 'en', title, text, kind, links = [], person } = page
  const view = {
    language,
    assets: assetUrls(page.basePath ?? ''),
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
 * Renders and encodes the page of a new form, to be reused for all users. Encoding a long text is the slowest part of a
 * response, and only the hidden fields differ between users.
 * @returns the parts before and after the hidden fields. They stay separate, because joining them would copy the whole page.
 */
export function blankParts(template: FormTemplate, action: string, basePath: string): Buffer[] {
  // Authors cannot produce this field: their texts are escaped, and an id cannot contain a colon.
  const mark = { name: 'page:hidden', value: '\u0000' }
  const page = renderForm({
    template,
    given: initialGiven(template),
    faults: [],
    mode: 'fill',
    action,
    basePath,
    hidden: { [mark.name]: mark.value },
    buttons: [{ action: 'send', label: 'Send', kind: 'primary' }],
  })
  const marked = hiddenFields({ [mark.name]: mark.value })
  const at = page.indexOf(marked)
  return [Buffer.from(page.slice(0, at)), Buffer.from(page.slice(at + marked.length))]
}

/** Inserts the hidden fields between the parts of {@link blankParts}. */
export const withHidden = (
  [before = Buffer.of(), after = Buffer.of()]: readonly Buffer[],
  hidden: Readonly<Record<string, string>>,
): Buffer[] => [before, Buffer.from(hiddenFields(hidden)), after]

/**
 * Returns the security headers of a page. It may load only our own scripts and styles, and sends no referrer.
 * @param frameAncestors origins that may show the page in a frame. If empty, none may.
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

/** Serializes the template and context for scripts. Pictures are left out, because the page contains them already. */
const dataOf = (template: FormTemplate, context: Readonly<Record<string, string>>): string =>
  JSON.stringify({ template, context }, (name, value) => (name === 'image' ? undefined : value)).replaceAll(
    '<',
    '\\u003c',
  )
