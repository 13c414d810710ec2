// Generates the XML document of a submitted form.
import { create, type XMLElement } from 'xmlbuilder'
import { imageWithPins } from '../../../forms/annotated-image.js'
import { iterationKey, iterationsOf } from '../../../forms/submitted-values.js'
import { type Control, controlsOf, type FormTemplate, type Repeat, type Section } from '../../../forms/template.js'
import { type Content, type FormValues, pathOf } from '../../../forms/values.js'

export interface PatientFormOptions {
  token?: string | undefined
  transactionId?: string | undefined
  /** The context of the form instance. Single-pass forms have none. */
  context?: Readonly<Record<string, string>> | undefined
}

/** Replaces characters that XML 1.0 does not allow. Values cannot contain them, but the titles of a form can. */
export const xmlOptions = { encoding: 'UTF-8', invalidCharReplacement: '\ufffd' }

/**
 * Generates the document that {@link formSchema} describes, with an element for each building block, section, iteration and
 * value. A relevant control without a value becomes an empty element; an irrelevant one is left out.
 */
export function patientForm(
  template: FormTemplate,
  values: FormValues,
  { token, transactionId, context = {} }: PatientFormOptions = {},
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
 * Adds an element for each member of the context. If a key is not a valid element name, a `value` element gets it as an
 * attribute.
 */
function addContext(parent: XMLElement, context: Readonly<Record<string, string>>): void {
  for (const [key, text] of Object.entries(context)) {
    if (isElementName(key)) parent.ele(key, {}, text)
    else parent.ele('value', { key }, text)
  }
}

const nameStart =
  'A-Z_a-z\\u{c0}-\\u{d6}\\u{d8}-\\u{f6}\\u{f8}-\\u{2ff}\\u{370}-\\u{37d}\\u{37f}-\\u{1fff}\\u{200c}\\u{200d}\\u{2070}-\\u{218f}' +
  '\\u{2c00}-\\u{2fef}\\u{3001}-\\u{d7ff}\\u{f900}-\\u{fdcf}\\u{fdf0}-\\u{fffd}\\u{10000}-\\u{effff}'
const name = new RegExp(
  `^(?![Xx][Mm][Ll])[${nameStart}][${nameStart}\\-.\\d\\u{b7}\\u{300}-\\u{36f}\\u{203f}\\u{2040}]*$`,
  'u',
)

/** True for a name without a colon (NCName in "Namespaces in XML") that does not begin with the reserved letters `xml`. */
const isElementName = (text: string): boolean => name.test(text)
