import { type Document, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { CommandFailed } from './platform-client.js'

/** A manifest as it stands in a file. */
export interface ManifestFile {
  tenantKey: string
  /** What it says, as it is sent. */
  json: string
  /** `file:line: ` of what a JSON pointer names, or of the nearest thing around it; the file alone when it is elsewhere. */
  place(pointer: string): string
}

/** Reads YAML, of which JSON is a part. @throws CommandFailed with every fault and its line. */
export function readManifestFile(path: string, text: string): ManifestFile {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const at = (offset: number) => `${path}:${lines.linePos(offset).line}: `
  if (document.errors.length > 0) {
    throw new CommandFailed(document.errors.map(error => at(error.pos[0]) + error.message))
  }
  const tenantKey = memberOf(document.contents, 'key')?.value
  if (!isScalar(tenantKey) || !tenantKey.value) {
    throw new CommandFailed([`${path}: a manifest begins with the key of its tenant: key: demo`])
  }
  return {
    tenantKey: String(tenantKey.value),
    json: jsonOf(path, document),
    place(pointer) {
      const offset = nearest(document, pointer)?.range?.[0]
      return offset === undefined ? `${path}: ` : at(offset)
    },
  }
}

/** @throws CommandFailed for aliases that go in circles or multiply. */
function jsonOf(path: string, document: Document): string {
  try {
    return JSON.stringify(document.toJS())
  } catch (error) {
    throw new CommandFailed([`${path}: ${error instanceof Error ? error.message : error}`])
  }
}

/** A member of a mapping, in any letter case, as the API takes them. */
function memberOf(node: unknown, name: string) {
  if (!isMap(node)) return undefined
  return node.items.find(({ key }) => isScalar(key) && String(key.value).toLowerCase() === name.toLowerCase())
}

function nearest(document: Document, pointer: string): Node | undefined {
  const names = pointer.split('/').slice(1)
  let found: Node | undefined
  let value: unknown = document.contents
  for (const name of names.map(name => name.replaceAll('~1', '/').replaceAll('~0', '~'))) {
    if (isAlias(value)) value = value.resolve(document)
    const member = isSeq(value) ? value.items[Number(name)] : memberOf(value, name)
    if (!member) break
    const mark = isNode(member) ? member : Object(member).key
    value = isNode(member) ? member : Object(member).value
    if (isNode(mark)) found = mark
  }
  return found
}
