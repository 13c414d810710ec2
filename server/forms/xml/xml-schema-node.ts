// Helpers that build the elements of an XML Schema.
import type { XMLElement } from 'xmlbuilder'

/** Writes an element and what is in it. */
export type Node = (parent: XMLElement) => void

type Attributes = Record<string, string | number | undefined>

/** An element of XML Schema; attributes that are undefined are left out. */
export const xs =
  (name: string, attributes: Attributes = {}, ...children: Node[]): Node =>
  parent => {
    const element = parent.ele(`xs:${name}`, attributes)
    for (const child of children) child(element)
  }

export type Facet = readonly [name: string, value: string | number]

export const restriction = (base: string, facets: readonly Facet[]): Node =>
  xs('restriction', { base }, ...facets.map(([name, value]) => xs(name, { value })))

/** A type without a name, for the one place where it stands. */
export const restricted = (base: string, facets: readonly Facet[]): Node =>
  xs('simpleType', {}, restriction(base, facets))

/** The empty text, or a value of any of these types. */
export const orEmpty = (types: readonly string[], ...own: Node[]): Node =>
  xs('union', { memberTypes: ['xf-empty', ...types].join(' ') }, ...own)

export const enumeration = (values: readonly string[]): Facet[] => values.map(value => ['enumeration', value])

/** A text with attributes. */
export const textWith = (name: string | undefined, base: string, ...attributes: Node[]): Node =>
  xs('complexType', { name }, xs('simpleContent', {}, xs('extension', { base }, ...attributes)))
