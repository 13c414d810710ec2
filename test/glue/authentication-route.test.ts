// A user's token from the request to the pipeline.
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { admin, newTenant, type Tenant, tokenOf } from '../support/api.js'
import { bearer, call, expectRefusal } from '../support/glue-callers.js'
import { algorithms, type SecondProvider, startSecondProvider } from '../support/second-provider.js'

// The running platform as a whole: API process, Temporal, worker, its own identity service, and a second provider.
let provider: SecondProvider
let tenant: Tenant
const baseUrl = inject('baseUrl')

beforeAll(async () => {
  provider = await startSecondProvider()
  const user = { openIdConnect: { authority: provider.issuer, audiences: 'app-a', scopes: 'read' } }
  const ownUser = { openIdConnect: { authority: `${baseUrl}/identity`, audiences: 'armature', scopes: 'FrameApi' } }
  const respond = { headers: { 'content-type': 'text/plain' }, body: 'Bearer {{ request.userToken }}' }
  const userSteps = [{ name: 'answer', respond }]
  const steps = [{ name: 'answer', respond: { expression: '$merge([{"answered": true}, request.body])' } }]
  const endpoints = [
    { key: 'user', steps: userSteps, authentication: [user] },
    { key: 'own-user', steps: userSteps, authentication: [ownUser] },
    { key: 'program', steps, authentication: [{ clientCredentials: {} }] },
    { key: 'key', steps, authentication: [{ apiKey: {} }] },
  ]
  tenant = await newTenant(baseUrl, {}, { glue: { endpoints } })
})
afterAll(() => provider.stop())

const pathOf = (endpoint: string) => `${tenant.tenantKey}/${endpoint}`
const send = (endpoint: string, init: RequestInit) => call(baseUrl, pathOf(endpoint), init)
const platformToken = (tenantKey: string, id: string, secret: string, scope: string) =>
  tokenOf(baseUrl, { tenantKey, id, secret, scope })

describe("a user's token is what the pipeline reads as request.userToken", () => {
  test.each(algorithms)('signed with %s, in the header', async alg => {
    const token = await provider.issue(alg, 'app-a', 'read write')
    const { status, body } = await send('user', bearer(token))
    expect([status, body]).toEqual([200, { text: `Bearer ${token}` }])
  })

  test('from a form', async () => {
    const token = await provider.token()
    const { status, body } = await send('user', { body: new URLSearchParams({ jwt: token }) })
    expect([status, body]).toEqual([200, { text: `Bearer ${token}` }])
  })

  test('of our own identity service, for the same tenant only', async () => {
    const { token } = tenant
    expect((await send('own-user', bearer(token))).body).toEqual({ text: `Bearer ${token}` })
    const others = await newTenant(baseUrl)
    expectRefusal(await send('own-user', bearer(others.token)), pathOf('own-user'))
  })

  test('refused where it breaks a rule, and where there is none', async () => {
    const [good, expired] = [await provider.token(), await provider.token({ exp: 1 })]
    const refused: RequestInit[] = [
      {},
      bearer(expired),
      bearer(await provider.token({ scope: 'Read' })),
      { body: new URLSearchParams({ jwt: good }), headers: { authorization: `Bearer ${expired}` } },
      { body: JSON.stringify({ jwt: good }), headers: { 'content-type': 'application/json' } },
    ]
    for (const init of refused) expectRefusal(await send('user', init), pathOf('user'))
  })
})

test('a program takes its token by the token request of the specification, and calls with it', async () => {
  const id = `${tenant.tenantKey}-program`
  const platform = await admin(baseUrl)
  const manifest = `/admin/v1/tenants/${tenant.tenantKey}`
  const { body: applied } = await platform.get<{ clients: object[] }>(manifest)
  const program = { id, secret: 'a-secret-of-this-test', scopes: ['GlueRuntimeApi', 'FrameApi'], permissions: [] }
  await platform.put(manifest, { ...applied, clients: [...applied.clients, program] })

  const token = await platformToken(tenant.tenantKey, id, program.secret, 'GlueRuntimeApi')
  const json = { ...bearer(token).headers, 'content-type': 'application/json' }
  const { status, body } = await send('program', { body: '{"a":1}', headers: json })
  expect([status, body]).toEqual([200, { answered: true, a: 1 }])
  expect((await send('nobody-has-it', bearer(token))).body).toMatchObject({ status: 404, type: '/problems/not-found' })

  const refused = [
    await platformToken(tenant.tenantKey, id, program.secret, 'FrameApi'),
    await platformToken('demo', 'demo-integration', 'demo-integration-secret', 'GlueRuntimeApi'),
  ]
  for (const other of refused) expectRefusal(await send('program', bearer(other)), pathOf('program'))
  expectRefusal(await send('program', { body: new URLSearchParams({ jwt: token }) }), pathOf('program'))
})

test('an API key opens its endpoint until it is revoked', async () => {
  const platform = await admin(baseUrl)
  const keys = `/admin/v1/tenants/${tenant.tenantKey}/endpoints/key/apiKeys`
  const { body: made } = await platform.post<{ id: string; key: string }>(keys, { name: 'one' })
  const headers = { 'x-api-key': made.key }
  expect((await send('key', { headers })).body).toEqual({ answered: true })
  expectRefusal(await send('program', { headers }), pathOf('program'))
  await platform.delete(`${keys}/${made.id}`)
  expectRefusal(await send('key', { headers }), pathOf('key'))
})
