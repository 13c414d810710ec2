// Builds the elements of an XML Schema.
import type { XMLElement } from 'xmlbuilder'

/** Appends an element with its content to a parent. */
export type Node = (parent: XMLElement) => void

type Attributes = Record<string, string | number | undefined>

/** Creates an element of XML Schema. Undefined attributes are left out. */
export const xs =
  (name: string, attributes: Attributes = {}, ...children: Node[]): Node =>
  parent => {
    const element = parent.ele(`xs:${name}`, attributes)
    for (const child of children) child(element)
  }

export type Facet = readonly [name: string, value: string | number]

export const restriction = (base: string, facets: readonly Facet[]): Node =>
  xs('restriction', { base }, ...facets.map(([name, value]) => xs(name, { value })))

/** Creates an anonymous simple type that restricts another one. */
export const restricted = (base: string, facets: readonly Facet[]): Node =>
  xs('simpleType', {}, restriction(base, facets))

/** Creates the union of some types and the empty text. */
export const orEmpty = (types: readonly string[], ...own: Node[]): Node =>
  xs('union', { memberTypes: ['xf-empty', ...types].join(' ') }, ...own)

export const enumeration = (values: readonly string[]): Facet[] => values.map(value => ['enumeration', value])

/** Creates the type of an element that has a text and attributes. */
export const textWith = (name: string | undefined, base: string, ...attributes: Node[]): Node =>
  xs('complexType', { name }, xs('simpleContent', {}, xs('extension', { base }, ...attributes)))
