// Token endpoints of providers.
import type { RequestListener } from 'node:http'
import { Provider as IdentityProvider } from 'oidc-provider'
import { afterEach, expect, test } from 'vitest'
import { loopbackServer } from '../support/http.js'
import { providerAt, providerCalls, secretValue } from '../support/provider-calls.js'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

const credentials = { clientId: 'client_1', clientSecret: '{{ variables.secret }}', scope: 'read' }

/** A real OpenID provider that takes the secret in one way only. */
async function startAuthority(method: 'client_secret_post' | 'client_secret_basic') {
  let listener: RequestListener = (_, response) => response.end()
  const authority = await loopbackServer((request, response) => listener(request, response))
  const client = {
    client_id: 'client_1',
    client_secret: secretValue,
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
    token_endpoint_auth_method: method,
  }
  const identity = new IdentityProvider(authority.url, {
    clients: [client],
    clientAuthMethods: [method],
    features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
    scopes: ['read'],
  })
  listener = identity.callback()
  return authority
}

test.each(['client_secret_post', 'client_secret_basic'] as const)(
  'an authority is found by its metadata, and gets the secret by %s',
  async method => {
    const authority = await startAuthority(method)
    const tokens: (string | undefined)[] = []
    const site = await loopbackServer((request, response) => {
      tokens.push(request.headers.authorization)
      response.end()
    })
    const calls = providerCalls({ allow: [authority.host, site.host] })
    stops.push(calls.stop, authority.stop, site.stop)
    const authentication = { authority: authority.url, ...credentials }
    const provider = providerAt(site.url, { authentication })
    expect((await calls.call({ provider, url: `${site.url}/data` })).status).toBe(200)
    expect(tokens).toEqual([expect.stringMatching(/^Bearer .{20,}/)])

    const wrong = { ...provider, authentication: { ...authentication, clientSecret: '{{ variables.wrong }}' } }
    expect(await calls.failure({ provider: wrong, url: `${site.url}/data` })).toMatchObject({
      reason: 'token-refused',
      retryable: false,
      status: 401,
    })
    expect(tokens).toHaveLength(1)
  },
)

const there = 'https://elsewhere.example'
test.each<[string, (here: string) => object | string, string]>([
  [
    'names another issuer',
    () => ({ issuer: there, token_endpoint: `${there}/token` }),
    "the member 'issuer' of the metadata is not the authority",
  ],
  ['names no issuer', () => ({}), "the member 'issuer' of the metadata is not an address"],
  [
    'has no address for tokens',
    here => ({ issuer: here, token_endpoint: null }),
    "the member 'token_endpoint' of the metadata is not an address",
  ],
  ['is a page', () => '<html>', 'the token endpoint or its metadata answered something other than a JSON object'],
])('an authority whose metadata %s is not trusted with the secret', async (_, metadata, fault) => {
  const authority = await loopbackServer((_, response) => {
    const body = metadata(authority.url)
    response.setHeader('content-type', 'application/json').end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  const calls = providerCalls({ allow: [authority.host] })
  stops.push(calls.stop, authority.stop)
  const provider = providerAt(authority.url, { authentication: { authority: authority.url, ...credentials } })
  expect(await calls.failure({ provider, url: `${authority.url}/data` })).toMatchObject({
    reason: 'token-refused',
    retryable: false,
    message: `No token for the provider '${provider.key}': ${fault}`,
  })
  expect(authority.asked).toEqual(['GET /.well-known/openid-configuration'])
})
