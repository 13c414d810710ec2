// Reads the files that authors write: tenant manifests and form templates.
import { type Document, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { CommandFailed } from './command-failed.js'
import { embedPictures } from './embedded-pictures.js'

/** A tenant's manifest or the template of a form, as read from a file. */
export type AuthorFile = Content & (ManifestName | FormName)

/** Says which tenant a manifest is for. */
export interface ManifestName {
  kind: 'manifest'
  tenantKey: string
}

/** Says which version of which form a template is, and for which tenant. */
export interface FormName {
  kind: 'form'
  tenantKey: string
  formKey: string
  version: string
}

interface Content {
  /** The content as JSON for the request. */
  json: string
  /**
   * Returns `file:line: ` for a JSON pointer. If the pointer's value is missing, this is the nearest part around it, or
   * the file alone.
   */
  place(pointer: string): string
}

/** Members that only templates have. They tell a template from a manifest. */
const formMembers = ['buildingBlocks', 'version', 'title', 'classification']

/**
 * Reads a file of YAML, which includes JSON. Pictures that a form names become data URLs.
 * @param tenant the tenant of the file, if it is a form.
 * @throws CommandFailed with every fault and its line.
 */
export async function readAuthorFile(path: string, text: string, tenant: string | undefined): Promise<AuthorFile> {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const at = (offset: number) => `${path}:${lines.linePos(offset).line}: `
  if (document.errors.length > 0) {
    throw new CommandFailed(document.errors.map(error => at(error.pos[0]) + error.message))
  }
  const isForm = formMembers.some(name => memberOf(document.contents, name))
  if (isForm) await embedPictures(document, path, at)
  return {
    ...(isForm ? formName(path, document, tenant) : manifestName(path, document, tenant)),
    json: jsonOf(path, document),
    place(pointer) {
      const offset = nearest(document, pointer)?.range?.[0]
      return offset === undefined ? `${path}: ` : at(offset)
    },
  }
}

/**
 * Reads the tenant of a manifest.
 * @throws CommandFailed if it is not the one that the user named.
 */
function manifestName(path: string, document: Document, tenant: string | undefined): ManifestName {
  const tenantKey = textOf(document, 'key')
  if (!tenantKey) throw new CommandFailed([`${path}: a manifest begins with the key of its tenant: key: demo`])
  if (tenant !== undefined && tenant !== tenantKey) {
    throw new CommandFailed([`${path}: it is the manifest of '${tenantKey}', but --tenant is '${tenant}'`])
  }
  return { kind: 'manifest', tenantKey }
}

function formName(path: string, document: Document, tenantKey: string | undefined): FormName {
  const [formKey, version] = [textOf(document, 'key'), textOf(document, 'version')]
  if (!formKey || !version) {
    throw new CommandFailed([`${path}: a form begins with its key and version: key: wound-chart, version: 1`])
  }
  if (!tenantKey) throw new CommandFailed([`${path}: it is a form; name its tenant: --tenant demo`], 2)
  return { kind: 'form', tenantKey, formKey, version }
}

/**
 * Converts a file to JSON.
 * @throws CommandFailed for aliases that are circular or multiply too much.
 */
function jsonOf(path: string, document: Document): string {
  try {
    return JSON.stringify(document.toJS())
  } catch (error) {
    throw new CommandFailed([`${path}: ${error instanceof Error ? error.message : error}`])
  }
}

/** Returns a scalar member of the document as text, or an empty string. */
function textOf(document: Document, name: string): string {
  const value = memberOf(document.contents, name)?.value
  return isScalar(value) ? String(value.value ?? '') : ''
}

/** Finds a member of a mapping in any letter case, as the API does. */
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
