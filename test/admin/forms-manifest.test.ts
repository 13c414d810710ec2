// The section `forms` of a manifest.
import { beforeEach, expect, test } from 'vitest'
import { problem } from '../support/http.js'
import { manifestOf } from '../support/manifest.js'

let tenant: Awaited<ReturnType<typeof manifestOf>>
beforeEach(async () => {
  tenant = await manifestOf()
})

const glue = {
  variables: { ward: 'east' },
  secrets: [{ name: 'key', value: 'sixteen characters', hosts: ['registry.example'] }],
  providers: [{ key: 'registry', url: 'https://registry.example/v1' }],
}
const url = 'https://forms.example/in'
const delivery = (more: object) => ({ delivery: { url, ...more } })
const openIdConnect = (more: object) => ({
  launch: { openIdConnect: { authority: 'https://idp.example', audiences: 'app', ...more } },
})

test('the section is read back as it was applied, and so is its absence', async () => {
  const forms = {
    launch: {
      openIdConnect: { authority: 'https://{{ variables.ward }}.example', audiences: 'app', scopes: 'forms' },
      frameAncestors: ['https://portal.example.org', 'http://127.0.0.1:3000'],
      openPageMinutes: 5,
    },
    applications: ['https://portal.example.org', 'http://127.0.0.1:3000'],
    delivery: {
      provider: 'registry',
      url: '/forms/{{ variables.ward }}',
      headers: { authorization: 'Bearer {{ variables.key }}' },
      forms: [{ key: 'visit', url: 'https://forms.example/visits', headers: {} }],
    },
  }
  expect(await tenant.put({ glue, forms })).toMatchObject({ status: 200, body: { applied: true, warnings: [] } })
  expect((await tenant.get<{ forms: object }>()).body.forms).toEqual(forms)
  expect((await tenant.plan({ glue, forms })).body.changes).toEqual([])
  await tenant.put({ glue })
  expect((await tenant.get<{ forms: object }>()).body.forms).toEqual({
    launch: { frameAncestors: [], openPageMinutes: 1440 },
  })
})

test.each<[name: string, forms: object, ...faults: string[]]>([
  ['a provider that there is not', delivery({ provider: 'other', url: '/in' }), 'unknown-provider /delivery/provider'],
  ['a relative address without a provider', delivery({ url: '/in' }), 'wrong-format /delivery/url'],
  ['an address elsewhere than at its provider', delivery({ provider: 'registry' }), 'other-origin /delivery/url'],
  ['no address at all', delivery({ url: 'ftp://forms.example' }), 'wrong-format /delivery/url'],
  [
    'templates that do not parse',
    delivery({ url: `${url}/{{ variables.ward`, headers: { 'X-A': '{% if %}' } }),
    'invalid-template /delivery/url',
    'invalid-template /delivery/headers/X-A',
  ],
  [
    'templates that say what there is not',
    delivery({ url: `${url}/{{ variables.unknown }}`, headers: { 'X-A': '{{ request.body.x }}' } }),
    'unknown-variable /delivery/url',
    'unknown-name /delivery/headers/X-A',
  ],
  [
    'headers that are not for a manifest to say',
    delivery({
      headers: { 'Content-Type': 'text/xml', 'idempotency-key': 'x', Host: 'x', 'X-A': 'x', 'x-a': 'y' },
      forms: [
        { key: 'visit', url: 'relative', headers: { 'Form-Key': 'x' } },
        { key: 'visit', url: 'https://forms.example' },
      ],
    }),
    'reserved-header /delivery/headers/Content-Type',
    'reserved-header /delivery/headers/idempotency-key',
    'reserved-header /delivery/headers/Host',
    'duplicate-key /delivery/headers/x-a',
    'wrong-format /delivery/forms/0/url',
    'reserved-header /delivery/forms/0/headers/Form-Key',
    'duplicate-key /delivery/forms/1/key',
  ],
  [
    'an authority that is none, and no audience',
    openIdConnect({ authority: 'idp.example', audiences: ', ' }),
    'wrong-format /launch/openIdConnect/authority',
    'required /launch/openIdConnect/audiences',
  ],
  [
    'an authority of an unknown variable',
    openIdConnect({ authority: '{{ variables.idp }}' }),
    'unknown-variable /launch/openIdConnect/authority',
  ],
])('%s is refused, each fault with its place, and nothing is applied', async (_, forms, ...expected) => {
  const { status, body } = await tenant.put({ glue, forms })
  expect({ status, body }).toMatchObject({ status: 400, body: problem(400, 'validation', tenant.path) })
  const { errors }: { errors: { pointer: string; code: string }[] } = JSON.parse(JSON.stringify(body))
  expect(errors.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual(
    expected.map(fault => fault.replace(' ', ' /forms')),
  )
  expect((await tenant.get()).status).toBe(404)
})

test.each<[name: string, forms: object, pointer: string]>([
  ['an application of no origin', { applications: ['https://a.example/path'] }, '/applications/0'],
  ['any application', { applications: ['https://*.example'] }, '/applications/0'],
  ['a frame of no origin', { launch: { frameAncestors: ['https://a.example/path'] } }, '/launch/frameAncestors/0'],
  ['a frame that would be another rule', { launch: { frameAncestors: ["'self'"] } }, '/launch/frameAncestors/0'],
  ['a delivery without an address', { delivery: {} }, '/delivery/url'],
  ['a name that is none of a header', delivery({ headers: { 'a b': 'x' } }), '/delivery/headers'],
  ['a member that there is not', delivery({ method: 'PUT' }), '/delivery/method'],
])('%s does not fit the schema', async (_, forms, pointer) => {
  const { status, body } = await tenant.put({ forms })
  expect(status).toBe(400)
  expect(JSON.stringify(body)).toContain(`/forms${pointer}`)
})

test('a manifest with plain http addresses gets a warning', async () => {
  const forms = { ...openIdConnect({ authority: 'http://idp.example' }), ...delivery({ url: 'http://forms.example' }) }
  const { body } = await tenant.put({ forms })
  expect(body.warnings.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual([
    'not-encrypted /forms/launch/openIdConnect/authority',
    'not-encrypted /forms/delivery/url',
  ])
})
