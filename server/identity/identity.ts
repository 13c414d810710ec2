// Creates the embedded OAuth identity service.
import type { JWK } from 'jose'
import type { Context, Middleware } from 'koa'
import compose from 'koa-compose'
import mount from 'koa-mount'
import type { Configuration } from 'oidc-provider'
import { Provider } from 'oidc-provider'
import type { ClientStore } from '../../db/identity/clients.js'
import type { Log } from '../../runtime/observe/log.js'
import { scopes } from '../../runtime/secrets/scopes.js'
import { undeclaredAnswer } from '../middleware/declared-answers.js'
import { clientCredentials, fields, tokenLife } from './client-credentials.js'
import { compareSecret, storage, tenantOf } from './clients.js'
import type { SecretCheck } from './secret-check.js'
import { tokenErrors } from './token-description.js'

interface IdentityOptions {
  /** Exact text of the `iss` claim. */
  issuer: string
  /** The `aud` claim of every token. */
  audience: string
  clients: ClientStore
  /**
   * Cost of the hash that stands in for unknown clients. It should be that of stored secrets, so that both take equally
   * long.
   */
  secretHashCost: number
  checkSecret: SecretCheck
  /** Private RSA keys with `kid`. The first one signs. */
  keys: JWK[]
  log: Log
}

const discovery = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']
const routes = { token: '/connect/token', jwks: '/jwks' }
const served = new Set([...discovery, ...Object.values(routes)])

/**
 * Creates the identity service below `/identity`: a token endpoint for programs, its metadata and its keys. There are no logins,
 * and tokens are not stored. Use it before any body parser. All other paths are passed on. Errors are OAuth errors in JSON.
 */
export function createIdentity({ issuer, audience, checkSecret, log, ...options }: IdentityOptions): Middleware {
  const provider = new Provider(issuer, configuration(options))
  provider.Client.prototype.compareClientSecret = compareSecret(checkSecret)
  provider.registerGrantType('client_credentials', clientCredentials(audience), fields)
  logEvents(provider, log)

  const answer = mount('/', provider)
  // The library would build the URLs from the Host header, and would list endpoints that are turned off.
  const metadata = {
    issuer,
    token_endpoint: provider.urlFor('token'),
    jwks_uri: provider.urlFor('jwks'),
    grant_types_supported: ['client_credentials'],
    response_types_supported: [],
    scopes_supported: scopes,
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    id_token_signing_alg_values_supported: ['RS256'],
    subject_types_supported: ['public'],
  }
  const service: Middleware = async (ctx, next) => {
    if (!served.has(ctx.path)) return next()
    await answer(ctx, next)
    if (ctx.path === routes.token) reportUndeclared(ctx, log)
    if (ctx.status === 200 && discovery.includes(ctx.path)) ctx.body = metadata
    // Verifiers may use an outdated key set for this long. That is safe, as a new key signs only 15 minutes after it is
    // published.
    if (ctx.status === 200 && ctx.path === routes.jwks) ctx.set('Cache-Control', 'public, max-age=300')
    if (ctx.status === 503 && !ctx.response.get('Retry-After')) ctx.set('Retry-After', '5')
  }
  return compose([mount('/identity', service), metadataOf(metadata)])
}

/** Serves the metadata at the address of RFC 8414, 3.1, where the well-known part comes before the path of the issuer. */
function metadataOf(metadata: { issuer: string }): Middleware {
  const path = `/.well-known/oauth-authorization-server${new URL(metadata.issuer).pathname}`
  return async (ctx, next) => {
    if (ctx.path !== path || !['GET', 'HEAD'].includes(ctx.method)) return next()
    // The library allows pages of all origins to read the metadata at its other addresses, so it is allowed here too.
    ctx.set('Access-Control-Allow-Origin', '*')
    ctx.body = metadata
  }
}

/** Logs an error that the API description does not declare, as is done for the API's own operations. */
function reportUndeclared({ status, body, method }: Context, log: Log): void {
  const { error }: { error?: string } = Object(body)
  const isDeclared = method !== 'POST' || status < 400 || tokenErrors[status]?.includes(error ?? '')
  if (!isDeclared) log.warn({ operationId: 'getToken', status, code: error }, undeclaredAnswer)
}

const off = { enabled: false }

type ProviderOptions = Pick<IdentityOptions, 'clients' | 'secretHashCost' | 'keys'>

function configuration({ clients, secretHashCost, keys }: ProviderOptions): Configuration {
  return {
    adapter: storage(clients, secretHashCost),
    jwks: { keys },
    scopes,
    responseTypes: [],
    clientAuthMethods: ['client_secret_post', 'client_secret_basic'],
    extraClientMetadata: { properties: ['tenant_key'] },
    extraTokenClaims: (_ctx, token) => ({ tenant_key: tenantOf(token.client) }),
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
    // Pages of all origins may call the token endpoint. It reads no cookie, so a page can use only a secret that it
    // already has.
    clientBasedCORS: () => true,
    renderError(ctx, error) {
      ctx.body = error
    },
    routes,
    ttl: { ClientCredentials: tokenLife },
  }
}

/** Logs issued tokens, refusals and failures: the client and the error, but never what was sent. */
function logEvents(provider: InstanceType<typeof Provider>, log: Log) {
  provider.on('grant.success', ctx => log.debug({ clientId: ctx.oidc.client?.clientId }, 'token issued'))
  provider.on('grant.error', (ctx, error) => {
    if (error.statusCode === 503 && error.cause)
      return log.error({ err: error.cause }, 'no token issued: the database is not available')
    const { client_id: clientId } = ctx.oidc.params ?? {}
    const who = typeof clientId === 'string' ? clientId.slice(0, 100) : undefined
    return log.info(
      { clientId: who, error: error.error, reason: error.error_detail ?? error.error_description },
      'no token issued',
    )
  })
  provider.on('server_error', (_ctx, err) => log.error({ err }, 'the identity service failed'))
}
