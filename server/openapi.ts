// Generates the OpenAPI description of the API.

import type { TObject, TSchema } from 'typebox'
import { WebhookEvent, WebhookHeaders, webhookEventType } from '../db/glue/webhook-events.js'
import { version } from '../runtime/process/version.js'
import type { Scope } from '../runtime/secrets/scopes.js'
import { basePathOf } from './base-path.js'
import { commitHeaders } from './commit-token.js'
import { type Endpoint, problemsOf, tellsCommits } from './endpoint.js'
import { addExamples } from './examples/examples.js'
import { type Guide, guidePath } from './guides.js'
import { tokenOperation } from './identity/token-description.js'
import { liveNote } from './live.js'
import type { MultipartForm } from './middleware/multipart.js'
import { type Components, problemAnswers, problemSchemas } from './openapi-problems.js'
import type { Operation, Route } from './operation.js'
import { nameNumberFormats, openWhatIsSent } from './schema/described-values.js'
import { openapiSchema } from './schema/openapi-schema.js'
import { type Tag, tags } from './tags.js'

const meaning: Record<number, string> = {
  200: 'Success',
  201: 'Created',
  202: 'Accepted; goes on as a job',
  204: 'Done',
  303: 'Done; another page shows it',
}

const schemasPlace = '#/components/schemas/'

interface Json {
  [member: string]: unknown
}

interface Parameters {
  properties?: Record<string, { description?: string }>
  required?: readonly string[]
}

/**
 * Generates the OpenAPI 3.1 description from the declarations of endpoints and other routes, and of the events that
 * webhooks send.
 */
export function openApi(
  endpoints: readonly Endpoint[],
  routes: readonly Route[],
  { publicUrl, tokenUrl }: { publicUrl: string; tokenUrl: string },
): Json {
  const components: Components = { schemas: { ...problemSchemas }, responses: {}, basePath: basePathOf(publicUrl) }
  const paths: Record<string, Json> = {}
  const linkTo = (guide: Guide) => ({ description: 'Guide', url: publicUrl + guidePath(guide) })
  const add = ({ path, method, tag, guide }: Operation, operation: Json) => {
    const externalDocs = linkTo(guide ?? tags[tag].guide)
    const template = path.replace(/:(\w+)/g, '{$1}')
    addExamples(operation)
    paths[template] = { ...paths[template], [method]: { ...operation, externalDocs } }
  }
  // If tokens come from another identity service, that service describes its own endpoint.
  if (tokenUrl.startsWith(`${publicUrl}/`)) {
    const post = { ...tokenOperation, externalDocs: linkTo(tags.Tokens.guide) }
    paths[tokenUrl.slice(publicUrl.length)] = { post }
  }
  for (const endpoint of endpoints) add(endpoint, endpointOperation(endpoint, components))
  for (const route of routes) add(route, routeOperation(route, components))
  const webhooks = { event: { post: { ...eventOperation(components), externalDocs: linkTo(tags.Events.guide) } } }
  // A copy, because some parts are constants of other files.
  const description: Json = structuredClone({
    openapi: '3.1.0',
    info: {
      title: 'Armature',
      version,
      summary: 'Integration platform: subjects in their hierarchy, forms, and data providers',
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: publicUrl }],
    security: [{ token: [] }],
    tags: Object.entries(tags).map(([name, { description }]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      schemas: components.schemas,
      responses: components.responses,
      securitySchemes: {
        token: {
          type: 'oauth2',
          description: 'Client credentials; the additional form field `tenant_key` may be left out.',
          flows: { clientCredentials: { tokenUrl, scopes: scopeMeanings } },
        },
        userToken: { type: 'http', scheme: 'bearer', description: 'A token of the authority that the tenant trusts.' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'An API key of the endpoint.' },
      },
    },
  })
  openWhatIsSent(description)
  nameNumberFormats(description)
  return description
}

const scopeMeanings: Record<Scope, string> = {
  FrameApi: 'Structural entities, groups, subjects, users, data sets and jobs',
  FormsApi: 'Forms, their instances and extracts',
  GlueRuntimeApi: 'Endpoints that tenants configure',
  FrameGlueDataProviderApi: 'Changes that data providers report',
  PlatformAdmin: 'Tenants and the platform, as far as the permissions of the client go',
}

function endpointOperation(declared: Endpoint, components: Components): Json {
  const { schemas } = components
  const needs = [declared.permission ?? []].flat()
  const access = [
    `Scope: ${declared.scopes.join(' or ')}${declared.clientScope ? `, of a client that has ${declared.clientScope}` : ''}.`,
    needs.length > 0
      ? `Permission: ${needs.join(' or ')}${declared.alsoPermission ? ` and ${declared.alsoPermission}` : ''}${declared.unless ? `, unless ${declared.unless}` : ''}.`
      : 'No permission beyond the scope.',
    ...(declared.live ? [liveNote] : []),
  ].join(' ')
  return {
    ...described(declared, access, components),
    security: declared.scopes.map(scope => ({ token: [scope] })),
    ...(declared.body
      ? {
          requestBody: {
            required: !declared.bodyOptional,
            content: { 'application/json': { schema: openapiSchema(declared.body, schemas, schemasPlace) } },
          },
        }
      : {}),
    ...(declared.form ? { requestBody: { required: true, content: formContent(declared.form) } } : {}),
    ...(declared.upload
      ? { requestBody: { required: !declared.upload.isOptional, content: contentOf(declared.upload.types, schemas) } }
      : {}),
    responses: {
      ...answersOf(declared, schemas, declared.lines, {}, tellsCommits(declared) ? commitHeaders : undefined),
      ...problemAnswers(problemsOf(declared), components),
    },
  }
}

function routeOperation(route: Route, components: Components): Json {
  const { request } = route
  return {
    ...described(route, route.access, components),
    security: route.security,
    ...(request
      ? { requestBody: { required: request.required, content: contentOf(request.content, components.schemas) } }
      : {}),
    responses: {
      ...answersOf(route, components.schemas, undefined, route.answerTypes),
      ...problemAnswers(route.problems, components, route),
    },
  }
}

/** Describes the event that the platform sends to a webhook of a tenant. */
const eventOperation = ({ schemas }: Components): Json => ({
  operationId: 'receiveEvent',
  summary: 'A change, sent to the webhooks of the tenant that ask for its kind',
  description:
    'Check the signature before you read the body. The same event may come again, with the same id; events of one subject, entity, job or instance come in their order.',
  tags: ['Events'] satisfies Tag[],
  security: [],
  parameters: parametersIn('header', WebhookHeaders, schemas),
  requestBody: { required: true, content: contentOf({ [webhookEventType]: WebhookEvent }, schemas) },
  responses: {
    '2XX': { description: 'Taken' },
    '410': { description: 'No more events are sent until somebody replays the webhook' },
    default: { description: 'The event is sent again later' },
  },
})

/** Describes what endpoints and other routes have in common. @param access who may call the operation. */
function described(operation: Operation, access: string, { schemas }: Components): Json {
  const { operationId, summary, description, tag, deprecated, path, params, query, headers } = operation
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: openapiSchema(params?.properties[name ?? ''] ?? { type: 'string' }, schemas, schemasPlace),
  }))
  return {
    operationId,
    summary,
    description: `${description}\n\n${access}`,
    tags: [tag],
    ...(deprecated ? { deprecated: true } : {}),
    parameters: [...inPath, ...parametersIn('query', query, schemas), ...parametersIn('header', headers, schemas)],
  }
}

/** Describes query parameters or headers. */
function parametersIn(place: 'query' | 'header', declared: TObject | undefined, schemas: Json): Json[] {
  const { properties = {}, required = [] }: Parameters = declared ?? {}
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    required: required.includes(name),
    description,
    ...('type' in schema && schema.type === 'object' ? { style: 'deepObject', explode: true } : {}),
    schema: openapiSchema(schema, schemas, schemasPlace),
  }))
}

/** Describes the answers that are not problems. */
function answersOf(
  { answers, answerType, answerHeaders }: Operation,
  schemas: Json,
  lines: TSchema | undefined,
  answerTypes: Record<number, string> = {},
  headersOfAll?: TObject,
): Json {
  const content = (status: string, schema: TSchema) => ({
    [answerTypes[Number(status)] ?? answerType ?? 'application/json']: schema,
    ...(status === '200' && lines ? { 'application/x-ndjson': lines } : {}),
  })
  return Object.fromEntries(
    Object.entries(answers).map(([status, schema]) => {
      const headers = { ...headersOf(headersOfAll), ...(status === '200' && headersOf(answerHeaders)) }
      return [
        status,
        {
          description: meaning[Number(status)] ?? status,
          ...(Object.keys(headers).length > 0 ? { headers } : {}),
          ...(schema ? { content: contentOf(content(status, schema), schemas) } : {}),
        },
      ]
    }),
  )
}

const headersOf = ({ properties, required = [] }: Parameters = {}): Json =>
  Object.fromEntries(
    Object.entries(properties ?? {}).map(([name, { description, ...schema }]) => [
      name,
      { description, required: required.includes(name), schema },
    ]),
  )

/** Describes a form with its text fields and its file. */
function formContent({ fields, file }: MultipartForm): Json {
  const { properties = {}, required = [] } = openapiSchema(fields, {}, schemasPlace) as Json
  const { name, type, description } = file
  const schema = {
    type: 'object',
    required: [name, ...(required as string[])],
    properties: {
      [name]: { type: 'string', format: 'binary', description },
      ...(properties as Json),
    },
  }
  return { 'multipart/form-data': { schema, encoding: { [name]: { contentType: type } } } }
}

/** Describes bodies by content type. */
const contentOf = (types: Record<string, TSchema>, schemas: Json): Json =>
  Object.fromEntries(
    Object.entries(types).map(([type, schema]) => [type, { schema: openapiSchema(schema, schemas, schemasPlace) }]),
  )
