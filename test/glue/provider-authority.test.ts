import { createServer } from 'node:http'
import { Provider as IdentityProvider } from 'oidc-provider'
import { afterEach, expect, test } from 'vitest'
import { loopbackServer } from '../support/loopback.js'
import { providerAt, providerCalls, secretValue } from '../support/provider-calls.js'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

test.each(['client_secret_post', 'client_secret_basic'] as const)(
  'an authority is found by its metadata, and gets the secret by %s',
  async method => {
    const server = createServer()
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    const identity = new IdentityProvider(`http://${host}/issuer`, {
      clients: [
        {
          client_id: 'client_1',
          client_secret: secretValue,
          grant_types: ['client_credentials'],
          redirect_uris: [],
          response_types: [],
          token_endpoint_auth_method: method,
        },
      ],
      clientAuthMethods: [method],
      features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
      scopes: ['read'],
    })
    let tokens: (string | undefined)[] = []
    server.on('request', (request, response) => {
      if (!request.url?.startsWith('/issuer')) {
        tokens = [...tokens, request.headers.authorization]
        return response.end()
      }
      request.url = request.url.slice('/issuer'.length)
      return identity.callback()(request, response)
    })
    const calls = providerCalls({ allow: [host] })
    stops.push(calls.stop, async () => {
      server.closeAllConnections()
      server.close()
    })
    const authentication = {
      authority: `http://${host}/issuer`,
      clientId: 'client_1',
      clientSecret: '{{ variables.secret }}',
      scope: 'read',
    }
    const provider = providerAt(`http://${host}`, { authentication })
    expect((await calls.call({ provider, url: `http://${host}/data` })).status).toBe(200)
    expect(tokens).toEqual([expect.stringMatching(/^Bearer .{20,}/)])
    const wrong = { ...provider, authentication: { ...authentication, clientSecret: 'wrong' } }
    expect(await calls.failure({ provider: wrong, url: `http://${host}/data` })).toMatchObject({
      reason: 'token-refused',
      message: expect.stringContaining('(invalid_client)'),
    })
  },
)

test('an authority whose metadata names another issuer is not trusted with the secret', async () => {
  const site = await loopbackServer((_, response) =>
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ issuer: 'https://elsewhere.example', token_endpoint: `${site.url}/token` })),
  )
  const calls = providerCalls({ allow: [site.host] })
  stops.push(calls.stop, site.stop)
  const authentication = { authority: site.url, clientId: 'c', clientSecret: '{{ variables.secret }}' }
  const provider = providerAt(site.url, { authentication })
  expect(await calls.failure({ provider, url: `${site.url}/data` })).toMatchObject({
    reason: 'token-refused',
    retryable: false,
  })
  expect(site.asked).toEqual(['GET /.well-known/openid-configuration'])
})
