// Faults of the section `glue` of a manifest.
import { beforeEach, expect, test } from 'vitest'
import type { Problem } from '../support/api.js'
import { endpoint, grant, pipeline, provider, withGlue } from '../support/glue-manifest.js'
import { problem } from '../support/http.js'
import { manifestOf } from '../support/manifest.js'

let tenant: Awaited<ReturnType<typeof manifestOf>>
beforeEach(async () => {
  tenant = await manifestOf()
})

type Case = [name: string, manifest: object, ...faults: string[]]

const call = { httpRequest: { provider: 'registry', url: '/people' } }
const answer = { respond: { body: 'done' } }
const at = '/glue/endpoints/0'
const withProvider = (more: object) => withGlue({ providers: [provider(more)] })
const withMethod = (...authentication: object[]) => withGlue({ endpoints: [endpoint([answer], { authentication })] })
const oidc = (more: object) =>
  withMethod({ openIdConnect: { authority: 'https://idp.example', audiences: 'a', ...more } })
const request = (more: object) => pipeline({ httpRequest: { url: 'https://a.example', ...more } })
const reading = endpoint([call], { key: 'reading', capability: 'structuredData' })
const limited = (key: string) => provider({ key, limits: { concurrency: 1 } })
const calling = (...providers: string[]) =>
  endpoint(
    providers.map(provider => ({ httpRequest: { provider, url: '/' } })),
    { key: 'reading', capability: 'structuredData' },
  )

const cases: Case[] = [
  [
    'a secret given twice',
    withGlue({ secrets: [{ name: 'key', value: 'k' }, { name: 'key' }] }),
    'duplicate-key /glue/secrets/1/name',
  ],
  ['a secret and a variable of one name', withGlue({ variables: { key: 'v' } }), 'duplicate-key /glue/secrets/0/name'],
  ['a provider given twice', withGlue({ providers: [provider(), provider()] }), 'duplicate-key /glue/providers/1/key'],
  [
    'an endpoint given twice',
    withGlue({ endpoints: [endpoint([answer]), endpoint([answer])] }),
    'duplicate-key /glue/endpoints/1/key',
  ],
  [
    'a step given twice',
    pipeline({ ...call, name: 'a' }, { ...answer, name: 'a' }),
    `duplicate-key ${at}/steps/1/name`,
  ],
  [
    'a data source given twice',
    withGlue({ endpoints: [reading], dataSources: [1, 2].map(() => ({ key: 's', pageEndpoint: 'reading' })) }),
    'duplicate-key /glue/dataSources/1/key',
  ],
  [
    'a data extract given twice',
    withGlue({
      endpoints: [reading],
      dataSources: [{ key: 's', pageEndpoint: 'reading' }],
      dataExtracts: [
        { key: 'e', source: 's' },
        { key: 'e', source: 's', options: { a: 1 } },
      ],
    }),
    'duplicate-key /glue/dataExtracts/1/key',
  ],
  [
    'a header given twice',
    request({ headers: { Accept: 'a', accept: 'b' } }),
    `duplicate-key ${at}/steps/0/httpRequest/headers/accept`,
  ],

  ['a method of no kind', withMethod({}), `one-of ${at}/authentication/0`],
  [
    'a method of two kinds',
    withMethod({ apiKey: {} }, { apiKey: {}, clientCredentials: {} }),
    `one-of ${at}/authentication/1`,
  ],
  [
    'an authority that is no address',
    oidc({ authority: 'idp.example' }),
    `wrong-format ${at}/authentication/0/openIdConnect/authority`,
  ],
  [
    'an authority of another kind',
    oidc({ authority: 'ldap://idp.example' }),
    `wrong-format ${at}/authentication/0/openIdConnect/authority`,
  ],
  [
    'an authority with a query',
    oidc({ authority: 'https://a.example?x=1' }),
    `wrong-format ${at}/authentication/0/openIdConnect/authority`,
  ],
  [
    'audiences of blanks and commas',
    oidc({ audiences: ' , ,' }),
    `required ${at}/authentication/0/openIdConnect/audiences`,
  ],

  [
    'a provider with a password in its address',
    withProvider({ url: 'https://us:pw@registry.example' }),
    'wrong-format /glue/providers/0/url',
  ],
  [
    'a provider with a query in its address',
    withProvider({ url: 'https://registry.example/?a=b' }),
    'wrong-format /glue/providers/0/url',
  ],
  [
    'an address that cannot be parsed',
    withProvider({ url: 'https://regis[try' }),
    'wrong-format /glue/providers/0/url',
  ],
  [
    'neither authority nor tokenUrl',
    withProvider({ authentication: grant({ tokenUrl: undefined }) }),
    'one-of /glue/providers/0/authentication',
  ],
  [
    'authority and tokenUrl',
    withProvider({ authentication: grant({ authority: 'https://idp.example' }) }),
    'one-of /glue/providers/0/authentication',
  ],
  [
    'a token endpoint that is no address',
    withProvider({ authentication: grant({ tokenUrl: '/token' }) }),
    'wrong-format /glue/providers/0/authentication/tokenUrl',
  ],
  [
    'a client secret in a plain variable',
    withProvider({ authentication: grant({ clientSecret: '{{ variables.plain }}' }) }),
    'not-a-secret /glue/providers/0/authentication/clientSecret',
  ],

  ['a step that does nothing', pipeline({}), `one-of ${at}/steps/0`],
  ['a step that does two things', pipeline({ ...call, ...answer }), `one-of ${at}/steps/0`],
  ['an unknown provider', request({ provider: 'x', url: '/' }), `unknown-provider ${at}/steps/0/httpRequest/provider`],
  ['a relative address without a provider', request({ url: '/people' }), `wrong-format ${at}/steps/0/httpRequest/url`],
  ['an address of no web', request({ url: 'file:///etc/passwd' }), `wrong-format ${at}/steps/0/httpRequest/url`],
  [
    "another host than the provider's",
    request({ provider: 'registry', url: 'https://a.example/x' }),
    `other-origin ${at}/steps/0/httpRequest/url`,
  ],
  [
    "another port than the provider's, before a template",
    request({ provider: 'registry', url: 'https://registry.example:444/{{ request.body.id }}' }),
    `other-origin ${at}/steps/0/httpRequest/url`,
  ],
  [
    'an address without a scheme',
    request({ provider: 'registry', url: '//a.example/x' }),
    `wrong-format ${at}/steps/0/httpRequest/url`,
  ],
  ['a GET with a body', request({ body: '{}' }), `unexpected-body ${at}/steps/0/httpRequest/body`],
  [
    'a header of the connection',
    request({ headers: { Host: 'a' } }),
    `reserved-header ${at}/steps/0/httpRequest/headers/Host`,
  ],
  [
    'a header of the platform in an answer',
    pipeline({ respond: { headers: { 'Set-Cookie': 'a=b', 'x-request-id': 'mine' } } }),
    `reserved-header ${at}/steps/0/respond/headers/Set-Cookie`,
    `reserved-header ${at}/steps/0/respond/headers/x-request-id`,
  ],
  [
    'a header of the connection in an answer',
    pipeline({ respond: { headers: { 'Transfer-Encoding': 'chunked' } } }),
    `reserved-header ${at}/steps/0/respond/headers/Transfer-Encoding`,
  ],
  [
    'a signing key in a plain variable',
    pipeline({ jwt: { algorithm: 'HS256', key: '{{ variables.plain }}' } }),
    `not-a-secret ${at}/steps/0/jwt/key`,
  ],
  [
    'the times of a token as claims',
    pipeline({ jwt: { algorithm: 'HS256', key: '{{ variables.key }}', claims: { sub: 'a', exp: '1' } } }),
    `reserved-claim ${at}/steps/0/jwt/claims/exp`,
  ],
  ['an answer of two kinds', pipeline({ respond: { body: '', expression: '1' } }), `one-of ${at}/steps/0/respond`],
  [
    'steps after an answer',
    pipeline(answer, call, answer),
    `unreachable-step ${at}/steps/1`,
    `unreachable-step ${at}/steps/2`,
  ],

  ['a data source of no endpoint', withGlue({ dataSources: [{ key: 's' }] }), 'required /glue/dataSources/0'],
  [
    'endpoints that do not exist',
    withGlue({ dataSources: [{ key: 's', subjectEndpoint: 'x', pageEndpoint: 'y' }] }),
    'unknown-endpoint /glue/dataSources/0/subjectEndpoint',
    'unknown-endpoint /glue/dataSources/0/pageEndpoint',
  ],
  [
    'an endpoint without the capability',
    withGlue({ endpoints: [endpoint([answer])], dataSources: [{ key: 's', subjectEndpoint: 'vaccines' }] }),
    'no-structured-data /glue/dataSources/0/subjectEndpoint',
  ],
  [
    'a data source of two providers with limits',
    withGlue({
      providers: [limited('a'), limited('b'), provider()],
      endpoints: [calling('a', 'registry', 'b')],
      dataSources: [{ key: 's', subjectEndpoint: 'reading', pageEndpoint: 'reading' }],
    }),
    'several-limited-providers /glue/dataSources/0/subjectEndpoint',
    'several-limited-providers /glue/dataSources/0/pageEndpoint',
  ],
  [
    'an unknown data source',
    withGlue({ dataExtracts: [{ key: 'e', source: 'x' }] }),
    'unknown-data-source /glue/dataExtracts/0/source',
  ],
  [
    'settings of more than 4 MB',
    withGlue({ variables: Object.fromEntries(Array.from({ length: 220 }, (_, n) => [`v${n}`, 'x'.repeat(20_000)])) }),
    'too-large /glue',
  ],
  [
    'an unknown field that names subjects',
    { subjects: { identifierField: 'x' } },
    'unknown-custom-field /subjects/identifierField',
  ],
  [
    'an array that names subjects',
    { subjects: { fields: [{ key: 'a', name: 'a', type: 'Text', isArray: true }], identifierField: 'a' } },
    'wrong-field /subjects/identifierField',
  ],
]

const faultsOf = (answer: unknown) => (answer as Problem).errors?.map(({ code, pointer }) => `${code} ${pointer}`)

test.each(cases)(
  '%s is 400 with its pointer, for a plan too, and nothing is written',
  async (_, manifest, ...faults) => {
    for (const { body } of [await tenant.put(manifest), await tenant.plan(manifest)]) {
      expect(body).toEqual(problem(400, 'validation', tenant.path, { errors: expect.anything() }))
      expect(faultsOf(body)).toEqual(faults)
    }
    expect((await tenant.get()).status).toBe(404)
  },
)
