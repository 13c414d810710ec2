// Steps of pipelines.
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { type Canned, type Provider, rawAnswer, recordingProvider } from '../support/endpoints.js'
import { type EndpointTenant, glueTenant, oneEndpoint } from '../support/factories.js'
import { problem } from '../support/http.js'

const provider = await recordingProvider(({ path }) => ({
  headers: { 'X-Page': '7' },
  body: path.startsWith('/text') ? 'as it is' : { items: [{ id: 1 }, { id: 2 }], next: `${provider.url}/v1/more` },
}))
afterAll(() => provider.stop())

/** The provider's newest request, and what the endpoint answered. */
async function called(
  httpRequest: object,
  body: unknown = { name: 'Zoë "Z" & co', list: [1, 2] },
  query = '?a=1&a=2&b=x%20y',
) {
  const tenant = await oneEndpoint(provider, [{ name: 'call', httpRequest: { provider: 'p', ...httpRequest } }], {
    variables: { tenantName: 'North' },
    secrets: [{ name: 'key', value: 'of the provider', hosts: [new URL(provider.url).host] }],
  })
  const answer = await tenant.post(`${tenant.path('e')}${query}`, body, { authorization: '' })
  return { ...answer, seen: provider.seen.at(-1) }
}

describe('httpRequest', () => {
  test('sends what its templates say, and nothing of the request that they do not', async () => {
    const { status, body, seen } = await called({
      method: 'POST',
      url: 'people/{{ request.body.name | url_encode }}?fixed=1',
      query: {
        first: '{{ request.query.a[0] }}',
        text: '{{ request.query.b }}&c',
        none: '{{ request.query.c | default: "" }}',
      },
      headers: { 'X-Tenant': '{{ variables.tenantName }}', Authorization: 'Key {{ variables.key }}', 'X-None': '' },
      body: '{"who": {{ request.body.name | json }}, "list": {{ request.body.list }}, "by": "{{ request.method }}"}',
    })
    expect(seen).toMatchObject({
      method: 'POST',
      path: '/people/Zo%C3%AB+%22Z%22+%26+co?fixed=1&first=1&text=x+y%26c',
      headers: { 'x-tenant': 'North', authorization: 'Key of the provider', 'content-type': 'application/json' },
    })
    expect(Object.keys(seen?.headers ?? {}).sort()).toEqual(
      [
        'accept-encoding',
        'authorization',
        'connection',
        'content-length',
        'content-type',
        'host',
        'idempotency-key',
        'x-tenant',
      ].sort(),
    )
    expect(JSON.parse(seen?.body ?? '')).toEqual({ who: 'Zoë "Z" & co', list: [1, 2], by: 'POST' })
    expect({ status, body }).toEqual({
      status: 200,
      body: { items: [{ id: 1 }, { id: 2 }], next: `${provider.url}/v1/more` },
    })
  })

  test.each(['1&role=admin', '1", "role": "admin', '1"}, "role": {"is": "admin', '1?role=admin#'])(
    'sends %j of a caller as one value of the path, the query, a JSON body and a form',
    async name => {
      const sent = { method: 'POST', url: 'people/{{ request.body.name }}?id={{ request.body.name }}&n=1' }
      const json = await called({ ...sent, body: '{"id": "{{ request.body.name }}"}' }, { name })
      const url = new URL(json.seen?.path ?? '', provider.url)
      expect([decodeURIComponent(url.pathname), ...url.searchParams]).toEqual([
        `/people/${name}`,
        ['id', name],
        ['n', '1'],
      ])
      expect(JSON.parse(json.seen?.body ?? '')).toEqual({ id: name })
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
      const form = await called({ ...sent, headers, body: 'id={{ request.body.name }}&n=1' }, { name })
      expect([...new URLSearchParams(form.seen?.body)]).toEqual([
        ['id', name],
        ['n', '1'],
      ])
    },
  )

  test('takes another content type, and then any text', async () => {
    const { seen } = await called({
      method: 'PUT',
      url: 'x',
      headers: { 'Content-Type': 'text/csv' },
      body: 'a;{{ request.query.b }}',
    })
    expect(seen).toMatchObject({ method: 'PUT', headers: { 'content-type': 'text/csv' }, body: 'a;x y' })
  })

  test('has no body and no Idempotency-Key if it only reads', async () => {
    const { seen } = await called({ url: '/x' })
    expect(seen).toMatchObject({ method: 'GET', path: '/x', body: '' })
    expect(seen?.headers).not.toHaveProperty('idempotency-key')
    expect(seen?.headers).not.toHaveProperty('content-type')
  })

  test.each([
    ['an absolute address elsewhere', 'https://example.org/x'],
    ['the same host by another port', 'http://127.0.0.1:1/x'],
    ['the way up', '../../x'],
    ['the way up, encoded', '%2e%2e/x'],
    ['what is no URL', 'http://[x'],
    ['a path with a line break', 'a\nb'],
  ])('does not go to %s because a caller says so, and tells the caller', async (_, url) => {
    const before = provider.seen.length
    const tenant = await glueTenant({
      providers: [{ key: 'p', url: `${provider.url}/v1` }],
      endpoints: [
        { key: 'e', steps: [{ name: 'call', httpRequest: { provider: 'p', url: '{{ request.body.url }}' } }] },
      ],
    })
    expect(await tenant.call('e', { url })).toMatchObject({
      status: 400,
      body: {
        type: '/problems/address-value',
        detail: expect.stringContaining("The step 'call' builds its address from the request."),
      },
    })
    expect(provider.seen.length).toBe(before)
  })

  test.each([
    ['from the root', '/v1/list?page=2', 200, '/v1/list?page=2'],
    ['of a query alone', '?page=2', 200, '/v1/list?page=2'],
    ['to a name that the manifest has', 'http://backend:8080/list?page=2', 200, '/v1/list?page=2'],
    ['to another host', 'https://elsewhere.example/list', 502, 'https://elsewhere.example'],
    ['to another path', '/v2/list', 502, 'http://127.0.0.1'],
  ])('follows a link %s of the provider, or names its host', async (_, link, status, expected) => {
    const linking = await recordingProvider(() => ({ body: { next: link } }))
    onTestFinished(() => linking.stop())
    const tenant = await oneEndpoint(
      linking,
      [
        { name: 'first', httpRequest: { provider: 'p', url: 'list' } },
        { name: 'second', httpRequest: { provider: 'p', url: '{{ steps.first.body.next }}' } },
        { name: 'r', respond: { expression: '"done"' } },
      ],
      { providers: [{ key: 'p', url: `${linking.url}/v1`, alsoKnownAs: ['http://backend:8080'] }] },
    )
    const answer = await tenant.call<{ type: string; detail: string }>('e')
    expect(answer.status).toBe(status)
    if (status === 200) expect(linking.seen.at(-1)?.path).toBe(expected)
    else
      expect(answer.body).toMatchObject({
        type: '/problems/next-elsewhere',
        detail: expect.stringContaining(`leads to ${expected}`),
      })
  })

  test('follows an address that the provider gave, at the provider', async () => {
    const steps = [
      { name: 'first', httpRequest: { provider: 'p', url: 'list' } },
      {
        name: 'second',
        httpRequest: { provider: 'p', url: '{{ steps.first.body.next }}?page={{ steps.first.headers.x-page }}' },
      },
    ]
    const tenant = await oneEndpoint({ url: `${provider.url}/v1` }, steps)
    expect((await tenant.call('e')).status).toBe(200)
    expect(provider.seen.slice(-2).map(({ path }) => path)).toEqual(['/v1/list', '/v1/more?page=7'])
  })

  test('gives a text as it is', async () => {
    expect(await called({ url: 'text' })).toMatchObject({ status: 200, body: 'as it is' })
  })
})

describe('what a provider answers', () => {
  const answers: Record<string, { headers?: Record<string, string>; body: Buffer | string; status?: number }> = {}
  let tenant: EndpointTenant
  let says: Provider
  beforeAll(async () => {
    says = await recordingProvider(({ path }) => answers[path.slice(1)] ?? { body: path })
    const call = { name: 'call', httpRequest: { provider: 'p', url: '{{ request.query.p }}', accept: [404] } }
    const second = {
      name: 'second',
      httpRequest: { provider: 'p', url: 'next', query: { id: '{{ steps.call.body.id }}' } },
    }
    tenant = await glueTenant({
      providers: [{ key: 'p', url: says.url }],
      endpoints: [
        { key: 'e', steps: [call] },
        {
          key: 'template',
          steps: [call, { name: 'r', respond: { body: '{{ steps.call.body.id }} {{ steps.call.body }}' } }],
        },
        {
          key: 'two-calls',
          steps: [
            call,
            second,
            { name: 'r', respond: { expression: '{ "Id": steps.call.body.id, "of": steps.second.body }' } },
          ],
        },
      ],
    })
  })
  afterAll(() => says?.stop())

  const asked = async (answer: (typeof answers)[string], endpoint = 'e') => {
    answers.x = answer
    const { status, headers, body } = await rawAnswer(`${tenant.path(endpoint)}?p=x`)
    return { status, type: headers.get('content-type'), body }
  }
  const json = 'application/json; charset=utf-8'

  test.each([
    ['ISO-8859-1', Buffer.from('["Zo\xeb"]', 'latin1'), 'application/json; charset=ISO-8859-1'],
    ['UTF-8 with a byte order mark', Buffer.from('\ufeff["Zoë"]'), 'application/json'],
    ['UTF-16', Buffer.from('\ufeff["Zoë"]', 'utf16le'), 'application/json'],
  ])('in %s is passed on in UTF-8', async (_, body, type) => {
    expect(await asked({ headers: { 'content-type': type }, body })).toEqual({
      status: 200,
      type: json,
      body: '["Zoë"]',
    })
  })

  test.each([
    ['a PDF', Buffer.from('%PDF-1.7\n\xe2'), 'application/pdf', 200, 'application/pdf is no text'],
    ['a PDF with a status that the step takes', '%PDF-1.7', 'application/pdf', 404, 'application/pdf is no text'],
    [
      'Latin-1 that says nothing',
      Buffer.from('Zo\xeb', 'latin1'),
      'text/plain',
      200,
      'its bytes are not in the charset utf-8',
    ],
    ['a charset of nobody', 'Zoe', 'text/plain; charset=x-nobodys', 200, 'the charset x-nobodys is unknown'],
  ])('%s is refused, and the problem names step, status, type and what to do', async (_, body, type, status, why) => {
    const answer = await asked({ headers: { 'content-type': type }, body, status })
    expect(answer.status).toBe(502)
    expect(JSON.parse(answer.body)).toMatchObject({
      type: '/problems/provider-answer-no-text',
      detail:
        `The step 'call' failed: the provider answered ${status} with ${type.replace(/;.*/, '')}, but ${why}. Steps take JSON ` +
        'and other texts only: have the provider send one, in the charset that its content type names.',
    })
  })

  test.each([
    ['half a character', '["\\ud800"]', 'JSON with an escape of half a surrogate pair'],
    ['a number that nothing holds', '[1e999]', 'a number too large to store'],
  ])('%s is refused', async (_, body, why) => {
    const answer = await asked({ headers: { 'content-type': 'application/json' }, body })
    expect(JSON.parse(answer.body)).toMatchObject({
      status: 502,
      type: '/problems/provider-failed',
      detail: `The step 'call' failed: the provider answered 200 with ${why}.`,
    })
  })

  const long = '{"id":9007199254740993,"weight":72.66666666666666666667}'
  const body = { headers: { 'content-type': 'application/json' }, body: long }

  test('keeps the digits of its numbers as the answer', async () => {
    expect(await asked(body)).toEqual({ status: 200, type: json, body: long })
  })

  test('keeps the digits of its numbers in templates', async () => {
    expect(await asked(body, 'template')).toMatchObject({ status: 200, body: `9007199254740993 ${long}` })
  })

  test('keeps the digits of its numbers from one call to the next', async () => {
    expect(await asked(body, 'two-calls')).toEqual({
      status: 200,
      type: json,
      body: '{"Id":9007199254740993,"of":"/next?id=9007199254740993"}',
    })
  })
})

test('the body of a request keeps the digits of its numbers in what providers are sent, by templates and expressions', async () => {
  const send = { provider: 'p', method: 'POST', url: 'x', body: '{{ request.body | json }}' }
  const tenant = await oneEndpoint(provider, [
    { name: 'first', httpRequest: send },
    { name: 'second', httpRequest: { ...send, body: '{"id":{{ request.body.id }}}' } },
    { name: 'r', respond: { expression: '[request.body.id, $string(request.body.weight)]' } },
  ])
  const long = '{"id":9007199254740993,"weight":72.66666666666666666667}'
  const headers = { 'content-type': 'application/json' }
  const before = provider.seen.length
  const answer = await fetch(new URL(tenant.path('e'), inject('baseUrl')), { method: 'POST', headers, body: long })
  expect(await answer.text()).toBe('[9007199254740993,"72.66666666666666666667"]')
  expect(provider.seen.slice(before).map(({ body }) => body)).toEqual([long, '{"id":9007199254740993}'])
})

// Other failures, which take seconds: test/long/pipeline-failures.test.ts.
test.each([
  ['500', () => ({ status: 500, body: 'their secret message' }), 'answered 500'],
  ['503 without Retry-After', () => ({ status: 503 }), 'answered 503'],
  ['504', () => ({ status: 504 }), 'answered 504'],
  [
    'nothing in time',
    () => new Promise<Canned>(() => undefined),
    'gave no answer: 127.0.0.1:\\d+ took longer than 1 s',
  ],
])(
  'a POST whose provider answers %s is made once, and its caller hears that it may have been carried out',
  async (_, answer, fault) => {
    const faulty = await recordingProvider(answer)
    onTestFinished(() => faulty.stop())
    const order = { name: 'order', httpRequest: { provider: 'p', method: 'POST', url: 'orders', body: '{"a":1}' } }
    const tenant = await oneEndpoint(faulty, [order], { providers: [{ key: 'p', url: faulty.url, timeoutSeconds: 1 }] })
    const { status, body } = await tenant.call('e')
    const detail = expect.stringMatching(
      new RegExp(
        `^The step 'order' failed: The provider 'p' ${fault}\\. It was attempt 1, after [\\d.]+ of 25 s\\. ` +
          'The call is not idempotent and may have been carried out, so it is not repeated\\.$',
      ),
    )
    expect({ status, body }).toEqual({
      status: 502,
      body: problem(502, 'provider-failed', tenant.path('e'), { detail }),
    })
    expect(faulty.seen.length).toBe(1)
  },
)

describe('transform and respond', () => {
  const call = { name: 'list', httpRequest: { provider: 'p', url: 'x' } }
  const ids = { name: 'ids', transform: { expression: 'steps.list.body.items.id' } }

  test.each([
    ['without respond, the last output', [call, ids], 200, [1, 2]],
    ['respond alone, the last output', [call, ids, { name: 'r', respond: { status: 201 } }], 201, [1, 2]],
    [
      'respond alone after a call, its body',
      [call, { name: 'r', respond: {} }],
      200,
      expect.objectContaining({ items: expect.anything() }),
    ],
    [
      'an expression',
      [
        call,
        {
          name: 'r',
          respond: { expression: '{"n": $count(steps.list.body.items), "q": request.query.q, "v": variables.v}' },
        },
      ],
      200,
      { n: 2, q: 'x', v: 'V' },
    ],
    [
      'a template',
      [call, ids, { name: 'r', respond: { body: '{{ steps.ids | join: "," }} {{ variables.v }}' } }],
      200,
      '1,2 V',
    ],
    ['nothing, null', [{ name: 't', transform: { expression: 'request.body.none' } }], 200, null],
  ])('%s is answered', async (_, steps, status, body) => {
    const before = provider.seen.length
    const tenant = await oneEndpoint(provider, steps, { variables: { v: 'V' } })
    expect(await tenant.send('GET', `${tenant.path('e')}?q=x`)).toMatchObject({ status, body })
    expect(provider.seen.length - before).toBe(steps[0] === call ? 1 : 0)
  })

  test('a request without members that the pipeline needs is 400 with their pointers', async () => {
    const steps = [{ name: 'r', respond: { body: '{{ request.body.person.name }} {{ request.query.q }}' } }]
    const tenant = await oneEndpoint(provider, steps)
    const path = tenant.path('e')
    const lacks = (pointer: string) => ({
      status: 400,
      body: { type: '/problems/validation', errors: [{ pointer, code: 'required' }] },
    })
    expect(await tenant.post(path, {})).toMatchObject(lacks('/person'))
    expect(await tenant.post(path, { person: {} })).toMatchObject(lacks('/person/name'))
    expect(await tenant.post(path, { person: { name: 'N' } })).toMatchObject(lacks('/query/q'))
    expect(await tenant.post(`${path}?p=1`, { person: { name: 'N' } })).toMatchObject(lacks('/query/q'))
    expect(await tenant.post(`${path}?q=1`, { person: { name: 'N' } })).toMatchObject({ status: 200, body: 'N 1' })
  })

  test.each([
    ['$error("The ward is closed: " & request.body.ward)', 'The ward is closed: W1'],
    ['$assert(request.body.ward = "W2", "Only W2")', 'Only W2'],
    ['$map([1], function($x) { $error("In a function") })', 'In a function'],
  ])('an author’s own error is 502 with its text: %s', async (expression, said) => {
    const tenant = await oneEndpoint(provider, [{ name: 'check', transform: { expression } }])
    expect(await tenant.call('e', { ward: 'W1' })).toMatchObject({
      status: 502,
      body: { type: '/problems/step-error', detail: `The step 'check' failed: ${said}` },
    })
  })

  test('a line break of the caller’s in a header is 400 that names the step and the header', async () => {
    const headers = { 'X-Name': '{{ request.query.q }}' }
    const answered = await oneEndpoint(provider, [{ name: 'r', respond: { headers, body: 'a' } }])
    const sent = await oneEndpoint(provider, [{ name: 'c', httpRequest: { provider: 'p', url: 'x', headers } }])
    const before = provider.seen.length
    for (const [tenant, step] of [
      [answered, 'r'],
      [sent, 'c'],
    ] as const) {
      const answer = await tenant.send('GET', `${tenant.path('e')}?q=a%0d%0aSet-Cookie:%20b`)
      expect(answer).toMatchObject({ status: 400, body: { type: '/problems/header-value' } })
      expect(Object(answer.body).detail).toMatch(`The step '${step}' builds its header 'X-Name' from the request.`)
      expect(answer.headers.has('set-cookie')).toBe(false)
    }
    expect(provider.seen.length).toBe(before)
  })
})

describe('jwt', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString()
  const jwk = (key: KeyObject) => JSON.stringify(key.export({ format: 'jwk' }))
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ed = generateKeyPairSync('ed25519')
  const secret = 'a secret of thirty-two characters'

  test.each([
    ['RS256', pem(rsa.privateKey), rsa.publicKey],
    ['PS256', jwk(rsa.privateKey), rsa.publicKey],
    ['ES256', pem(ec.privateKey), ec.publicKey],
    ['ES256', jwk(ec.privateKey), ec.publicKey],
    ['EdDSA', pem(ed.privateKey), ed.publicKey],
    ['HS256', secret, new TextEncoder().encode(secret)],
  ] as const)('signs with %s so that the public key verifies it', async (algorithm, key, publicKey) => {
    const jwt = {
      algorithm,
      key: '{{ variables.key }}',
      keyId: 'k1',
      claims: { iss: 'us', sub: '{{ request.body.who }}' },
      expiresInSeconds: 60,
    }
    const steps = [
      { name: 'token', jwt },
      { name: 'r', respond: { body: '{{ steps.token }}' } },
    ]
    const tenant = await oneEndpoint(provider, steps, { secrets: [{ name: 'key', value: key }] })
    const { body } = await tenant.call<string>('e', { who: 'Zoë' })
    const { payload, protectedHeader } = await jwtVerify(body, publicKey, { algorithms: [algorithm] })
    expect(protectedHeader).toEqual({ alg: algorithm, typ: 'JWT', kid: 'k1' })
    expect(payload).toEqual({
      iss: 'us',
      sub: 'Zoë',
      jti: expect.stringMatching(/\S/),
      iat: expect.any(Number),
      exp: expect.any(Number),
    })
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(60)
    const { body: next } = await tenant.call<string>('e', { who: 'Zoë' })
    expect((await jwtVerify(next, publicKey)).payload.jti).not.toBe(payload.jti)
  })

  test('with a key of another kind it fails, and says nothing of the key', async () => {
    const jwt = { algorithm: 'ES256', key: '{{ variables.key }}', claims: {} }
    const tenant = await oneEndpoint(provider, [{ name: 'token', jwt }], {
      secrets: [{ name: 'key', value: pem(rsa.privateKey) }],
    })
    const answer = await tenant.call('e')
    expect(answer).toMatchObject({
      status: 500,
      body: { type: '/problems/endpoint-failed', detail: expect.stringContaining("'token'") },
    })
    expect(JSON.stringify(answer.body)).not.toContain('PRIVATE')
  })
})
