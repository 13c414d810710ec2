// The XML of forms, read by the parsers that its receivers have.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aSmallTemplate, aTemplate, someValues } from '../support/factories.js'
import { templateOf } from '../support/form-templates.js'
import { documentOf } from '../support/form-xml.js'
import { missingReaders, type ReadElement, readXml } from '../support/xml-readers.js'

const missing = missingReaders()
const title = `any key and text of a context is read by Java, Python and Node${missing.length > 0 ? ` (needs ${missing.join(' and ')})` : ''}`

/** Replaces what XML 1.0 cannot hold. */
const inXml = (text: string) =>
  text.replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\ufffd')

/** The elements that a context becomes. */
const elementsOf = (context: Readonly<Record<string, string>>): ReadElement[] =>
  Object.entries(context).map(([key, text]) => {
    const isName = /^[A-Za-z_][\w.-]*$/.test(key) && !/^xml/i.test(key)
    const attributes: ReadElement['attributes'] = isName ? [] : [['key', inXml(key)]]
    return { depth: 2, name: isName ? key : 'value', attributes, text: inXml(text) }
  })

// Each character of the alphabets that editions of XML disagree about, as the first and as the second of a key.
const characters = [...Array(0x3100).keys(), 0xd7ff, 0xd800, 0xdfff, 0xfffd, 0xfffe, 0xffff, 0x1f600, 0x10ffff]
const everyCharacter = Object.fromEntries(
  characters.map(code => String.fromCodePoint(code)).flatMap(each => [each, `a${each}`].map(key => [key, key])),
)
const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }))
const anyContext = fc.dictionary(fc.oneof(anyText, fc.constantFrom('😀', 'ĳ', 'ſ', 'xml', 'a.b-c', 'value')), anyText)

test.skipIf(missing.length > 0 && !process.env.CI)(title, async () => {
  const small = templateOf(aSmallTemplate([{ id: 'text', label: 'Text' }]))
  const contexts = [{ '😀': 'a face', ĳ: 'a ligature', ſ: 'a long s' }, everyCharacter, ...fc.sample(anyContext, 200)]
  const documents = [
    ...contexts.map(context => documentOf(small, {}, { context })),
    documentOf(templateOf(aTemplate()), someValues),
  ]
  const { node, java, python3 } = await readXml(documents)
  let isInside = false
  const inContexts = node?.filter(({ depth, name }) => {
    if (depth === 1) isInside = name === 'context'
    return depth > 1 && isInside
  })
  expect(firstDifference(inContexts, contexts.flatMap(elementsOf))).toBeUndefined()
  expect(firstDifference(java, node)).toBeUndefined()
  expect(firstDifference(python3, node)).toBeUndefined()
})

/** The first elements that differ, as JSON. Comparing all of them at once would take long to say so. */
function firstDifference(read: readonly ReadElement[] = [], wanted: readonly ReadElement[] = []): string | undefined {
  const all = Array.from({ length: Math.max(read.length, wanted.length) }, (_, n) => [read[n], wanted[n]])
  return all
    .map(([one, other]) => [JSON.stringify(one), JSON.stringify(other)])
    .find(([one, other]) => one !== other)
    ?.join(' is not ')
}
