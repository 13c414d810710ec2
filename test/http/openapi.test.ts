// The OpenAPI description.
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Compile } from 'typebox/schema'
import { expect, inject, test } from 'vitest'
import { isProblemCode, problemKinds } from '../../runtime/problems/problem-codes.js'
import { readConfig } from '../../runtime/settings/config.js'
import { endpointsOf, otherRoutes } from '../../server/app.js'
import { api, newTenant } from '../support/api.js'
import { send } from '../support/http.js'

interface Operation {
  operationId: string
  summary: string
  description: string
  externalDocs: { url: string }
  tags: string[]
  security: Record<string, string[]>[]
  parameters: { name: string; in: string; required: boolean }[]
  requestBody?: { required: boolean; content: Record<string, { example?: unknown }> }
  responses: Record<string, { $ref?: string; content?: Record<string, { example?: unknown }> }>
}
interface SchemaOfProblem {
  properties?: { type?: { 'x-extensible-enum'?: string[]; description?: string } }
}
interface Description {
  openapi: string
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
  components: {
    schemas: Record<string, SchemaOfProblem>
    responses: Record<string, { content: Record<string, { schema: { $ref: string } }> }>
    securitySchemes: Record<string, object>
  }
}

const description = (await api(inject('baseUrl'), '').get<Description>('/openapi.json')).body

const all = () =>
  Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
/** Those of endpoints. The others have a way in of their own. */
const operations = () =>
  all().filter(({ operation }) => !['Tokens', 'Form pages', 'Endpoints'].includes(operation.tags[0] ?? ''))

test("the description passes redocly's strict rules, except for paths that the specification prescribes", async () => {
  const config = await createConfig({ extends: ['recommended-strict'] })
  const problems = await lintFromString({ source: JSON.stringify(description), config })
  expect(problems.map(({ ruleId, message }) => [ruleId, message.match(/`[^`]+`/g)])).toEqual([
    [
      'no-ambiguous-paths',
      ['`/{tenantKey}/SinglePass/{formKey}/launch`', '`/forms/{tenantKey}/instances/{instanceGuid}`'],
    ],
    ['no-ambiguous-paths', ['`/{tenantKey}/SinglePass/{formKey}`', '`/glue/{tenantKey}/{endpointKey}`']],
  ])
})

test('it is OpenAPI 3.1 of this very server, with the token request that works', async () => {
  const baseUrl = inject('baseUrl')
  expect(description).toMatchObject({ openapi: '3.1.0', servers: [{ url: baseUrl }] })
  expect(description.components.securitySchemes).toMatchObject({
    token: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: `${baseUrl}/identity/connect/token` } } },
  })
})

test('the request for a token is described as it is answered', async () => {
  const operation = all().find(each => each.operation.operationId === 'getToken')?.operation
  const { responses = {}, security } = operation ?? {}
  const faults = async (status: string, answer: Response) =>
    Compile(Object(responses[status]).content['application/json'].schema).Errors(await answer.json())
  const ask = (form: Record<string, string>) =>
    fetch(`${inject('baseUrl')}/identity/connect/token`, { method: 'POST', body: new URLSearchParams(form) })
  const credentials = { client_id: 'platform-admin', client_secret: 'platform-admin-secret', scope: 'PlatformAdmin' }
  const given = await ask({ grant_type: 'client_credentials', ...credentials })
  const refused = await ask({ grant_type: 'client_credentials', ...credentials, scope: 'Nothing' })
  expect([given.status, refused.status, security]).toEqual([200, 400, []])
  expect(await faults('200', given)).toEqual([true, []])
  expect(await faults('400', refused)).toEqual([true, []])
})

test('what the source declares and what is described are the same endpoints and routes', () => {
  const config = readConfig({ DATABASE_URL: 'mysql://x/x', ENCRYPTION_KEY: Buffer.alloc(32).toString('base64') })
  // Only the declarations are read: nothing behind them is touched.
  const stubs = { config } as unknown as Parameters<typeof endpointsOf>[0]
  const declared = [...endpointsOf(stubs), ...otherRoutes].map(
    ({ operationId, method, path }) => `${operationId}: ${method} ${path.replace(/:(\w+)/g, '{$1}')}`,
  )
  const described = all()
    .filter(({ operation }) => operation.operationId !== 'getToken')
    .map(({ path, method, operation }) => `${operation.operationId}: ${method} ${path}`)
  expect(described.sort()).toEqual(declared.sort())
  expect(described.length).toBeGreaterThan(20)
})

test('every operation that is described is served, and knows who may call it', async () => {
  for (const { path, method, operation } of operations()) {
    const there = await send(inject('baseUrl'), path.replace(/\{\w+\}/g, 'x'), { method: method.toUpperCase() })
    // Those of forms answer 403, never 401.
    const refusal =
      /^(Form (templates|instances)|Extracts)$/.test(operation.tags[0] ?? '') && !path.startsWith('/admin/')
        ? 'forbidden'
        : 'unauthenticated'
    expect(JSON.parse(there.text), `${method} ${path}`).toMatchObject({ type: `/problems/${refusal}` })
    expect(operation.security.length).toBeGreaterThan(0)
    expect(operation.description).toMatch(
      /\n\nScope: \w+( or \w+)*(, of a client that has \w+)?\. (Permission: .+|No permission beyond the scope)\.$/,
    )
  }
})

test('every operation is described in sentences of its own', () => {
  const described = [
    ...all().map(({ operation }) => operation),
    ...Object.values(description.webhooks).map(({ post }) => post),
  ]
  const prose = new Map(
    described.map(({ operationId, description: text }) => [operationId, text.split('\n\n')[0] ?? '']),
  )
  for (const [id, text] of prose) {
    const sentences = text.split(/(?<=[.:]) (?=[A-Z`])/)
    expect(sentences.length, `${id}: ${text}`).toBeGreaterThanOrEqual(2)
    expect(sentences.length, `${id}: ${text}`).toBeLessThanOrEqual(6)
    expect(text, id).toMatch(/^[A-Z].*[.]$/)
  }
  expect(new Set(prose.values()).size).toBe(described.length)
})

test('every parameter of a path is described, and required', () => {
  for (const { path, operation } of operations()) {
    const inPath = operation.parameters.filter(parameter => parameter.in === 'path')
    expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? [])
    expect(inPath.every(({ required }) => required)).toBe(true)
  }
})

test('operation ids are unique, tags explained, and no reference leads nowhere', () => {
  const ids = all().map(({ operation }) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
  const events = Object.values(description.webhooks).map(({ post }) => post)
  const used = new Set([...all().map(({ operation }) => operation), ...events].flatMap(({ tags }) => tags))
  expect(new Set(description.tags.map(({ name }) => name))).toEqual(used)
  for (const [, name = ''] of JSON.stringify(description).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    expect(description.components.schemas).toHaveProperty(name)
  }
})

test('every operation leads to a guide, which this server has, and says something in its description', async () => {
  const events = Object.values(description.webhooks).map(({ post }) => post)
  const operations = [...all().map(({ operation }) => operation), ...events]
  expect(operations.filter(({ description: text }) => text.length < 20)).toEqual([])
  const guides = new Set(operations.map(({ externalDocs }) => externalDocs.url))
  expect(guides.size).toBeGreaterThan(4)
  for (const url of guides) {
    expect(url).toMatch(`${inject('baseUrl')}/docs/`)
    const answer = await fetch(url)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(await answer.text()).toMatch(/^# /)
  }
})

test('every JSON body that is taken or answered has an example, recorded from a call', () => {
  const isMeant = ({ operation: { tags } }: { operation: Operation }) =>
    // Those of tenants are what their settings say, and pages are for people.
    !['Endpoints', 'Form pages'].includes(tags[0] ?? '')
  const without = all()
    .filter(isMeant)
    .flatMap(({ operation: { operationId, requestBody, responses } }) =>
      Object.entries({ request: requestBody, ...responses }).flatMap(([name, body]) => {
        const media = body?.content?.['application/json']
        return media && !(Number(name) >= 400) && media.example === undefined ? [`${operationId} ${name}`] : []
      }),
    )
  // Keys belong to all tenants of the stack: test/admin/armature.test.ts rotates them.
  expect(without).toEqual(['rotateSigningKeys 201'])
})

test('a summary names its subject: a person, a thing or an action', () => {
  const summaries = all().map(({ operation }) => operation.summary)
  expect(summaries.filter(summary => /^(Who|What|How|Which)\b|\.$/.test(summary))).toEqual([])
})

test('a POST that only reads takes no turn of the writers, so it does not answer too-many-writes', () => {
  const answers = (method: string) =>
    all().flatMap(({ method: each, operation }) =>
      each === method && JSON.stringify(operation.responses[429] ?? '').includes('Writes')
        ? [operation.operationId]
        : [],
    )
  expect(answers('get')).toEqual([])
  expect(answers('post')).toContain('upsertSubject')
  expect(answers('post').filter(id => id.startsWith('query'))).toEqual([])
})

test('every status of a problem names its codes, each with its meaning and next step', () => {
  for (const { operation } of all().filter(each => each.operation.operationId !== 'getToken')) {
    const statuses = Object.entries(operation.responses).filter(([status]) => Number(status) >= 400)
    expect(statuses.map(([status]) => status)).toEqual(expect.arrayContaining(['400', '429', '500', '503']))
    for (const [status, { $ref = '' }] of statuses) {
      const response = description.components.responses[$ref.replace('#/components/responses/', '')]
      const schema = response?.content['application/problem+json']?.schema.$ref.replace('#/components/schemas/', '')
      const { 'x-extensible-enum': types, description: text } =
        description.components.schemas[schema ?? '']?.properties?.type ?? {}
      const codes = types?.map(type => type.replace('/problems/', '')) ?? []
      expect(codes, `${operation.operationId} ${status}`).not.toEqual([])
      for (const code of codes) {
        if (!isProblemCode(code)) throw new Error(`${code} is no code`)
        const { meaning, next, ...kind } = problemKinds[code]
        expect(String(kind.status)).toBe(status)
        expect(text).toContain(`- \`${code}\`: ${meaning} ${next}`)
      }
    }
  }
})

test('our own marks and functions of schemas are not published', () => {
  expect(JSON.stringify(description)).not.toMatch(/"(publish|exact|\$id|~\w+)":/)
})

test('a bulk of entities describes the headers that steer its job; the other bulks are no jobs, and take a key', () => {
  const bulk = operations().filter(({ path }) => path.endsWith('/bulk'))
  expect(bulk).toHaveLength(5)
  for (const { path, operation } of bulk) {
    const headers = operation.parameters.filter(parameter => parameter.in === 'header').map(({ name }) => name)
    const statuses = Object.keys(operation.responses).filter(status => status < '400')
    if (path.endsWith('/structuralEntity/bulk')) {
      expect([headers, statuses]).toEqual([
        ['Idempotency-Key', 'Prefer'],
        ['202', '204'],
      ])
    } else {
      expect([headers, statuses]).toEqual([['Idempotency-Key'], [path.endsWith('/subject/bulk') ? '200' : '204']])
    }
  }
})

test('the description needs no token, and is the same with one', async () => {
  const tenant = await newTenant(inject('baseUrl'))
  expect((await tenant.get('/openapi.json')).body).toEqual(description)
})
