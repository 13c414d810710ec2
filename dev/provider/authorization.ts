// OAuth 2.0 of the demo provider.
import { generateKeyPairSync } from 'node:crypto'
import type { Context, Middleware } from 'koa'
import mount from 'koa-mount'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { Provider } from '../../server/identity/provider-library.js'

/** `vaccinations`: read them. `deliveries`: send forms. `control`: change and see everything, and say how the provider behaves. */
export type ProviderScope = 'vaccinations' | 'deliveries' | 'control'

/** OAuth of the provider: a token endpoint for one client, and who is let in with its tokens. */
export interface Authorization {
  /** Answers `POST /token` and the metadata. */
  tokens: Middleware
  /** Lets in whoever has a token with this scope; 401 and 403 otherwise. */
  require(scope: ProviderScope): Middleware
  /** All tokens are refused from now on, as after a restart: tokens are opaque, and kept in memory. */
  forget(): void
}

const off = { enabled: false }

/** @param tokenSeconds asked anew for every token. */
export function createAuthorization(
  issuer: string,
  client: { id: string; secret: string },
  tokenSeconds: () => number,
): Authorization {
  const kept = new Map<string, AdapterPayload>()
  // Nothing is signed, yet the library wants a key.
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
