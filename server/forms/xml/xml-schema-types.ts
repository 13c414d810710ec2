// Defines the XML Schema types that all forms share.
import { defaultMaxLength } from '../../../forms/data-types.js'
import { enumeration, type Node, orEmpty, restricted, restriction, textWith, xs } from './xml-schema-node.js'

const simple = (name: string, node: Node): Node => xs('simpleType', { name }, node)
/**
 * Creates a type with child elements. It also allows an empty element, which stands for a relevant control without an
 * answer.
 */
const group = (name: string, ...elements: Node[]): Node =>
  xs('complexType', { name }, xs('sequence', { minOccurs: 0 }, ...elements))
const member = (name: string, type: string, minOccurs?: number): Node => xs('element', { name, type, minOccurs })
const required = (name: string, type: string): Node => xs('attribute', { name, type, use: 'required' })
const between = (name: string, low: number, high: number): Node =>
  simple(
    name,
    restriction('xs:decimal', [
      ['minInclusive', low],
      ['maxInclusive', high],
    ]),
  )

/** The shared types. All allow the empty text, which stands for a relevant control without an answer. */
export const commonTypes: readonly Node[] = [
  simple('xf-empty', restriction('xs:string', [['length', 0]])),
  simple('xf-string', restriction('xs:string', [['maxLength', defaultMaxLength]])),
  simple('xf-decimal', orEmpty(['xs:decimal'])),
  simple('xf-integer', orEmpty(['xs:integer'])),
  simple('xf-boolean', orEmpty(['xs:boolean'])),
  simple('xf-date', orEmpty(['xs:date'])),
  simple('xf-time', orEmpty(['xs:time'])),
  simple('xf-dateTime', orEmpty(['xs:dateTime'])),
  // Not based on xs:anyURI, because strict validators refuse addresses that browsers accept, such as one with a bare `%`.
  simple('xf-anyURI', orEmpty([], restricted('xs:string', [['pattern', 'https?://.*']]))),
  simple('xf-dataURL', orEmpty([], restricted('xs:string', [['pattern', 'data:.*']]))),
  simple('xf-dateKind', restriction('xs:string', enumeration(['yyyy', 'yyyy-MM', 'yyyy-MM-dd']))),
  // For a year or a month, the date is its first day.
  textWith('xf-partialDate', 'xf-date', xs('attribute', { name: 'dateKind', type: 'xf-dateKind' })),
  between('xf-latitude', -90, 90),
  between('xf-longitude', -180, 180),
  group('xf-geolocation', member('latitude', 'xf-latitude'), member('longitude', 'xf-longitude')),
  // Coordinates of a pin, in per cent of the width or height of the picture.
  between('xf-percent', 0, 100),
  textWith(
    'xf-annotation',
    'xs:string',
    required('position', 'xs:positiveInteger'),
    required('x', 'xf-percent'),
    required('y', 'xf-percent'),
  ),
  group(
    'xf-annotatedImage',
    member('imageDataUri', 'xf-dataURL'),
    xs('element', { name: 'annotation', type: 'xf-annotation', maxOccurs: 'unbounded' }),
  ),
  group(
    'xf-translatableText',
    member('originalText', 'xs:string'),
    member('translatedText', 'xs:string', 0),
    member('sourceLanguageCode', 'xs:language'),
    member('targetLanguageCode', 'xs:language', 0),
    member('translatedDateTime', 'xs:dateTime', 0),
  ),
]
