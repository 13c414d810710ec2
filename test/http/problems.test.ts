// Problem documents.
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { type Api, api, newTenant } from '../support/api.js'
import { problem, send, sendBytes } from '../support/http.js'

const group = '/api/v1/group'
const tenant = await newTenant(inject('baseUrl'))

type Case = [name: string, method: string, path: string, body: unknown, expected: object]
const cases: Case[] = [
  ['a path that does not exist', 'GET', '/api/v1/nothing', undefined, problem(404, 'no-such-path', '/api/v1/nothing')],
  ['the root', 'GET', '/', undefined, problem(404, 'no-such-path', '/')],
  ['a thing that does not exist', 'GET', `${group}/x`, undefined, problem(404, 'not-found', `${group}/x`)],
  ['another method', 'PATCH', group, {}, problem(405, 'method-not-allowed', group)],
  ['malformed JSON', 'PUT', group, '{"Key":', problem(400, 'malformed-json', group)],
  ['no body', 'PUT', group, '', problem(400, 'empty-body', group)],
  [
    'a body that breaks rules',
    'PUT',
    group,
    { Key: 7 },
    problem(400, 'validation', group, {
      errors: [
        { pointer: '/Name', code: 'required', detail: 'Name is required.' },
        { pointer: '/Key', code: 'wrong-type', detail: 'It must be string.' },
      ],
    }),
  ],
  [
    'query parameters that break rules',
    'GET',
    `${group}?First=0&Colour=red`,
    undefined,
    problem(400, 'validation', group, {
      errors: [
        { pointer: '/query/Colour', code: 'unknown-parameter', detail: 'The parameter Colour is not known here.' },
        { pointer: '/query/First', code: 'out-of-range', detail: 'It must be >= 1.' },
      ],
    }),
  ],
  [
    'an item of a batch',
    'PUT',
    `${group}/bulk`,
    [{ Key: 'a', Name: 'A' }, { key: 'b' }],
    problem(400, 'validation', `${group}/bulk`, {
      errors: [{ pointer: '/1/Name', code: 'required', detail: 'Name is required.', index: 1, key: 'b' }],
    }),
  ],
]

test.each(cases)('%s is answered by a problem document', async (_, method, path, body, expected) => {
  const answer = await tenant.send(method, path, body)
  expect(answer.body).toEqual(expected)
  expect(answer.body).toMatchObject({ status: answer.status, traceId: answer.headers.get('x-request-id') })
  expect(answer.headers.get('content-type')).toBe('application/problem+json')
})

test('refused requests have written nothing', async () => {
  expect((await tenant.get<{ Edges: unknown[] }>(group)).body.Edges).toEqual([])
})

describe('without a token', () => {
  let stranger: Api
  beforeAll(() => {
    stranger = api(inject('baseUrl'), '')
  })

  test('401 comes before any look at query or body', async () => {
    for (const answer of [await stranger.get(`${group}?Colour=red`), await stranger.put(group, '{"Key":')]) {
      expect(answer.body).toEqual(problem(401, 'unauthenticated', group))
    }
  })

  test('a path that does not exist is still 404', async () => {
    expect((await stranger.get('/api/v2/group')).body).toEqual(problem(404, 'no-such-path', '/api/v2/group'))
  })
})

describe('another method', () => {
  test.each([
    ['PATCH', group, ['GET', 'HEAD', 'PUT']],
    ['POST', `${group}/x`, ['DELETE', 'GET', 'HEAD']],
    ['GET', `/api/v1/jobs/x/cancel`, ['POST']],
    ['PROPFIND', group, ['GET', 'HEAD', 'PUT']],
    ['DELETE', '/openapi.json', ['GET', 'HEAD']],
  ])('%s %s is 405 and told what is allowed', async (method, path, allowed) => {
    const { status, headers, text } = await send(inject('baseUrl'), path, { method })
    expect([status, headers.allow?.split(', ').sort()]).toEqual([405, allowed])
    expect(JSON.parse(text)).toEqual(problem(405, 'method-not-allowed', path))
  })

  test('OPTIONS answers what is allowed', async () => {
    const { status, headers } = await send(inject('baseUrl'), group, { method: 'OPTIONS' })
    expect([status, headers.allow?.split(', ').sort()]).toEqual([200, ['GET', 'HEAD', 'PUT']])
  })
})

describe('HEAD', () => {
  test.each([group, `${group}/x`, '/openapi.json', '/docs'])(
    'of %s answers what GET answers, without the body',
    async path => {
      const headers = { authorization: `Bearer ${tenant.token}` }
      const [get, head] = [
        await send(inject('baseUrl'), path, { headers }),
        await send(inject('baseUrl'), path, { method: 'HEAD', headers }),
      ]
      expect(head.text).toBe('')
      const told = ({ status, headers }: typeof get) => [status, headers['content-type'], headers['content-length']]
      expect(told(head)).toEqual(told(get))
    },
  )
})

describe('a malformed path', () => {
  const authorized = () => ({ authorization: `Bearer ${tenant.token}` })
  test.each([`${group}/%`, `${group}/%zz`, `${group}/%ff`, `${group}/%c3%28`, '/docs/%zz', '/%', '/identity/%zz'])(
    '%s is 400 or 404, by a problem document',
    async path => {
      const { status, text } = await send(inject('baseUrl'), path, { headers: authorized() })
      expect([400, 404]).toContain(status)
      expect(JSON.parse(text)).toMatchObject({ status, traceId: expect.any(String) })
    },
  )

  test.each(['//', '/..', '/../../etc/passwd', '/docs/../package.json', '/docs/..%2fpackage.json', '/docs/%2e%2e/x'])(
    '%s leads nowhere',
    async path => {
      const { status, text } = await send(inject('baseUrl'), path)
      expect([400, 403, 404]).toContain(status)
      expect(JSON.parse(text)).toMatchObject({ status })
    },
  )

  test('a key of slashes, percents and other letters is found by its escaped form', async () => {
    const key = 'a/b%c é😀?#'
    await tenant.put(group, { Key: key, Name: 'odd' })
    const { body } = await tenant.get(`${group}/${encodeURIComponent(key)}`)
    expect(body).toEqual({ Key: key, DisplayName: 'odd', StructuralEntityKeys: [] })
  })
})

test.each([
  [
    'more headers than Node reads',
    `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
    431,
    'headers-too-large',
  ],
  ['another protocol', 'HELO x\r\n\r\n', 400, 'malformed-request'],
  ['a header with a bare carriage return', 'GET / HTTP/1.1\r\nHost: x\r\nX: a\rb\r\n\r\n', 400, 'malformed-request'],
  [
    'two lengths',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    400,
    'malformed-request',
  ],
])('%s: a problem document, and the connection ends', async (_, request, status, code) => {
  const answer = await sendBytes(inject('baseUrl'), [request])
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(head).toContain('Content-Type: application/problem+json')
  expect(JSON.parse(body)).toEqual(problem(status, code, '/'))
})

test('no answer may be cached unless it is the same for everybody', async () => {
  const cached = async (path: string) => (await fetch(inject('baseUrl') + path)).headers.get('cache-control')
  expect(await cached('/api/v1/group')).toBe('no-store')
  expect(await cached('/nowhere')).toBe('no-store')
  expect(await cached('/demo/SinglePass/none')).toBe('no-store')
  expect(await cached('/openapi.json')).toBe('public, max-age=60')
  expect(await cached('/docs/swagger-ui.css')).toBe('no-cache')
})
