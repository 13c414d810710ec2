// Issues and checks the OAuth 2.0 tokens of the demo provider.
import { generateKeyPairSync } from 'node:crypto'
import type { Context, Middleware } from 'koa'
import mount from 'koa-mount'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { Provider } from 'oidc-provider'

/**
 * `vaccinations` permits reading them and `deliveries` sending forms. `control` permits everything that tests and the demo
 * need: to read and change all data and to set how the provider misbehaves.
 */
export type ProviderScope = 'vaccinations' | 'deliveries' | 'control'

/** A token endpoint for a single client, and middleware that checks its tokens. */
export interface Authorization {
  /** Serves `POST /token` and the metadata. */
  tokens: Middleware
  /** Returns middleware that requires a token with this scope. It answers 401 without a token and 403 without the scope. */
  require(scope: ProviderScope): Middleware
  /** Invalidates all tokens, as a restart does: they are opaque and known only in memory. */
  forget(): void
}

const off = { enabled: false }

/** @param tokenSeconds returns the lifetime of a token. Called for each token, so that it can change. */
export function createAuthorization(
  issuer: string,
  client: { id: string; secret: string },
  tokenSeconds: () => number,
): Authorization {
  const kept = new Map<string, AdapterPayload>()
  // The library requires a key, although nothing is signed.
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
  const provider = new Provider(issuer, {
    adapter: () => memory(kept),
    jwks: { keys: [{ ...key, kid: 'unused', alg: 'ES256' }] },
    scopes: ['vaccinations', 'deliveries', 'control'],
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        grant_types: ['client_credentials'],
        response_types: [],
        redirect_uris: [],
        scope: 'vaccinations deliveries control',
        id_token_signed_response_alg: 'ES256',
      },
    ],
    responseTypes: [],
    clientAuthMethods: ['client_secret_post', 'client_secret_basic'],
    features: {
      clientCredentials: { enabled: true },
      claimsParameter: off,
      devInteractions: off,
      dPoP: off,
      pushedAuthorizationRequests: off,
      resourceIndicators: off,
      rpInitiatedLogout: off,
      userinfo: off,
    },
    routes: { token: '/token' },
    ttl: { ClientCredentials: tokenSeconds },
  })

  return {
    tokens: mount('/', provider),
    forget: () => kept.clear(),
    require: scope => async (ctx, next) => {
      const [, bearer = ''] = /^Bearer (.+)$/i.exec(ctx.get('authorization')) ?? []
      const token = await provider.ClientCredentials.find(bearer)
      if (!token?.isValid) {
        ctx.set('WWW-Authenticate', 'Bearer error="invalid_token"')
        return refuse(ctx, 401, 'invalid_token')
      }
      if (!token.scopes.has(scope)) return refuse(ctx, 403, 'insufficient_scope')
      return next()
    },
  }
}

function refuse(ctx: Context, status: number, error: string): void {
  ctx.status = status
  ctx.body = { error }
}

const memory = (kept: Map<string, AdapterPayload>): Adapter => ({
  async find(id) {
    return kept.get(id)
  },
  async upsert(id, payload) {
    kept.set(id, payload)
  },
  findByUserCode: neverAsked,
  findByUid: neverAsked,
  consume: neverAsked,
  destroy: neverAsked,
  revokeByGrantId: neverAsked,
})

async function neverAsked(): Promise<never> {
  throw new Error('There are tokens of programs only.')
}
