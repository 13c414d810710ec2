// Reads XML documents with the parsers of Node (xmldom), Java and Python.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { DOMParser, type Element, type Node } from '@xmldom/xmldom'
import { findProgram } from '../../dev/programs.js'

/** An element with its attributes, sorted by name, and its own text. */
export interface ReadElement {
  depth: number
  name: string
  attributes: [name: string, value: string][]
  text: string
}

const scriptOf = (file: string) => fileURLToPath(new URL(`xml-readers/${file}`, import.meta.url))

/** The other programs that read documents, with their arguments before the file names. */
const programs = {
  java: ['-Xss64m', scriptOf('ReadXml.java')],
  python3: [scriptOf('read_xml.py')],
}

/** Names the programs that this machine lacks. */
export const missingReaders = (): string[] =>
  Object.keys(programs).filter(program => findProgram(program) === undefined)

/**
 * Reads documents with each parser.
 * @returns the elements of all documents, keyed by parser. @throws Error if a parser rejects a document.
 */
export async function readXml(documents: readonly string[]): Promise<Record<string, ReadElement[]>> {
  const folder = await mkdtemp(join(tmpdir(), 'armature-xml-readers-'))
  try {
    const files = documents.map((_, n) => join(folder, `${n}.xml`))
    await Promise.all(documents.map((document, n) => writeFile(files[n] ?? '', document)))
    const read = Object.entries(programs).map(async ([program, args]): Promise<[string, ReadElement[]]> => {
      const { stdout } = await promisify(execFile)(program, [...args, ...files], { maxBuffer: 256 * 1024 * 1024 })
      return [program, stdout.trimEnd().split('\n').map(parseLine)]
    })
    return { node: documents.flatMap(readByNode), ...Object.fromEntries(await Promise.all(read)) }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/**
 * Parses a line that a program has printed for an element: depth, name, names and values of attributes, and text. All but the depth are in
 * base64.
 */
function parseLine(line: string): ReadElement {
  const [depth, name = '', ...rest] = line.split(' ').map((part, n) => {
    return n === 0 ? part : Buffer.from(part.slice(1), 'base64').toString()
  })
  const attributes = Array.from({ length: (rest.length - 1) / 2 }, (_, n): [string, string] => [
    rest[2 * n] ?? '',
    rest[2 * n + 1] ?? '',
  ])
  return { depth: Number(depth), name, attributes, text: rest.at(-1) ?? '' }
}

function readByNode(document: string): ReadElement[] {
  const strict = new DOMParser({
    onError: (level, message) => {
      if (level !== 'warning') throw new Error(message)
    },
  })
  const read = (element: Element, depth: number): ReadElement[] => {
    const children: Node[] = [...element.childNodes]
    const attributes = [...element.attributes]
      .map(({ name, value }): [string, string] => [name, value])
      .sort(([one], [other]) => (one < other ? -1 : 1))
    const text = children.map(each => (each.nodeType === each.TEXT_NODE ? (each.nodeValue ?? '') : '')).join('')
    return [
      { depth, name: element.nodeName, attributes, text },
      ...children.flatMap(each => (isElement(each) ? read(each, depth + 1) : [])),
    ]
  }
  const root = strict.parseFromString(document, 'text/xml').documentElement
  return root ? read(root, 0) : []
}

const isElement = (node: Node): node is Element => node.nodeType === node.ELEMENT_NODE
