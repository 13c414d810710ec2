// What a pipeline learns about its caller: the claims of the user's token, and the program that calls.
import { afterAll, expect, inject, test } from 'vitest'
import { admin, type Tenant } from '../support/api.js'
import { recordingProvider } from '../support/endpoints.js'
import { glueTenant } from '../support/factories.js'
import { problem } from '../support/http.js'
import { userIssuer } from '../support/issuer.js'

const issuer = await userIssuer()
const provider = await recordingProvider(({ path }) => ({ body: { path } }))
afterAll(() => Promise.all([issuer.stop(), provider.stop()]))

const openIdConnect = { authority: issuer.authority, audiences: 'app' }
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const tenantOf = (steps: object[], authentication: object[] = [{ openIdConnect }]) =>
  glueTenant({
    providers: [{ key: 'p', url: provider.url }],
    endpoints: [{ key: 'e', authentication, steps }],
  })

const card = [
  { name: 'card', httpRequest: { provider: 'p', url: 'people/{{ request.user.national_id }}' } },
  { name: 'r', respond: { expression: '{"of": request.user.sub, "path": steps.card.body.path}' } },
]

test('a user reads their own card, whoever they ask for', async () => {
  const tenant = await tenantOf(card)
  for (const id of ['P-1', 'P-2']) {
    const token = await issuer.token(300, { national_id: id })
    const { status, body } = await tenant.call(
      'e?id=P-3&user[national_id]=P-3',
      { user: { national_id: 'P-3' } },
      bearer(token),
    )
    expect([status, body]).toEqual([200, { of: 'user', path: `/people/${id}` }])
  }
})

test('a token without the claim that an endpoint needs is answered with 403, which names the claim', async () => {
  const tenant = await tenantOf(card)
  const { status, body } = await tenant.call('e', {}, bearer(await issuer.token()))
  expect([status, body]).toEqual([
    403,
    problem(403, 'forbidden', tenant.path('e'), {
      detail: "This endpoint needs the claim 'national_id', which your token does not have.",
    }),
  ])
})

test('no step changes the claims for a later one', async () => {
  const tenant = await tenantOf([
    { name: 'changed', transform: { expression: 'request ~> |user|{"sub": "root"}|' } },
    { name: 'shown', transform: { expression: '[steps.changed.user.sub, request.user.sub]' } },
    { name: 'r', respond: { body: '{{ steps.shown | json }} {{ request.user.sub }}' } },
  ])
  const { body } = await tenant.call('e', {}, bearer(await issuer.token()))
  expect(body).toBe('["root","user"] user')
})

const shown = [{ name: 'r', respond: { expression: '{"caller": request.caller, "user": request.user}' } }]

test('an endpoint learns which client calls it', async () => {
  const tenant = await tenantOf(shown, [{ clientCredentials: {} }])
  const [client] = await tenant.clients([[]], ['GlueRuntimeApi'])
  const answer = await client?.post(tenant.path('e'), {})
  expect(answer).toMatchObject({ status: 200, body: { caller: { clientId: `${tenant.tenantKey}-1` } } })
})

test('an endpoint learns by which key it is called', async () => {
  const tenant = await tenantOf(shown, [{ apiKey: {} }, { openIdConnect }])
  const made = await keyOf(tenant)
  const token = await issuer.token(300, { name: 'Zoë' })
  const { status, body } = await tenant.call('e', {}, { 'x-api-key': made.key, ...bearer(token) })
  expect(status).toBe(200)
  expect(body).toMatchObject({ caller: { apiKeyId: made.id }, user: { sub: 'user', name: 'Zoë' } })
})

test('an open endpoint learns nothing', async () => {
  const tenant = await tenantOf(shown, [])
  const { status, body } = await tenant.call('e', { caller: { clientId: 'me' }, user: { sub: 'me' } })
  expect([status, body]).toEqual([200, { caller: {} }])
})

async function keyOf({ tenantKey }: Pick<Tenant, 'tenantKey'>): Promise<{ id: string; key: string }> {
  const platform = await admin(inject('baseUrl'))
  return (
    await platform.post<{ id: string; key: string }>(`/admin/v1/tenants/${tenantKey}/endpoints/e/apiKeys`, {
      name: 'k',
    })
  ).body
}
