// The client-credentials grant of the identity service.
import type { Client, TokenEndpointGrantContext } from 'oidc-provider'
import { tenantOf } from './clients.js'
import { errors } from './provider-library.js'

/** Life of an access token in seconds. */
export const tokenLife = 3600

type Context = TokenEndpointGrantContext<{ scope?: string; tenant_key?: string }>

/** Form fields the grant reads beside those that authenticate the client. */
export const fields = ['scope', 'tenant_key']

/**
 * The only grant of the service (spec: frame, "Authentication"): a client gets a token for its own tenant.
 * A client id is unique, so `tenant_key` may be left out, as libraries for OAuth do.
 * @throws `invalid_scope` for a scope that the client does not have.
 *   `invalid_grant` for a tenant that is unknown or not the client's: one answer, so that nobody learns which tenants
 *   exist.
 */
export const clientCredentials = (audience: string) => async (ctx: Context) => {
  const { client, params, provider } = ctx.oidc
  if (params.tenant_key && params.tenant_key !== tenantOf(client)) {
    throw new errors.CustomOIDCProviderError('invalid_grant', 'tenant_key does not name a tenant of this client')
  }
  const scope = grantedScope(client, params.scope)
  const token = new provider.ClientCredentials({ client, scope })
  token.resourceServer = new provider.ResourceServer(audience, {
    scope,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'RS256' } },
  })
  ctx.body = { access_token: await token.save(), expires_in: tokenLife, token_type: 'Bearer', scope }
}

/** The scopes asked for, each once; the client's only scope when it has one and the request names none. */
function grantedScope(client: Client, requested: string | undefined): string {
  const allowed = client.scope?.split(' ') ?? []
  const wanted = [...new Set(requested?.split(' ') ?? allowed)]
  if (!requested && wanted.length !== 1) {
    throw new errors.InvalidScope('scope must be given: the client does not have exactly one', '')
  }
  const refused = wanted.filter(scope => !allowed.includes(scope))
  if (refused.length > 0) throw new errors.InvalidScope('requested scope is not allowed', refused.join(' '))
  return wanted.join(' ')
}
