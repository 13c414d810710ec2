// Reads the operations of the API from its description.
import { api } from './api.js'

export interface Schema {
  $ref?: string
  type?: string
  format?: string
  properties?: Record<string, Schema>
  items?: Schema
  maxItems?: number
  enum?: unknown[]
  additionalProperties?: Schema | boolean
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
}

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  schema: Schema
}

interface Described {
  operationId: string
  description: string
  security: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Record<string, { schema: Schema; example?: unknown }> }
  responses: Record<string, { $ref?: string }>
}

interface Description {
  paths: Record<string, Record<string, Described>>
  components: {
    schemas: Record<string, Schema & { properties?: { type?: { 'x-extensible-enum'?: string[] } } }>
    responses: Record<string, { content: Record<string, { schema: { $ref: string } }> }>
  }
}

export interface Operation {
  operationId: string
  method: string
  /** With parameters as `{name}`. */
  path: string
  /** Any one of these is needed; none if the operation takes other callers than clients with a token. */
  scopes: string[]
  /** The scope that the client needs, whichever its token has. */
  clientScope?: string
  /** One permission of each list is needed. */
  permissions: string[][]
  parameters: Parameter[]
  body?: { required: boolean; type: string; schema: Schema; example?: unknown }
  /** The problem codes that it may answer with, by status. */
  problems: Record<string, string[]>
}

export interface Operations {
  operations: Operation[]
  /** Follows a reference. */
  schemaOf(schema: Schema): Schema
}

/** Tells whether an operation is for administrators alone, who belong to every tenant. */
export const isOfPlatform = ({ scopes }: Operation): boolean => scopes.join() === 'PlatformAdmin'

/** Reads the description of an API. */
export async function readOperations(baseUrl: string): Promise<Operations> {
  const { paths, components } = (await api(baseUrl, '').get<Description>('/openapi.json')).body
  const nameOf = (reference: string) => reference.split('/').at(-1) ?? ''
  const schemaOf = (schema: Schema): Schema =>
    schema.$ref ? schemaOf(components.schemas[nameOf(schema.$ref)] ?? {}) : schema
  const codesOf = (reference: string): string[] => {
    const content = components.responses[nameOf(reference)]?.content['application/problem+json']
    const types = components.schemas[nameOf(content?.schema.$ref ?? '')]?.properties?.type?.['x-extensible-enum']
    return (types ?? []).map(type => type.replace('/problems/', ''))
  }
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]): Operation => {
      const { operationId, description, security, parameters = [], requestBody, responses } = described
      const [type = '', content] = Object.entries(requestBody?.content ?? {})[0] ?? []
      const [, clientScope] = /Scope: [^.]*, of a client that has (\w+)\./.exec(description) ?? []
      const [, permissions] = /\. Permission: ([\w:]+(?: (?:or|and) [\w:]+)*)/.exec(description) ?? []
      const needsToken = security.length > 0 && security.every(({ token }) => token)
      return {
        operationId,
        method: method.toUpperCase(),
        path,
        scopes: needsToken ? security.flatMap(({ token = [] }) => token) : [],
        ...(clientScope ? { clientScope } : {}),
        permissions: permissions?.split(' and ').map(each => each.split(' or ')) ?? [],
        parameters,
        ...(requestBody && content ? { body: { required: requestBody.required, type, ...content } } : {}),
        problems: Object.fromEntries(
          Object.entries(responses).map(([status, { $ref }]) => [status, $ref ? codesOf($ref) : []]),
        ),
      }
    }),
  )
  return { operations, schemaOf }
}
