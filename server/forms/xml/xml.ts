// Generates the XML document of a submitted form.
import { create, type XMLElement } from 'xmlbuilder'
import { imageWithPins } from '../../../forms/annotated-image.js'
import { iterationKey, iterationsOf } from '../../../forms/submitted-values.js'
import { type Control, controlsOf, type FormTemplate, type Repeat, type Section } from '../../../forms/template.js'
import { type Content, type FormValues, pathOf } from '../../../forms/values.js'

/** What the preamble says of a form instance, as attributes. Single-pass forms have none of them. */
export const instanceAttributes = [
  'instanceGuid',
  'subjectIdentifier',
  'status',
  'createdByUserIdentifier',
  'lastModifiedDateTime',
  'submittedByUserIdentifier',
  'submissionDateTime',
  'correlationId',
] as const

export interface PatientFormOptions {
  token?: string | undefined
  transactionId?: string | undefined
  /** The facts of a form instance. Those that are null are left out. */
  instance?: Readonly<Partial<Record<(typeof instanceAttributes)[number], string | null>>>
  /** The context of the form instance. Single-pass forms have none. */
  context?: Readonly<Record<string, string>> | undefined
}

const writtenAs: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Writes a character that has a meaning in XML, or that a reader might change, as a reference. */
const referenceTo = (character: string): string =>
  writtenAs[character] ?? `&#x${character.charCodeAt(0).toString(16).toUpperCase()};`

/** Replaces characters that XML 1.0 does not allow. Values cannot contain them, but contexts and titles can. */
const legal = (text: string): string =>
  text.replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\ufffd')

/** How documents are written. Some readers take not only `\r` but also the last three of these characters for line breaks. */
export const xmlOptions = {
  encoding: 'UTF-8',
  stringify: {
    textEscape: (text: string) => legal(text).replace(/[&<>\r\u0085\u2028\u2029]/g, referenceTo),
    attEscape: (text: string) => legal(text).replace(/[&<"\t\n\r\u0085\u2028\u2029]/g, referenceTo),
  },
}

/**
 * Generates the document that {@link formSchema} describes, with an element for each building block, section, iteration and
 * value. A relevant control without a value becomes an empty element; an irrelevant one is left out.
 */
export function patientForm(
  template: FormTemplate,
  values: FormValues,
  { token, transactionId, instance = {}, context = {} }: PatientFormOptions = {},
): string {
  const controls = controlsOf(template)
  const placed = Object.entries(values).map(
    ([id, all]) => [id, all.map(value => ({ pointer: '', path: pathOf(value), value }))] as const,
  )
  const contents = new Map(placed.flatMap(([id, all]) => all.map(({ path, value }) => [keyOf(id, path), value])))
  const iterations = iterationsOf(template, new Map(placed))
  const sectionsWithValues = new Set(placed.map(([id]) => controls.get(id)?.section))

  function addPart(parent: XMLElement, within: Section | Repeat, path: readonly number[]): void {
    for (const control of within.controls) {
      const content = contents.get(keyOf(control.id, path))
      if (content) addValue(parent, control, content)
      else if (control.couldHaveValue && !control.relevant) parent.ele(control.id)
    }
    for (const repeat of within.repeats) {
      const count = iterations.get(iterationKey(repeat.id, path)) ?? 0
      for (let n = 0; n < count; n++) addPart(parent.ele(repeat.id), repeat, [...path, n])
    }
  }

  const root = create('PatientForm', xmlOptions)
  if (token !== undefined) root.att('token', token)
  if (transactionId !== undefined) root.att('transaction-id', transactionId)
  const preamble = root.ele('preamble', { templateId: template.key, templateVersion: template.version })
  for (const name of instanceAttributes) {
    const text = instance[name] ?? null
    if (text !== null) preamble.att(name, text)
  }
  if (Object.keys(context).length > 0) addContext(root.ele('context'), context)
  for (const block of template.buildingBlocks) {
    const parent = root.ele(block.key)
    for (const section of block.sections) {
      if (!section.relevant || sectionsWithValues.has(section)) addPart(parent.ele(section.id), section, [])
    }
  }
  return root.end()
}

const keyOf = (id: string, path: readonly number[]): string => `${id} ${path.join(' ')}`

/** Adds the elements of a value: one, or for a multiple selection one for each chosen option. */
function addValue(parent: XMLElement, control: Control, content: Content): void {
  const add = (text = '', attributes = {}) => parent.ele(control.id, attributes, text)
  const choose = ({ value, displayName }: { value: string; displayName: string }) => {
    const isOther = !control.options?.some(option => option.value === value)
    add(value, isOther ? { displayName, otherValue: value } : { displayName })
  }
  switch (content.type) {
    case 'empty':
      add()
      return
    case 'single-value':
      add(content.value)
      return
    case 'single-selection':
      choose(content)
      return
    case 'multiple-selection':
      content.selections.forEach(choose)
      return
    case 'partial-date':
      add(content.date, { dateKind: content.dateKind })
      return
    case 'geolocation':
      addMembers(add(), { latitude: plain(content.latitude), longitude: plain(content.longitude) })
      return
    case 'annotated-image': {
      const image = add()
      addMembers(image, { imageDataUri: imageWithPins(control, content.annotations) })
      for (const { position, x, y, value } of content.annotations) {
        image.ele('annotation', { position, x: plain(x), y: plain(y) }, value)
      }
      return
    }
    case 'translatable-text-value': {
      const { originalText, translatedText, sourceLanguageCode, targetLanguageCode, translatedDateTime } = content
      addMembers(add(), { originalText, translatedText, sourceLanguageCode, targetLanguageCode, translatedDateTime })
    }
  }
}

/** Adds an element for each member that has a text. */
function addMembers(parent: XMLElement, texts: Record<string, string | undefined>): void {
  for (const [name, text] of Object.entries(texts)) if (text !== undefined) parent.ele(name, {}, text)
}

const digits = new Intl.NumberFormat('en', { useGrouping: false, maximumFractionDigits: 20 })

/** Writes a number without an exponent, which xs:decimal does not allow. */
const plain = (number: number): string => digits.format(number)

/**
 * Adds an element for each member of the context. A key that is not an element name becomes the attribute of a `value`
 * element.
 */
function addContext(parent: XMLElement, context: Readonly<Record<string, string>>): void {
  for (const [key, text] of Object.entries(context)) {
    if (isElementName(key)) parent.ele(key, {}, text)
    else parent.ele('value', { key }, text)
  }
}

/**
 * True for a plain ASCII name that does not begin with the reserved letters `xml`. XML allows more letters, but its editions
 * disagree about them, and the parsers of Java and Python refuse a document with a name such as ĳ or 😀.
 */
const isElementName = (text: string): boolean => /^(?![Xx][Mm][Ll])[A-Za-z_][\w.-]*$/.test(text)
