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
import { instanceAttributes, xmlOptions } from './xml.js'
import { facetsOf } from './xml-schema-facets.js'
import { enumeration, type Node, orEmpty, restricted, textWith, xs } from './xml-schema-node.js'
import { commonTypes } from './xml-schema-types.js'

/**
 * Generates the XML Schema of the documents that `patientForm` writes (spec forms "Un-persisted data schema"). A form that
 * passes our own checks is always valid.
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
    xs('sequence', {}, preambleElement, contextElement, ...blocks),
    xs('attribute', { name: 'token', type: 'xs:string' }),
    xs('attribute', { name: 'transaction-id', type: 'xs:string' }),
  )
  const title = `${template.title} (${template.key}, version ${template.version})`
  for (const node of [...commonTypes, ...choices, named({ name: 'PatientForm' }, title, patientForm)]) node(root)
  return root.end({ pretty: true })
}

/** Creates an element that is annotated with its label. */
const named = (attributes: Record<string, string | number | undefined>, label: string, ...type: Node[]): Node =>
  xs('element', attributes, xs('annotation', {}, documentation(label)), ...type)

const documentation =
  (text: string): Node =>
  parent =>
    parent.ele('xs:documentation', {}, text)

const sequence = (...elements: Node[]): Node => xs('complexType', {}, xs('sequence', {}, ...elements))

/** The preamble, which says of which form the document is, and of an instance who filled it in for whom and when. */
const preambleElement = xs(
  'element',
  { name: 'preamble', minOccurs: 0 },
  xs(
    'complexType',
    {},
    xs('attribute', { name: 'templateId', type: 'xs:string' }),
    xs('attribute', { name: 'templateVersion', type: 'xs:positiveInteger' }),
    ...instanceAttributes.map(name =>
      xs('attribute', { name, type: name.endsWith('DateTime') ? 'xs:dateTime' : 'xs:string' }),
    ),
  ),
)

/** The context. Its children are named by the application that created the instance, so they are not checked. */
const contextElement = xs(
  'element',
  { name: 'context', minOccurs: 0 },
  sequence(xs('any', { processContents: 'skip', minOccurs: 0, maxOccurs: 'unbounded' })),
)

/** Returns 0 for an element that may be irrelevant and then missing; undefined, which means 1, for any other. */
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

/** The shared type for each data type, and the base of the type that a control with limits of its own gets. */
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

/** Returns the name of a shared type, or a type made for this control. */
function typeOf(control: Control): string | Node {
  if (!control.options)
    return scalarOf(control) ?? (control.partial ? 'xf-partialDate' : types[control.dataType].shared)
  const attributes = ['displayName', ...(control.allowOther ? ['otherValue'] : [])]
  const text = attributes.map(name => xs('attribute', { name, type: 'xs:string' }))
  return textWith(undefined, choicesName(control), ...text)
}

/** Creates the type of a control with limits of its own. Returns undefined if it has none. */
function scalarOf(control: Control): Node | undefined {
  const facets = facetsOf(control)
  const { base } = types[control.dataType]
  return base && facets.length > 0 ? xs('simpleType', {}, orEmpty([], restricted(base, facets))) : undefined
}

const choicesName = ({ id }: Control): string => `options-${id}`

/** Creates the type of a control's options. If other answers are allowed too, the type accepts any text. */
function choicesOf(control: Control): Node {
  const { options = [], allowOther } = control
  const others = allowOther ? ['xs:string'] : []
  const values = restricted('xs:string', enumeration(options.map(({ value }) => value)))
  return xs('simpleType', { name: choicesName(control) }, orEmpty(others, values))
}
