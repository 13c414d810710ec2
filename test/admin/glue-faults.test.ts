// Faults of the section `glue` of a manifest.
import { beforeEach, expect, test } from 'vitest'
import type { Problem } from '../support/api.js'
import { endpoint, grant, pipeline, provider, rowsOfFirst, withGlue } from '../support/glue-manifest.js'
import { problem } from '../support/http.js'
import { manifestOf } from '../support/manifest.js'

let tenant: Awaited<ReturnType<typeof manifestOf>>
beforeEach(async () => {
  tenant = await manifestOf()
})

type Case = [name: string, manifest: object, ...faults: string[]]

/** Cases whose faults are named by the rest of their pointers. */
const below = (pointer: string, cases: Case[]) =>
  cases.map(
    ([name, manifest, ...faults]): Case => [name, manifest, ...faults.map(fault => fault.replace(' ', ` ${pointer}`))],
  )

const call = { httpRequest: { provider: 'registry', url: '/people' } }
const answer = { respond: { body: 'done' } }
const at = '/glue/endpoints/0'
const withProvider = (more: object) => withGlue({ providers: [provider(more)] })
const withMethod = (...authentication: object[]) => withGlue({ endpoints: [endpoint([answer], { authentication })] })
const oidc = (more: object) =>
  withMethod({ openIdConnect: { authority: 'https://idp.example', audiences: 'a', ...more } })
const request = (more: object) => pipeline({ httpRequest: { url: 'https://a.example', ...more } })
const reading = endpoint([call, rowsOfFirst], { key: 'reading', capability: 'structuredData' })
const structured = (...steps: object[]) => withGlue({ endpoints: [endpoint(steps, { capability: 'structuredData' })] })
const expression = { respond: { expression: '{ "dataPoints": [steps.step0.body.items] }' } }
const limited = (key: string) => provider({ key, limits: { concurrency: 1 } })
const calling = (...providers: string[]) =>
  endpoint([...providers.map(provider => ({ httpRequest: { provider, url: '/' } })), rowsOfFirst], {
    key: 'reading',
    capability: 'structuredData',
  })

const cases: Case[] = [
  ...below(`${at}/steps/0/httpRequest/`, [
    ['a header given twice', request({ headers: { Accept: 'a', accept: 'b' } }), 'duplicate-key headers/accept'],
    ['an unknown provider', request({ provider: 'x', url: '/' }), 'unknown-provider provider'],
    ['a relative address without a provider', request({ url: '/people' }), 'wrong-format url'],
    ['an address of no web', request({ url: 'file:///etc/passwd' }), 'wrong-format url'],
    [
      "another host than the provider's",
      request({ provider: 'registry', url: 'https://a.example/x' }),
      'other-origin url',
    ],
    [
      "another port than the provider's, before a template",
      request({ provider: 'registry', url: 'https://registry.example:444/{{ request.body.id }}' }),
      'other-origin url',
    ],
    ['an address without a scheme', request({ provider: 'registry', url: '//a.example/x' }), 'wrong-format url'],
    ['a GET with a body', request({ body: '{}' }), 'unexpected-body body'],
    ['a header of the connection', request({ headers: { Host: 'a' } }), 'reserved-header headers/Host'],
  ]),
  ...below(`${at}/steps/0/`, [
    [
      'a header of the platform in an answer',
      pipeline({ respond: { headers: { 'Set-Cookie': 'a=b', 'x-request-id': 'mine' } } }),
      'reserved-header respond/headers/Set-Cookie',
      'reserved-header respond/headers/x-request-id',
    ],
    [
      'a header of the connection in an answer',
      pipeline({ respond: { headers: { 'Transfer-Encoding': 'chunked' } } }),
      'reserved-header respond/headers/Transfer-Encoding',
    ],
    [
      'a signing key in a plain variable',
      pipeline({ jwt: { algorithm: 'HS256', key: '{{ variables.plain }}' } }),
      'not-a-secret jwt/key',
    ],
    [
      'the times of a token as claims',
      pipeline({ jwt: { algorithm: 'HS256', key: '{{ variables.key }}', claims: { sub: 'a', exp: '1' } } }),
      'reserved-claim jwt/claims/exp',
    ],
    ['an answer of two kinds', pipeline({ respond: { body: '', expression: '1' } }), 'one-of respond'],
  ]),
  ...below(`${at}/authentication/0/openIdConnect/`, [
    ['an authority that is no address', oidc({ authority: 'idp.example' }), 'wrong-format authority'],
    ['an authority of another kind', oidc({ authority: 'ldap://idp.example' }), 'wrong-format authority'],
    ['an authority with a query', oidc({ authority: 'https://a.example?x=1' }), 'wrong-format authority'],
    ['audiences of blanks and commas', oidc({ audiences: ' , ,' }), 'required audiences'],
  ]),
  ...below(`${at}/`, [
    ['a step given twice', pipeline({ ...call, name: 'a' }, { ...answer, name: 'a' }), 'duplicate-key steps/1/name'],
    ['a method of no kind', withMethod({}), 'one-of authentication/0'],
    [
      'a method of two kinds',
      withMethod({ apiKey: {} }, { apiKey: {}, clientCredentials: {} }),
      'one-of authentication/1',
    ],
    ['a step that does nothing', pipeline({}), 'one-of steps/0'],
    ['a step that does two things', pipeline({ ...call, ...answer }), 'one-of steps/0'],
    [
      'rows beside another answer',
      pipeline(call, { respond: { rows: 'steps.step0.body', body: '' } }),
      'one-of steps/1/respond',
    ],
    ['a row without rows', pipeline({ respond: { row: '1' } }), 'required steps/0/respond/rows'],
    ['a cursor without rows', pipeline({ respond: { next: '1' } }), 'required steps/0/respond/rows'],
    ['structured data without an answer', structured(call), 'required steps/0'],
    ['structured data that may be empty by mistake', structured(call, expression), 'required steps/1'],
    ['structured data as a template', structured(call, answer), 'required steps/1'],
    ['steps after an answer', pipeline(answer, call, answer), 'unreachable-step steps/1', 'unreachable-step steps/2'],
  ]),
  ...below('/glue/providers/0/', [
    [
      'a provider with a password in its address',
      withProvider({ url: 'https://us:pw@registry.example' }),
      'wrong-format url',
    ],
    [
      'a provider with a query in its address',
      withProvider({ url: 'https://registry.example/?a=b' }),
      'wrong-format url',
    ],
    [
      'another name of a provider with a query',
      withProvider({ alsoKnownAs: ['https://a.example', 'https://a.example/?b'] }),
      'wrong-format alsoKnownAs/1',
    ],
    ['an address that cannot be parsed', withProvider({ url: 'https://regis[try' }), 'wrong-format url'],
    [
      'neither authority nor tokenUrl',
      withProvider({ authentication: grant({ tokenUrl: undefined }) }),
      'one-of authentication',
    ],
    [
      'authority and tokenUrl',
      withProvider({ authentication: grant({ authority: 'https://idp.example' }) }),
      'one-of authentication',
    ],
    [
      'a token endpoint that is no address',
      withProvider({ authentication: grant({ tokenUrl: '/token' }) }),
      'wrong-format authentication/tokenUrl',
    ],
    [
      'a client secret in a plain variable',
      withProvider({ authentication: grant({ clientSecret: '{{ variables.plain }}' }) }),
      'not-a-secret authentication/clientSecret',
    ],
  ]),
  ...below('/glue/dataSources/0/', [
    [
      'endpoints that do not exist',
      withGlue({ dataSources: [{ key: 's', subjectEndpoint: 'x', pageEndpoint: 'y' }] }),
      'unknown-endpoint subjectEndpoint',
      'unknown-endpoint pageEndpoint',
    ],
    [
      'an endpoint without the capability',
      withGlue({ endpoints: [endpoint([answer])], dataSources: [{ key: 's', subjectEndpoint: 'vaccines' }] }),
      'no-structured-data subjectEndpoint',
    ],
    [
      'a data source of two providers with limits',
      withGlue({
        providers: [limited('a'), limited('b'), provider()],
        endpoints: [calling('a', 'registry', 'b')],
        dataSources: [{ key: 's', subjectEndpoint: 'reading', pageEndpoint: 'reading' }],
      }),
      'several-limited-providers subjectEndpoint',
      'several-limited-providers pageEndpoint',
    ],
  ]),
  ...below('/glue/', [
    [
      'a secret given twice',
      withGlue({ secrets: [{ name: 'key', value: 'k' }, { name: 'key' }] }),
      'duplicate-key secrets/1/name',
    ],
    ['a secret and a variable of one name', withGlue({ variables: { key: 'v' } }), 'duplicate-key secrets/0/name'],
    ['a provider given twice', withGlue({ providers: [provider(), provider()] }), 'duplicate-key providers/1/key'],
    [
      'an endpoint given twice',
      withGlue({ endpoints: [endpoint([answer]), endpoint([answer])] }),
      'duplicate-key endpoints/1/key',
    ],
    [
      'a data source given twice',
      withGlue({ endpoints: [reading], dataSources: [1, 2].map(() => ({ key: 's', pageEndpoint: 'reading' })) }),
      'duplicate-key dataSources/1/key',
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
      'duplicate-key dataExtracts/1/key',
    ],
    ['a data source of no endpoint', withGlue({ dataSources: [{ key: 's' }] }), 'required dataSources/0'],
    [
      'an unknown data source',
      withGlue({ dataExtracts: [{ key: 'e', source: 'x' }] }),
      'unknown-data-source dataExtracts/0/source',
    ],
  ]),
  ...below('/', [
    [
      'settings of more than 4 MB',
      withGlue({ variables: Object.fromEntries(Array.from({ length: 220 }, (_, n) => [`v${n}`, 'x'.repeat(20_000)])) }),
      'too-large glue',
    ],
    [
      'an unknown field that names subjects',
      { subjects: { identifierField: 'x' } },
      'unknown-custom-field subjects/identifierField',
    ],
    [
      'an array that names subjects',
      { subjects: { fields: [{ key: 'a', name: 'a', type: 'Text', isArray: true }], identifierField: 'a' } },
      'wrong-field subjects/identifierField',
    ],
  ]),
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
