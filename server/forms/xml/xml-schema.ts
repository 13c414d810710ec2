// Generates the XML Schema of a form.
import { create } from 'xmlbuilder'
import {
  type Control,
  controlsOf,
  type DataType,
  type FormTemplate,
  type Repeat,
  type Section,
} from '../../../forms/template.js'
import { xmlOptions } from './xml.js'
import { facetsOf } from './xml-schema-facets.js'
import { enumeration, type Node, orEmpty, restricted, textWith, xs } from './xml-schema-node.js'
import { commonTypes } from './xml-schema-types.js'

/**
 * The XML Schema of the documents that `patientForm` generates (spec forms "Un-persisted data schema").
 * A form that passes our own checks is valid by it.
 */
export function formSchema(template: FormTemplate): string {
  const root = create('xs:schema', xmlOptions)
  root.att('xmlns:xs', 'http://www.w3.org/2001/XMLSchema').att('xml:lang', template.language)
  const choices = [...controlsOf(template).values()].flatMap(({ control }) =>
    control.options ? choicesOf(control) : [],
  )
  const blocks = template.buildingBlocks.map(({ key, title = key, sections }) =>
    named({ name: key }, title, sequence(...sections.map(sectionElement))),
  )
  const patientForm = xs(
    'complexType',
    {},
    xs('sequence', {}, contextElement, ...blocks),
    xs('attribute', { name: 'token', type: 'xs:string' }),
    xs('attribute', { name: 'transaction-id', type: 'xs:string' }),
  )
  const title = `${template.title} (${template.key}, version ${template.version})`
  for (const node of [...commonTypes, ...choices, named({ name: 'PatientForm' }, title, patientForm)]) node(root)
  return root.end({ pretty: true })
}

/** An element with what it is in words. */
const named = (attributes: Record<string, string | number | undefined>, label: string, ...type: Node[]): Node =>
  xs('element', attributes, xs('annotation', {}, documentation(label)), ...type)

const documentation =
  (text: string): Node =>
  parent =>
    parent.ele('xs:documentation', {}, text)

const sequence = (...elements: Node[]): Node => xs('complexType', {}, xs('sequence', {}, ...elements))

/** Its members are named by whoever made the instance. */
const contextElement = xs(
  'element',
  { name: 'context', minOccurs: 0 },
  sequence(xs('any', { processContents: 'skip', minOccurs: 0, maxOccurs: 'unbounded' })),
)

/** Absent where it may be irrelevant, once otherwise. */
const minOccurs = ({ relevant }: Section | Control) => (relevant ? 0 : undefined)

const sectionElement = (section: Section): Node =>
  named({ name: section.id, minOccurs: minOccurs(section) }, section.title ?? section.id, contentOf(section))

const repeatElement = (repeat: Repeat): Node =>
  named(
    { name: repeat.id, minOccurs: 0, maxOccurs: repeat.maxIterations ?? 'unbounded' },
    repeat.label,
    contentOf(repeat),
  )

const contentOf = ({ controls, repeats }: Section | Repeat): Node =>
  sequence(
    ...controls.filter(({ couldHaveValue }) => couldHaveValue).map(controlElement),
    ...repeats.map(repeatElement),
  )

function controlElement(control: Control): Node {
  const { id, label, options, couldHaveMultipleValues, allowOther } = control
  const many = allowOther ? 'unbounded' : options?.length
  const type = typeOf(control)
  const attributes = {
    name: id,
    type: typeof type === 'string' ? type : undefined,
    minOccurs: minOccurs(control),
    maxOccurs: options && couldHaveMultipleValues ? many : undefined,
  }
  return named(attributes, label, ...(typeof type === 'string' ? [] : [type]))
}

/** By data type: the type that all forms share, and what limits of a control's own are put upon. */
const types: Record<DataType, { shared: string; base?: string }> = {
  integer: { shared: 'xf-integer', base: 'xs:integer' },
  decimal: { shared: 'xf-decimal', base: 'xs:decimal' },
  string: { shared: 'xf-string', base: 'xs:string' },
  html: { shared: 'xf-string', base: 'xs:string' },
  boolean: { shared: 'xf-boolean' },
  date: { shared: 'xf-date', base: 'xs:date' },
  time: { shared: 'xf-time', base: 'xs:time' },
  datetime: { shared: 'xf-dateTime' },
  url: { shared: 'xf-anyURI' },
  'data-url': { shared: 'xf-dataURL' },
  geolocation: { shared: 'xf-geolocation' },
  'annotated-image': { shared: 'xf-annotatedImage' },
  'translatable-text-value': { shared: 'xf-translatableText' },
}

/** The name of a type, or one of the control's own. */
function typeOf(control: Control): string | Node {
  if (!control.options)
    return scalarOf(control) ?? (control.partial ? 'xf-partialDate' : types[control.dataType].shared)
  const attributes = ['displayName', ...(control.allowOther ? ['otherValue'] : [])]
  const text = attributes.map(name => xs('attribute', { name, type: 'xs:string' }))
  return textWith(undefined, choicesName(control), ...text)
}

/** Undefined where the control has no limits of its own. */
function scalarOf(control: Control): Node | undefined {
  const facets = facetsOf(control)
  const { base } = types[control.dataType]
  return base && facets.length > 0 ? xs('simpleType', {}, orEmpty([], restricted(base, facets))) : undefined
}

const choicesName = ({ id }: Control): string => `options-${id}`

/** The options of a control. An own text is limited by the check of the data type only, and most types accept any text. */
function choicesOf(control: Control): Node {
  const { options = [], allowOther } = control
  const others = allowOther ? ['xs:string'] : []
  const values = restricted('xs:string', enumeration(options.map(({ value }) => value)))
  return xs('simpleType', { name: choicesName(control) }, orEmpty(others, values))
}
