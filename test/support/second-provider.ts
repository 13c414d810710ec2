// Runs an identity provider of a third party, with a key for each algorithm.
import type { RequestListener } from 'node:http'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { Provider } from 'oidc-provider'
import { allowedServer } from './provider.js'

export const algorithms = ['RS256', 'ES256', 'EdDSA'] as const
type Algorithm = (typeof algorithms)[number]

interface ProviderKey {
  kid: string
  alg: Algorithm
  privateKey: CryptoKey
  publicKey: CryptoKey
  jwk: JWK
}

/** Claims that replace those of a valid token; `undefined` leaves a claim out. */
type Claims = Record<string, unknown>

async function makeKey(alg: Algorithm, kid: string): Promise<ProviderKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { kid, alg, privateKey, publicKey, jwk: { ...(await exportJWK(privateKey)), kid, alg, use: 'sig' } }
}

const client = { client_id: 'host-app', client_secret: 'host-app-secret' }
const keySet = (name: string) => Promise.all(algorithms.map(alg => makeKey(alg, `${name}-${alg}`)))
/** Shared by all providers, because generating an RSA key takes a fifth of a second. */
const firstKeys = keySet('first')

/**
 * Starts a real identity provider of a third party, at an address that the stack may call. The test has its keys. The scopes of its tokens
 * are one string, and the caller chooses the audience.
 */
export async function startSecondProvider() {
  const server = await allowedServer()
  const issuer = `${server.url}/realms/host`
  let keys = await firstKeys
  const asked: string[] = []
  const serve = (listener: RequestListener) =>
    server.answer((request, response) => {
      asked.push(request.url ?? '')
      listener(request, response)
    })
  /** Serves the real provider under the path of its issuer. */
  const start = () => {
    const answer = providerOf(issuer, keys).callback()
    serve((request, response) => {
      request.url = request.url?.replace('/realms/host', '')
      answer(request, response)
    })
  }
  start()

  const keyOf = (alg: Algorithm): ProviderKey => {
    const key = keys.find(one => one.alg === alg)
    if (!key) throw new Error(`No key for ${alg}`)
    return key
  }

  return {
    issuer,
    url: server.url,
    keyOf,
    asked,
    count: (path: string) => asked.filter(one => one.endsWith(path)).length,
    /** Answers requests with another listener, until `start` is called. */
    serve,
    start,
    stop: server.stop,
    /** Replaces all keys. */
    async rotate() {
      keys = await keySet('second')
      start()
    },
    /** Requests a token from the provider. */
    async issue(alg: Algorithm, audience: string, scope: string): Promise<string> {
      const basic = Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64')
      const answer = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${basic}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', resource: `urn:${alg}:${audience}`, scope }),
      })
      const { access_token: token }: { access_token?: string } = JSON.parse(await answer.text())
      if (!token) throw new Error(`No token: ${answer.status}`)
      return token
    },
    /** Signs a token for `app-a` with the scopes read and write. It is valid unless the arguments break it. */
    token(
      claims: Claims = {},
      header: { kid?: string | undefined; typ?: string } = {},
      key: ProviderKey = keyOf('ES256'),
    ) {
      const now = Math.floor(Date.now() / 1000)
      const all = { iss: issuer, aud: 'app-a', sub: 'ada', scope: 'read write', iat: now, exp: now + 600, ...claims }
      return new SignJWT(all)
        .setProtectedHeader(JSON.parse(JSON.stringify({ alg: key.alg, kid: key.kid, ...header })))
        .sign(key.privateKey)
    },
  }
}

export type SecondProvider = Awaited<ReturnType<typeof startSecondProvider>>

/** The provider stores no tokens. */
const nothing = async () => undefined
const storage = {
  upsert: nothing,
  find: nothing,
  findByUid: nothing,
  findByUserCode: nothing,
  consume: nothing,
  destroy: nothing,
  revokeByGrantId: nothing,
}

/** The caller names the algorithm together with the audience, as `urn:<algorithm>:<audience>`. */
function providerOf(issuer: string, keys: readonly ProviderKey[]) {
  return new Provider(issuer, {
    adapter: () => storage,
    jwks: { keys: keys.map(({ jwk }) => jwk) },
    clients: [{ ...client, grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }],
    scopes: ['read', 'write'],
    ttl: { ClientCredentials: 600 },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo(_ctx, resource) {
          const [, alg, audience = ''] = /^urn:(\w+):(.+)$/.exec(resource) ?? []
          const sign = { alg: algorithms.find(one => one === alg) ?? 'RS256' }
          return { scope: 'read write', audience, accessTokenFormat: 'jwt', jwt: { sign } }
        },
      },
    },
  })
}
