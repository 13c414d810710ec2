// Warnings about a manifest's glue.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, inject, test } from 'vitest'
import { armature } from '../support/armature.js'
import { endpoint, grant, provider, rowsOfFirst, withGlue } from '../support/glue-manifest.js'
import { manifestOf } from '../support/manifest.js'

let tenant: Awaited<ReturnType<typeof manifestOf>>
beforeEach(async () => {
  tenant = await manifestOf()
})

const openIdConnect = { authority: 'https://idp.example', audiences: 'a' }
const platform = `${inject('baseUrl')}/identity`
const at = '/glue/endpoints/0'
const one = (steps: object[], more: object = {}) => withGlue({ endpoints: [endpoint(steps, more)] })
const sending = {
  httpRequest: { url: 'https://a.example', headers: { Authorization: 'Bearer {{ request.userToken }}' } },
}

const source = (more: object) =>
  withGlue({
    endpoints: [
      endpoint([{ httpRequest: { url: 'https://a.example', ...more } }, rowsOfFirst], { capability: 'structuredData' }),
    ],
    dataSources: [{ key: 's', subjectEndpoint: 'vaccines' }],
  })

const webhooks = (...urls: string[]) => ({
  glue: {
    secrets: [{ name: 'signing', value: `whsec_${Buffer.alloc(32).toString('base64')}` }],
    webhooks: urls.map((url, n) => ({ key: `w${n}`, url, events: ['subject.created'], secrets: ['signing'] })),
  },
})

const cases: [name: string, manifest: object, ...warnings: string[]][] = [
  [
    'an endpoint that is open to everybody',
    one([{ respond: {} }], { authentication: [] }),
    `open-endpoint ${at}/authentication`,
  ],
  [
    'Open ID Connect and Client Credentials, which have one header',
    one([{ respond: {} }], { authentication: [{ clientCredentials: {} }, { apiKey: {} }, { openIdConnect }] }),
    `one-header-for-both ${at}/authentication`,
  ],
  [
    'addresses without encryption',
    withGlue({
      providers: [provider({ url: 'http://a.example', authentication: grant({ tokenUrl: 'http://a.example/token' }) })],
      endpoints: [
        endpoint([{ httpRequest: { url: 'http://a.example/{{ request.body.id }}' } }], {
          authentication: [{ openIdConnect: { ...openIdConnect, authority: 'HTTP://idp.example' } }],
        }),
      ],
    }),
    'not-encrypted /glue/providers/0/url',
    'not-encrypted /glue/providers/0/authentication/tokenUrl',
    `not-encrypted ${at}/authentication/0/openIdConnect/authority`,
    `not-encrypted ${at}/steps/0/httpRequest/url`,
    `caller-chooses ${at}/steps/0/httpRequest/url`,
  ],
  [
    'our own authority without a scope, which lets every client of the tenant in',
    {
      ...withGlue({
        variables: { plain: 'text', authority: platform },
        endpoints: [
          endpoint([{ respond: {} }], {
            authentication: [
              { openIdConnect: { ...openIdConnect, authority: platform } },
              { openIdConnect: { ...openIdConnect, authority: '{{ variables.authority }}' } },
              { openIdConnect: { ...openIdConnect, authority: platform, scopes: 'GlueRuntimeApi' } },
            ],
          }),
        ],
      }),
      forms: { launch: { openIdConnect: { ...openIdConnect, authority: platform } } },
    },
    `not-encrypted ${at}/authentication/0/openIdConnect/authority`,
    `not-encrypted ${at}/authentication/2/openIdConnect/authority`,
    `any-client ${at}/authentication/0/openIdConnect/scopes`,
    `any-client ${at}/authentication/1/openIdConnect/scopes`,
    'not-encrypted /forms/launch/openIdConnect/authority',
    'any-client /forms/launch/openIdConnect/scopes',
  ],
  [
    "a user's token where nobody asks for one",
    one([sending]),
    `no-user-token ${at}/steps/0/httpRequest/headers/Authorization`,
  ],
  [
    'the same in an expression',
    one([{ respond: { expression: 'request.userToken' } }]),
    `no-user-token ${at}/steps/0/respond/expression`,
  ],
  [
    "a user's token in an endpoint that refreshes data sets",
    withGlue({
      endpoints: [
        endpoint([sending, rowsOfFirst], { authentication: [{ openIdConnect }], capability: 'structuredData' }),
      ],
      dataSources: [{ key: 's', subjectEndpoint: 'vaccines' }],
    }),
    `no-user-token ${at}/steps/0/httpRequest/headers/Authorization`,
  ],
  [
    'the claims of a user where nobody asks for a token',
    one([{ respond: { body: '{{ request.user.sub }}' } }]),
    `no-user-token ${at}/steps/0/respond/body`,
  ],
  [
    'values of the request in a body without rules, and at the beginning of an address',
    one([
      {
        httpRequest: {
          url: '{{ request.query.url }}',
          method: 'POST',
          provider: 'registry',
          idempotent: true,
          headers: { 'Content-Type': 'text/csv' },
          body: 'a;{{ request.body.b }}',
        },
      },
      {
        httpRequest: {
          url: 'https://a.example',
          method: 'POST',
          headers: { 'Content-Type': 'text/csv' },
          body: '{{ request.body | raw }}',
        },
      },
      { respond: { headers: { 'content-type': '{{ request.query.type }}' }, body: '{{ request.query.a }}' } },
    ]),
    `not-escaped ${at}/steps/0/httpRequest/url`,
    `not-escaped ${at}/steps/0/httpRequest/body`,
    `not-escaped ${at}/steps/2/respond/body`,
  ],
  [
    'a person that a user chooses, in templates and in an expression',
    one(
      [
        { transform: { expression: '{"id": request.query.id}' } },
        {
          httpRequest: {
            url: 'https://a.example/{{ request.body.id }}',
            query: { since: '{{ request.query.since }}' },
          },
        },
      ],
      { authentication: [{ openIdConnect }] },
    ),
    `caller-chooses ${at}/steps/0/transform/expression`,
    `caller-chooses ${at}/steps/1/httpRequest/url`,
    `caller-chooses ${at}/steps/1/httpRequest/query/since`,
  ],
  [
    'no user who is named by a claim, and no program that decides itself',
    withGlue({
      endpoints: [
        endpoint(
          [
            {
              httpRequest: { url: 'https://a.example/{{ request.user.sub }}', query: { of: '{{ request.query.of }}' } },
            },
          ],
          { key: 'user', authentication: [{ openIdConnect }] },
        ),
        endpoint([{ httpRequest: { url: 'https://a.example/{{ request.query.of }}' } }], {
          key: 'program',
          authentication: [{ apiKey: {} }],
        }),
      ],
    }),
  ],
  [
    'a POST of a data source that a refresh does not repeat',
    source({ method: 'POST' }),
    `not-repeated ${at}/steps/0/httpRequest/method`,
  ],
  [
    'webhooks whose address the rules for outbound calls close',
    webhooks('https://a.example', 'http://a.example', 'https://10.0.0.1', 'https://127.0.0.1:1', 'https://[::1]'),
    ...[1, 2, 3, 4].map(n => `closed-address /glue/webhooks/${n}/url`),
  ],
]

test.each(cases)('%s: a plan warns, and so does the answer when it is applied', async (_, manifest, ...warnings) => {
  for (const { status, body } of [
    await tenant.plan(manifest),
    await tenant.put(manifest),
    await tenant.put(manifest),
  ]) {
    expect([status, body.warnings.map(({ pointer, code }) => `${code} ${pointer}`)]).toEqual([200, warnings])
    for (const { detail } of body.warnings) expect(detail).toMatch(/^[A-Z].*\.$/)
  }
})

test.each([
  ['one header is for one of them', one([{ respond: {} }], { authentication: [{ openIdConnect }, { apiKey: {} }] })],
  ["the user's token where it is asked for", one([sending], { authentication: [{ openIdConnect }] })],
  ['a POST of a data source whose author has said so', source({ method: 'POST', idempotent: false })],
  ['no glue', {}],
])('%s: no warning', async (_, manifest) => {
  expect((await tenant.put(manifest)).body).toMatchObject({ applied: true, warnings: [] })
})

test('a refused manifest is answered with its faults and without warnings', async () => {
  const { body } = await tenant.put(one([{}], { authentication: [] }))
  expect(body).toMatchObject({ status: 400, errors: [{ code: 'one-of' }] })
  expect(body).not.toHaveProperty('warnings')
})

test('armature apply prints warnings with their lines, and succeeds', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'armature-warnings-'))
  const path = join(folder, 'tenant.yaml')
  const lines = [
    'glue:',
    '  endpoints:',
    '    - key: open',
    '      steps:',
    '        - name: a',
    '          respond: {}',
  ]
  await writeFile(path, [`key: ${tenant.tenantKey}`, ...lines].join('\n'))
  const { code, stdout, stderr } = await armature(['apply', path])
  await rm(folder, { recursive: true })
  expect([code, stdout.split('\n')[0]]).toEqual([0, `${tenant.tenantKey}: 3 changes`])
  expect(stderr).toBe(
    `Warning: ${path}:4: /glue/endpoints/0/authentication: The endpoint 'open' is open to everybody.\n`,
  )
})
