// Generates the OpenAPI description of the API.
import type { Endpoint } from './endpoint.js'
import { tokenOperation } from './identity/token-description.js'
import type { MultipartForm } from './middleware/multipart.js'
import type { Upload } from './middleware/upload.js'
import { published } from './schema/published.js'
import { tags } from './tags.js'

/** A problem document, as every error answer is one (RFC 9457). */
const problem = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'instance', 'traceId'],
  properties: {
    type: { type: 'string', description: 'Its last part is the stable code.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: { type: 'string' },
    traceId: { type: 'string', description: 'Finds the log lines of the request.' },
    errors: {
      type: 'array',
      description: 'Every fault of the request.',
      items: {
        type: 'object',
        required: ['pointer', 'code', 'detail'],
        properties: {
          pointer: { type: 'string', description: 'JSON pointer into the body, or /query/<name>, or /path/<name>.' },
          code: { type: 'string' },
          detail: { type: 'string' },
          index: { type: 'integer', description: 'Item of a batch.' },
          key: { type: 'string', description: 'Its Key, where it has one.' },
        },
      },
    },
  },
}

const meaning: Record<number, string> = {
  200: 'Success',
  201: 'Created',
  202: 'Accepted; goes on as a job',
  204: 'Done',
}

const components = '#/components/schemas/'

interface Json {
  [member: string]: unknown
}

interface Parameters {
  properties?: Record<string, { description?: string }>
  required?: readonly string[]
}

/** The OpenAPI 3.1 description, generated from the endpoints' own schemas. */
export function openApi(
  endpoints: readonly Endpoint[],
  { publicUrl, tokenUrl }: { publicUrl: string; tokenUrl: string },
): Json {
  const schemas: Record<string, unknown> = { Problem: problem }
  const paths: Record<string, Json> = {}
  // Another identity service has a description of its own.
  if (tokenUrl.startsWith(`${publicUrl}/`)) paths[tokenUrl.slice(publicUrl.length)] = { post: tokenOperation }
  for (const declared of endpoints) {
    const path = declared.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [declared.method]: operation(declared, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Armature',
      version: '1',
      summary: 'Integration platform: subjects in their hierarchy, forms, and data providers',
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: publicUrl }],
    security: [{ token: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas,
      securitySchemes: {
        token: {
          type: 'oauth2',
          description: 'Client credentials; the additional form field `tenant_key` may be left out.',
          flows: { clientCredentials: { tokenUrl, scopes: scopesOf(endpoints) } },
        },
      },
    },
  }
}

const scopesOf = (endpoints: readonly Endpoint[]) =>
  Object.fromEntries(
    [...new Set(endpoints.flatMap(({ scopes }) => scopes))].map(scope => [scope, `Endpoints that name ${scope}`]),
  )

function operation(declared: Endpoint, schemas: Record<string, unknown>): Json {
  const needs = [declared.permission ?? []].flat()
  const inPath = [...declared.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: published(declared.params?.properties[name ?? ''] ?? { type: 'string' }, schemas, components),
  }))
  const named = (place: 'query' | 'header', { properties = {}, required = [] }: Parameters = {}) =>
    Object.entries(properties).map(([name, { description, ...schema }]) => ({
      name,
      in: place,
      required: required.includes(name),
      description,
      ...('type' in schema && schema.type === 'object' ? { style: 'deepObject', explode: true } : {}),
      schema: published(schema, schemas, components),
    }))
  return {
    operationId: declared.operationId,
    summary: declared.summary,
    description: [
      `Scope: ${declared.scopes.join(' or ')}.`,
      needs.length > 0
        ? `Permission: ${needs.join(' or ')}${declared.unless ? `, unless ${declared.unless}` : ''}.`
        : 'No permission beyond the scope.',
    ].join(' '),
    tags: [declared.tag],
    security: declared.scopes.map(scope => ({ token: [scope] })),
    parameters: [...inPath, ...named('query', declared.query), ...named('header', declared.headers)],
    ...(declared.body
      ? {
          requestBody: {
            required: !declared.bodyOptional,
            content: { 'application/json': { schema: published(declared.body, schemas, components) } },
          },
        }
      : {}),
    ...(declared.form ? { requestBody: { required: true, content: formContent(declared.form) } } : {}),
    ...(declared.upload
      ? { requestBody: { required: !declared.upload.isOptional, content: uploadContent(declared.upload, schemas) } }
      : {}),
    responses: {
      ...Object.fromEntries(
        Object.entries(declared.answers).map(([status, schema]) => [
          status,
          {
            description: meaning[Number(status)] ?? status,
            ...(status === '200' && declared.answerHeaders ? { headers: headersOf(declared.answerHeaders) } : {}),
            ...(schema
              ? {
                  content: {
                    [declared.answerType ?? 'application/json']: { schema: published(schema, schemas, components) },
                    ...(status === '200' && declared.lines
                      ? { 'application/x-ndjson': { schema: published(declared.lines, schemas, components) } }
                      : {}),
                  },
                }
              : {}),
          },
        ]),
      ),
      '4XX': problemAnswer('The request cannot be served; `errors` names every fault, 500 at most'),
      '5XX': problemAnswer('The platform failed; a 503 can be tried again'),
    },
  }
}

const headersOf = ({ properties }: Parameters): Json =>
  Object.fromEntries(
    Object.entries(properties ?? {}).map(([name, { description, ...schema }]) => [name, { description, schema }]),
  )

/** The texts and the file of a form, as its parts are sent. */
function formContent({ fields, file }: MultipartForm): Json {
  const { properties = {}, required = [] } = published(fields, {}, components) as Json
  const { name, type, description } = file
  const schema = {
    type: 'object',
    required: [name, ...(required as string[])],
    properties: { [name]: { type: 'string', format: 'binary', description }, ...(properties as Json) },
  }
  return { 'multipart/form-data': { schema, encoding: { [name]: { contentType: type } } } }
}

/** The content types of an upload, each with what is said of it. */
const uploadContent = ({ types }: Upload, schemas: Record<string, unknown>): Json =>
  Object.fromEntries(
    Object.entries(types).map(([type, schema]) => [type, { schema: published(schema, schemas, components) }]),
  )

const problemAnswer = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
})
