// Reads the files that authors write: tenant manifests and form templates.
import { type Document, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { embedPictures } from '../manifest/embedded-pictures.js'
import { CommandFailed } from './command-failed.js'

/** A tenant's manifest or the template of a form, as it stands in a file. */
export type AuthorFile = Content & (ManifestName | FormName)

/** A manifest, and the tenant that it is of. */
export interface ManifestName {
  kind: 'manifest'
  tenantKey: string
}

/** The template of a form, and its place among those of a tenant. */
export interface FormName {
  kind: 'form'
  tenantKey: string
  formKey: string
  version: string
}

interface Content {
  /** The content as JSON for the request. */
  json: string
  /** `file:line: ` of what a JSON pointer names, or of the nearest thing around it; the file alone when it is elsewhere. */
  place(pointer: string): string
}

/** Members of a template, of which a manifest has none. */
const membersOfForms = ['buildingBlocks', 'version', 'title', 'classification']

/**
 * Reads YAML, of which JSON is a part. Files of pictures that it names become data URLs.
 * @param tenant the one that forms are of.
 * @throws CommandFailed with every fault and its line.
 */
export async function readAuthorFile(path: string, text: string, tenant: string | undefined): Promise<AuthorFile> {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const at = (offset: number) => `${path}:${lines.linePos(offset).line}: `
  if (document.errors.length > 0) {
    throw new CommandFailed(document.errors.map(error => at(error.pos[0]) + error.message))
  }
  const isForm = membersOfForms.some(name => memberOf(document.contents, name))
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

/** @throws CommandFailed where the manifest is of another tenant than the one that was said. */
function manifestName(path: string, document: Document, tenant: string | undefined): ManifestName {
  const tenantKey = textOf(document, 'key')
  if (!tenantKey) throw new CommandFailed([`${path}: a manifest begins with the key of its tenant: key: demo`])
  if (tenant !== undefined && tenant !== tenantKey) {
    throw new CommandFailed([`${path}: it is the manifest of '${tenantKey}', and --tenant says '${tenant}'`])
  }
  return { kind: 'manifest', tenantKey }
}

function formName(path: string, document: Document, tenantKey: string | undefined): FormName {
  const [formKey, version] = [textOf(document, 'key'), textOf(document, 'version')]
  if (!formKey || !version) {
    throw new CommandFailed([`${path}: a form begins with its key and version: key: wound-chart, version: 1`])
  }
  if (!tenantKey) throw new CommandFailed([`${path}: it is a form; say of which tenant: --tenant demo`], 2)
  return { kind: 'form', tenantKey, formKey, version }
}

/** @throws CommandFailed for aliases that go in circles or multiply. */
function jsonOf(path: string, document: Document): string {
  try {
    return JSON.stringify(document.toJS())
  } catch (error) {
    throw new CommandFailed([`${path}: ${error instanceof Error ? error.message : error}`])
  }
}

/** The scalar that a member of the whole is; empty where it is none. */
function textOf(document: Document, name: string): string {
  const value = memberOf(document.contents, name)?.value
  return isScalar(value) ? String(value.value ?? '') : ''
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
