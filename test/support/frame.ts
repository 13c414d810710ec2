// Bodies and paths of the frame API, and ways to read its lists.
import { expect } from 'vitest'
import type { Api, Problem, Reply } from './api.js'

export interface Page<Node> {
  PageInfo: {
    HasNextPage: boolean
    HasPreviousPage: boolean
    StartCursor: string
    EndCursor: string
    TotalCount: number
  }
  Edges: { Node: Node; Cursor: string }[]
}

interface FieldBody {
  Name: string
  Key: string
  Type: string
  Required: boolean
}

export interface TypeBody {
  Name: string
  Key: string
  SubjectAssignable: boolean
  CustomFields: FieldBody[]
}

export interface EntityBody {
  Key: string
  DisplayName: string
  ParentKey: string | null
  Depth: number
  StructureType: TypeBody
  CustomFieldValues: { Field: FieldBody; Value: { DataType: string; ValueText: string } }[]
}

export interface GroupBody {
  Key: string
  DisplayName: string
  StructuralEntityKeys: string[]
}

export const paths = {
  types: '/api/v1/structureType',
  entities: '/api/v1/structuralEntity',
  groups: '/api/v1/group',
} as const

/** An answer without UpdatedAt at any depth: two writes of the same differ in nothing else. */
export const timeless = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body, (name, value) => (name === 'UpdatedAt' ? undefined : value)))

/** Returns the path of an item. The key may contain any characters. */
export const at = (path: string, key: string): string => `${path}/${encodeURIComponent(key)}`

/** Returns the path of a list with query parameters. */
export const list = (path: string, query: Record<string, string>): string => `${path}?${new URLSearchParams(query)}`

/** Writes bodies, which must succeed. Meant for what a test builds upon and not for what it tests. */
export async function put(tenant: Api, path: string, ...bodies: object[]): Promise<void> {
  for (const body of bodies) {
    const { status, body: answer } = await tenant.put(path, body)
    if (status >= 300) throw new Error(`${path}: ${JSON.stringify(answer)}`)
  }
}

/** Reads all nodes of a list, page by page. */
export async function readAll<Node>(tenant: Api, path: string, query: Record<string, string> = {}): Promise<Node[]> {
  const nodes: Node[] = []
  let after: string | undefined
  do {
    const asked = list(path, { First: '1000', ...query, ...(after === undefined ? {} : { After: after }) })
    const { status, body } = await tenant.get<Page<Node>>(asked)
    if (status !== 200) throw new Error(`${asked}: ${JSON.stringify(body)}`)
    nodes.push(...body.Edges.map(edge => edge.Node))
    after = body.PageInfo.HasNextPage ? body.PageInfo.EndCursor : undefined
  } while (after !== undefined)
  return nodes
}

/** Reads the hierarchy as `key: parent@depth`, where the parent of a root is `-`. */
export async function readTree(tenant: Api): Promise<Record<string, string>> {
  const entities = await readAll<EntityBody>(tenant, paths.entities)
  return Object.fromEntries(entities.map(({ Key, ParentKey, Depth }) => [Key, `${ParentKey ?? '-'}@${Depth}`]))
}

/** Reads the keys of a list, in its order. */
export async function keysOf(tenant: Api, path: string, query: Record<string, string> = {}): Promise<string[]> {
  return (await readAll<{ Key: string }>(tenant, path, query)).map(node => node.Key)
}

/** Summarizes a problem: status, code, and each fault as `code pointer`, with ` #index` if it belongs to an item. */
export function refusal(reply: Reply): { status: number; code: string; errors: string[] } {
  expect(reply.status, 'a refusal').toBeGreaterThanOrEqual(400)
  expect(reply.headers.get('content-type')).toMatch(/^application\/problem\+json/)
  const { type, title, status, detail, instance, traceId, errors = [] } = reply.body as Problem
  expect(status).toBe(reply.status)
  for (const text of [title, detail, traceId, ...errors.map(error => error.detail)]) expect(text).toMatch(/\S/)
  expect(instance).toMatch(/^\/(api|admin)\//)
  return {
    status,
    code: type.replace('/problems/', ''),
    errors: errors.map(
      ({ code, pointer, index }) => `${code} ${pointer}`.trim() + (index === undefined ? '' : ` #${index}`),
    ),
  }
}

/** The summary of a validation problem with these faults. */
export const invalid = (...errors: string[]) => ({ status: 400, code: 'validation', errors })
