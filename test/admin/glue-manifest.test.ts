// The section `glue` of a manifest.
import { Compile } from 'typebox/schema'
import { beforeEach, expect, inject, test } from 'vitest'
import { api, type Problem } from '../support/api.js'
import { endpoint, grant, pipeline, provider, wholeGlue, withGlue } from '../support/glue-manifest.js'
import { problem } from '../support/http.js'
import { manifestOf } from '../support/manifest.js'

let tenant: Awaited<ReturnType<typeof manifestOf>>
beforeEach(async () => {
  tenant = await manifestOf()
})

type Case = [name: string, manifest: object, ...faults: string[]]

const at = '/glue/endpoints/0'
const step = `${at}/steps/0`
const request = (more: object) => pipeline({ httpRequest: { url: 'https://a.example', ...more } })
const jwt = (more: object) => pipeline({ jwt: { algorithm: 'HS256', key: '{{ variables.key }}', ...more } })
const many = (count: number, member: (n: number) => object) => Array.from({ length: count }, (_, n) => member(n))

const cases: Case[] = [
  ['an unknown member', withGlue({ endpoint: [] }), 'unknown-member /glue/endpoint'],
  [
    'names that no template can say',
    withGlue({ variables: { 'a b': 'x', '1a': 'x', å: 'x' }, secrets: [{ name: 'a-b', value: 'x' }] }),
    ...['a b', '1a', 'å'].map(name => `unknown-member /glue/variables/${name}`),
    'wrong-format /glue/secrets/0/name',
  ],
  ['a variable that is no text', withGlue({ variables: { a: 1 } }), 'wrong-type /glue/variables/a'],
  ['an empty secret', withGlue({ secrets: [{ name: 'a', value: '' }] }), 'too-short /glue/secrets/0/value'],
  ['201 secrets', withGlue({ secrets: many(201, n => ({ name: `s${n}`, value: 'x' })) }), 'too-many /glue/secrets'],
  [
    'a provider of no web address',
    withGlue({ providers: [provider({ url: 'ftp://a' })] }),
    'wrong-format /glue/providers/0/url',
  ],
  [
    'limits out of range',
    withGlue({
      providers: [
        provider({
          limits: { requestsPerSecond: 0, concurrency: 0 },
          timeoutSeconds: 0,
          retrySeconds: -1,
          maxAnswerMb: 101,
        }),
      ],
    }),
    'out-of-range /glue/providers/0/limits/requestsPerSecond',
    'out-of-range /glue/providers/0/limits/concurrency',
    'out-of-range /glue/providers/0/timeoutSeconds',
    'out-of-range /glue/providers/0/retrySeconds',
    'out-of-range /glue/providers/0/maxAnswerMb',
  ],
  [
    'a client secret in the manifest itself',
    withGlue({ providers: [provider({ authentication: grant({ clientSecret: 'plain' }) })] }),
    'wrong-format /glue/providers/0/authentication/clientSecret',
  ],
  [
    'an endpoint key that no path has',
    withGlue({ endpoints: [endpoint([{}], { key: 'a/b' })] }),
    `wrong-format ${at}/key`,
  ],
  ['an endpoint without steps', withGlue({ endpoints: [endpoint([])] }), `too-few ${at}/steps`],
  ['51 steps', pipeline(...many(51, () => ({ respond: {} }))), `too-many ${at}/steps`],
  [
    'an unknown capability',
    withGlue({ endpoints: [endpoint([{}], { capability: 'x' })] }),
    `unknown-value ${at}/capability`,
  ],
  [
    'an unknown method of authentication',
    withGlue({ endpoints: [endpoint([{}], { authentication: [{ basic: {} }] })] }),
    `unknown-member ${at}/authentication/0/basic`,
  ],
  [
    'Open ID Connect without its settings',
    withGlue({ endpoints: [endpoint([{}], { authentication: [{ openIdConnect: {} }] })] }),
    `required ${at}/authentication/0/openIdConnect/authority`,
    `required ${at}/authentication/0/openIdConnect/audiences`,
  ],
  ['an unknown step', pipeline({ script: 'x' }), `unknown-member ${step}/script`],
  ['a request without an address', pipeline({ httpRequest: {} }), `required ${step}/httpRequest/url`],
  ['a method that is not offered', request({ method: 'TRACE' }), `unknown-value ${step}/httpRequest/method`],
  [
    'a header that cannot be sent',
    request({ headers: { 'a b': 'x', '': 'x' } }),
    `unknown-member ${step}/httpRequest/headers/a b`,
    `unknown-member ${step}/httpRequest/headers/`,
  ],
  [
    'an accepted status that is success or an outage',
    request({ accept: [200, 503] }),
    `out-of-range ${step}/httpRequest/accept/0`,
    `out-of-range ${step}/httpRequest/accept/1`,
  ],
  ['a token that is not signed', jwt({ algorithm: 'none' }), `unknown-value ${step}/jwt/algorithm`],
  ['a signing key in the manifest itself', jwt({ key: 'plain' }), `wrong-format ${step}/jwt/key`],
  ['a transform of nothing', pipeline({ transform: {} }), `required ${step}/transform/expression`],
  ['a status that is no answer', pipeline({ respond: { status: 101 } }), `out-of-range ${step}/respond/status`],
  [
    'options that are no object',
    withGlue({ dataExtracts: [{ key: 'e', source: 's', options: [] }] }),
    'wrong-type /glue/dataExtracts/0/options',
  ],
  [
    'a refresh every second',
    withGlue({ dataExtracts: [{ key: 'e', source: 's', refreshSeconds: 1 }] }),
    'out-of-range /glue/dataExtracts/0/refreshSeconds',
  ],
]

const faultsOf = (answer: unknown) => (answer as Problem).errors?.map(({ code, pointer }) => `${code} ${pointer}`)

test.each(cases)(
  '%s is 400 by the schema, which editors are given too, and nothing is written',
  async (_, manifest, ...faults) => {
    for (const { body } of [await tenant.put(manifest), await tenant.plan(manifest)]) {
      expect(body).toEqual(problem(400, 'validation', tenant.path, { errors: expect.anything() }))
      expect(faultsOf(body)).toEqual(faults)
    }
    expect((await tenant.get()).status).toBe(404)
    const schema = Compile((await api(inject('baseUrl'), '').get<object>('/admin/v1/manifest.schema.json')).body)
    expect(schema.Check(manifest)).toBe(false)
  },
)

test.each([
  [
    '/glue/secrets/0/name',
    withGlue({ secrets: [{ name: 'a-b' }] }),
    'A letter, then letters, digits and _: 64 at most.',
  ],
  [
    '/glue/providers/0/authentication/clientSecret',
    withGlue({ providers: [provider({ authentication: grant({ clientSecret: 's3cret' }) })] }),
    'Names a secret, as {{ variables.name }}.',
  ],
  [`${at}/key`, withGlue({ endpoints: [endpoint([{}], { key: '/' })] }), 'Letters, digits and -: 64 at most.'],
])('the fault at %s says the rule, not its pattern', async (pointer, manifest, rule) => {
  const { body } = await tenant.put(manifest)
  expect(body).toMatchObject({ errors: [{ pointer, code: 'wrong-format', detail: `Its form is wrong. ${rule}` }] })
})

test('all faults are reported at once, in whichever parts of the section they are', async () => {
  const { body } = await tenant.put({
    subjects: { identifierField: 'x' },
    ...withGlue({
      variables: { key: 'v' },
      providers: [provider({ url: 'https://a.example?b', authentication: grant({ clientId: '{{' }) })],
      endpoints: [
        endpoint([{ respond: { body: '{{ variables.key }}', expression: 'steps.(' } }, { name: 'step0' }], {
          authentication: [{}, { openIdConnect: { authority: 'x', audiences: ',' } }],
        }),
      ],
      dataSources: [{ key: 's' }, { key: 's', subjectEndpoint: 'vaccines' }],
      dataExtracts: [{ key: 'e', source: 'x' }],
    }),
  })
  expect(faultsOf(body)?.sort()).toEqual(
    [
      'duplicate-key /glue/dataSources/1/key',
      `duplicate-key ${at}/steps/1/name`,
      'duplicate-key /glue/secrets/0/name',
      `invalid-expression ${step}/respond/expression`,
      'invalid-template /glue/providers/0/authentication/clientId',
      'no-structured-data /glue/dataSources/1/subjectEndpoint',
      `one-of ${at}/authentication/0`,
      `one-of ${at}/steps/1`,
      `one-of ${step}/respond`,
      'required /glue/dataSources/0',
      `required ${at}/authentication/1/openIdConnect/audiences`,
      `secret-shown ${step}/respond/body`,
      'unknown-custom-field /subjects/identifierField',
      'unknown-data-source /glue/dataExtracts/0/source',
      `unreachable-step ${at}/steps/1`,
      `wrong-format ${at}/authentication/1/openIdConnect/authority`,
      'wrong-format /glue/providers/0/url',
    ].sort(),
  )
  expect((await tenant.get()).status).toBe(404)
})

test('a manifest that uses every part is applied, read back and applied again without a change', async () => {
  expect((await tenant.put(wholeGlue)).status).toBe(200)
  const { body } = await tenant.get()
  expect((await tenant.put(body)).body).toEqual({ applied: true, changes: [], secrets: {}, warnings: [] })
  const schema = Compile((await api(inject('baseUrl'), '').get<object>('/admin/v1/manifest.schema.json')).body)
  expect([schema.Check(wholeGlue), schema.Check(body)]).toEqual([true, true])
})

test('options are kept as they were given: the types and digits of their numbers, nesting, and the case of their names', async () => {
  const given = '{"Name":"a","name":[{"Child":1,"child":1.5}],"big":12345678,"small":0.1234567890123456789,"none":null}'
  const { platform, path } = tenant
  const glue = JSON.stringify({
    ...wholeGlue.glue,
    dataExtracts: [{ key: 'e', source: 'registry', options: 'OPTIONS' }],
  })
  expect((await platform.put(path, `{"glue":${glue.replace('"OPTIONS"', given)}}`)).status).toBe(200)
  const { body } = await tenant.get<{ glue: { dataExtracts: object[] } }>()
  expect(body.glue.dataExtracts).toEqual([
    { key: 'e', source: 'registry', options: JSON.parse(given), mostVanished: 50 },
  ])
})
