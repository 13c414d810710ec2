// The XML Schema types that all forms share.
import { defaultMaxLength } from '../../../forms/data-types.js'
import { enumeration, type Node, orEmpty, restricted, restriction, textWith, xs } from './xml-schema-node.js'

const simple = (name: string, node: Node): Node => xs('simpleType', { name }, node)
/** Of a relevant control that is not answered the element is empty: all that is in it may be absent. */
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

/** The types that all forms share. Each takes the empty text: what is relevant and not answered comes out empty. */
export const commonTypes: readonly Node[] = [
  simple('xf-empty', restriction('xs:string', [['length', 0]])),
  simple('xf-string', restriction('xs:string', [['maxLength', defaultMaxLength]])),
  simple('xf-decimal', orEmpty(['xs:decimal'])),
  simple('xf-integer', orEmpty(['xs:integer'])),
  simple('xf-boolean', orEmpty(['xs:boolean'])),
  simple('xf-date', orEmpty(['xs:date'])),
  simple('xf-time', orEmpty(['xs:time'])),
  simple('xf-dateTime', orEmpty(['xs:dateTime'])),
  // Not xs:anyURI: addresses that browsers take, such as one with a bare `%`, are none for strict validators.
  simple('xf-anyURI', orEmpty([], restricted('xs:string', [['pattern', 'https?://.*']]))),
  simple('xf-dataURL', orEmpty([], restricted('xs:string', [['pattern', 'data:.*']]))),
  simple('xf-dateKind', restriction('xs:string', enumeration(['yyyy', 'yyyy-MM', 'yyyy-MM-dd']))),
  // The date is the first day of the year or month that is meant.
  textWith('xf-partialDate', 'xf-date', xs('attribute', { name: 'dateKind', type: 'xf-dateKind' })),
  between('xf-latitude', -90, 90),
  between('xf-longitude', -180, 180),
  group('xf-geolocation', member('latitude', 'xf-latitude'), member('longitude', 'xf-longitude')),
  // Of the width and height of the picture.
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
