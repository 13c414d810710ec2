// Calls of endpoints.
import { afterAll, expect, inject, test } from 'vitest'
import { tokenOf } from '../support/api.js'
import { recordingProvider } from '../support/endpoints.js'
import { glueTenant, oneEndpoint } from '../support/factories.js'
import { problem, send } from '../support/http.js'

const provider = await recordingProvider()
afterAll(() => provider.stop())

const echo = { name: 'echo', respond: { expression: 'request' } }

test('an endpoint is called by GET and by POST, with what the caller sends', async () => {
  const tenant = await oneEndpoint(provider, [echo])
  const path = tenant.path('e')
  expect(await tenant.send('GET', `${path}?a=1&b=2&b=3&c=`)).toMatchObject({
    status: 200,
    body: { method: 'GET', query: { a: '1', b: ['2', '3'], c: '' } },
  })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  expect(await tenant.send('POST', path, 'x=1&y=2&y=3', form)).toMatchObject({
    body: { body: { x: '1', y: ['2', '3'] } },
  })
  expect(await tenant.post(path, [1, { Aa: null }])).toMatchObject({
    body: { method: 'POST', query: {}, body: [1, { Aa: null }] },
  })
})

test.each(['PUT', 'PATCH', 'DELETE'])('%s is refused, since endpoints have GET and POST only', async method => {
  const tenant = await oneEndpoint(provider, [echo])
  const answer = await tenant.send(method, tenant.path('e'))
  expect(answer).toMatchObject({ status: 405, body: problem(405, 'method-not-allowed', tenant.path('e')) })
  expect(answer.headers.get('allow')).toMatch(/GET.*POST/)
})

test('a HEAD request does not run the endpoint', async () => {
  const tenant = await oneEndpoint(provider, [{ name: 'call', httpRequest: { provider: 'p', url: 'head' } }])
  const { status, headers } = await send(inject('baseUrl'), tenant.path('e'), { method: 'HEAD' })
  expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: 'GET, POST' })
  expect(provider.seen).toEqual([])
})

test('an endpoint that does not exist is 404 for the tenant’s own programs, and 401 for strangers', async () => {
  const tenant = await glueTenant({})
  const [client] = [await tenant.client([], ['GlueRuntimeApi'])]
  const path = tenant.path('none')
  expect(await client.get(path)).toMatchObject({ status: 404, body: problem(404, 'not-found', path) })
  expect(await tenant.call('none')).toMatchObject({ status: 401, body: problem(401, 'unauthenticated', path) })
  const nowhere = '/glue/no-such-tenant/none'
  expect(await client.get(nowhere)).toMatchObject({ status: 401, body: problem(401, 'unauthenticated', nowhere) })
})

test('an answer has the endpoint’s status and headers beside those of the platform', async () => {
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'max-age=60',
    'X-Own': '{{ request.query.a }}',
    'Content-Security-Policy': "default-src 'self'",
  }
  const tenant = await oneEndpoint(provider, [
    { name: 'r', respond: { status: 418, headers, body: '<p>{{ request.query.a | escape }}' } },
  ])
  const answer = await tenant.send('GET', `${tenant.path('e')}?a=b%3Cc`, undefined, { 'x-request-id': 'ours' })
  expect({ status: answer.status, body: answer.body }).toEqual({ status: 418, body: '<p>b&lt;c' })
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'max-age=60',
    'x-own': 'b<c',
    'content-security-policy': "sandbox allow-downloads allow-forms allow-popups allow-scripts, default-src 'self'",
    'x-content-type-options': 'nosniff',
    'x-request-id': 'ours',
    'content-length': '9',
  })
})

test.each([
  [{ body: 'a < b' }, 'text/plain; charset=utf-8', 'a < b'],
  [{ expression: '{"a": 1}' }, 'application/json; charset=utf-8', { a: 1 }],
  [{ expression: 'request.query.none' }, 'application/json; charset=utf-8', null],
  [{ body: '' }, 'text/plain; charset=utf-8', ''],
])('%j is answered as %s, and not kept by caches', async (respond, type, body) => {
  const tenant = await oneEndpoint(provider, [{ name: 'r', respond }])
  const answer = await tenant.call('e')
  expect(answer).toMatchObject({ status: 200, body })
  expect(answer.headers.get('content-type')).toBe(type)
  expect(answer.headers.get('cache-control')).toBe('no-store')
})

test.each([404, 405, 501, 503])("an endpoint's own status %i is passed on unchanged", async status => {
  const tenant = await oneEndpoint(provider, [{ name: 'r', respond: { status, expression: '{"own": true}' } }])
  expect(await tenant.call('e')).toMatchObject({ status, body: { own: true } })
})

test('a body that is too large, no JSON or of another type is refused, and nothing is run', async () => {
  const tenant = await oneEndpoint(provider, [{ name: 'call', httpRequest: { provider: 'p', url: 'x' } }])
  const path = tenant.path('e')
  const before = provider.seen.length
  expect(await tenant.post(path, 'x'.repeat(1_100_000))).toMatchObject({
    status: 413,
    body: problem(413, 'body-too-large', path),
  })
  // 900,000 bytes that are more when they are written out.
  expect(await tenant.post(path, `[${'1e20,'.repeat(180_000)}1]`)).toMatchObject({
    status: 413,
    body: problem(413, 'body-too-large', path),
  })
  expect(await tenant.post(path, '{"a":')).toMatchObject({ status: 400, body: problem(400, 'malformed-json', path) })
  expect(await tenant.send('POST', path, 'a', { 'content-type': 'text/plain' })).toMatchObject({
    status: 415,
    body: problem(415, 'content-type', path),
  })
  expect(provider.seen.length).toBe(before)
})

test('a tenant’s limit of requests counts for each of its endpoints', async () => {
  const steps = [echo]
  const tenant = await glueTenant(
    {
      endpoints: [
        { key: 'e', steps },
        { key: 'f', steps },
      ],
    },
    { requestsPerMinute: 3 },
  )
  const answers = []
  for (let n = 0; n < 5; n++) answers.push(await tenant.call('e'))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429])
  expect(answers[4]).toMatchObject({ body: problem(429, 'rate-limited', tenant.path('e')) })
  expect(Number(answers[4]?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await tenant.call('f')).status).toBe(200)
  const elsewhere = await tenant.call('e', {}, { 'x-forwarded-for': '192.0.2.7' })
  expect(elsewhere.status, 'an open endpoint, from another address').toBe(200)
})

test('structured data is asked for by POST, in any letter case', async () => {
  const tenant = await glueTenant({
    endpoints: [
      {
        key: 'e',
        capability: 'structuredData',
        steps: [
          { name: 'asked', transform: { expression: '[request.body]' } },
          { name: 'r', respond: { rows: 'steps.asked' } },
        ],
      },
    ],
  })
  const path = tenant.path('e')
  const body = { SubjectIdentifier: 's', CURSOR: null, pagesize: 5, Options: { Kept: 'As it Is' } }
  expect(await tenant.post(path, body)).toMatchObject({
    status: 200,
    body: { dataPoints: [{ subjectIdentifier: 's', cursor: null, pageSize: 5, options: { Kept: 'As it Is' } }] },
  })
  expect(await tenant.post(path, {})).toMatchObject({ status: 200, body: { dataPoints: [{ options: {} }] } })
  expect(await tenant.post(path, { pageSize: 'x', subjectIdentifier: 1 })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/subjectIdentifier' }, { pointer: '/pageSize' }] },
  })
  expect(await tenant.get(path)).toMatchObject({ status: 405, body: problem(405, 'method-not-allowed', path) })
})

test('an endpoint that requires an API key refuses a bearer token', async () => {
  const tenant = await glueTenant({ endpoints: [{ key: 'e', authentication: [{ apiKey: {} }], steps: [echo] }] })
  const token = await tokenOf(inject('baseUrl'), {
    id: 'demo-integration',
    secret: 'demo-integration-secret',
    tenantKey: 'demo',
    scope: 'GlueRuntimeApi',
  })
  expect(await tenant.call('e', undefined, { authorization: `Bearer ${token}` })).toMatchObject({ status: 401 })
})
