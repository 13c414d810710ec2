// Implements the client-credentials grant of the identity service.
import type { Client, TokenEndpointGrantContext } from 'oidc-provider'
import { errors } from 'oidc-provider'
import { tenantOf } from './storage.js'

/** Lifetime of an access token, in seconds. */
export const tokenLife = 3600

type Context = TokenEndpointGrantContext<{ scope?: string; tenant_key?: string }>

/** Form fields that the grant reads in addition to those that authenticate the client. */
export const fields = ['scope', 'tenant_key']

/**
 * Creates the handler of the grant of programs (spec frame "Authentication"), which issues a token for the client's own
 * tenant. Client ids are unique, so `tenant_key` may be left out; OAuth libraries do not send it.
 * @throws `invalid_scope` for a scope that the client does not have.
 *   `invalid_grant` for a tenant that is unknown or not the client's. Both get the same answer, so that nobody learns which
 *   tenants exist.
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

/** Returns the requested scopes without duplicates. If none is requested and the client has just one, it is that one. */
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
