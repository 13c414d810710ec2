// Validates users' tokens by the OpenID Connect methods of an endpoint or a launch policy.
import { LRUCache } from 'lru-cache'
import type { TenantId } from '../../db/connect.js'
import type { OpenIdConnectMethod } from '../../db/glue/endpoints/settings.js'
import type { Evaluator } from '../../runtime/expressions/expressions.js'
import { NotEvaluated } from '../../runtime/expressions/parsed-texts.js'
import type { Log } from '../../runtime/observe/log.js'
import { isScope } from '../../runtime/secrets/scopes.js'
import type { Grants } from './grants.js'
import type { TokenValidator } from './validate-token.js'
import { TokenRefused, tokenCache, tokenVerifier, type VerifiedClaims, type VerifyToken } from './verify-token.js'

/** The settings of the method cannot be used: a template fails, the authority is not an address, or there is no audience. */
export class UnusableMethod extends Error {
  override readonly name = 'UnusableMethod'
}

export interface UserTokens {
  /**
   * Validates a user's token by an endpoint's openIdConnect method (spec glue-auth "validation"). A token of the platform's
   * own issuer must belong to this tenant, and its client must still have the scopes. Tokens of other issuers need not name a
   * client.
   * @throws TokenRefused if it is not valid; AuthorityUnavailable if that cannot be decided now; UnusableMethod.
   */
  validate(token: string, method: OpenIdConnectMethod, endpoint: EndpointTenant): Promise<Accepted>
  /**
   * Checks again what was accepted earlier, for a token that may have expired since: by the method as it is now, and by
   * what the client may do now.
   * @throws TokenRefused if it would not be accepted any longer; UnusableMethod.
   */
  accepts(accepted: Accepted, method: OpenIdConnectMethod, endpoint: EndpointTenant): Promise<void>
}

/** The tenant of an endpoint, with its plain variables. */
export interface EndpointTenant {
  tenantId: TenantId
  tenantKey: string
  variables: Record<string, string>
}

/** The claims of a token, and the authority whose token it is. */
export interface Accepted extends VerifiedClaims {
  readonly authority: string
}

export interface UserTokensOptions {
  platform: TokenValidator
  /** Grants of the clients that tokens of the platform name. */
  grants: Grants
  evaluator: Evaluator
  /**
   * Fetches from authorities that tenants name, with the guards of runtime/outbound/outbound.ts. Those also decide about plain
   * http.
   */
  fetch: typeof fetch
  log?: Pick<Log, 'warn'> | undefined
  /** How long reading the metadata and keys of an authority may take, in ms. Default 5 s. */
  timeoutMs?: number
}

const maxAuthorities = 1_000

/** Creates the validation of tokens from any authority that a tenant trusts. */
export function createUserTokens({
  platform,
  grants,
  evaluator,
  fetch,
  log,
  timeoutMs,
}: UserTokensOptions): UserTokens {
  const trusted = new WeakMap<OpenIdConnectMethod, Trusted>()
  const verifiers = new LRUCache<string, VerifyToken>({ max: maxAuthorities })
  const cache = tokenCache()

  function verifierOf(authority: string): VerifyToken {
    const known = verifiers.get(authority)
    if (known) return known
    const verify = tokenVerifier({ authority, fetch, log, timeoutMs, allowInsecure: true }, cache)
    verifiers.set(authority, verify)
    return verify
  }

  async function trustedBy(method: OpenIdConnectMethod, tenant: EndpointTenant): Promise<Trusted> {
    // Caching by object is safe: when variables change, createGlueReader returns a new method object.
    const known = trusted.get(method) ?? (await readMethod(evaluator, method, tenant))
    trusted.set(method, known)
    return known
  }

  return {
    async validate(token, method, tenant) {
      const trusted = await trustedBy(method, tenant)
      const { authority } = trusted
      const claims = await (authority === platform.authority ? platform.verify : verifierOf(authority))(token)
      const accepted = { ...claims, authority }
      await requireAccepted(accepted, trusted, tenant.tenantKey)
      return accepted
    },
    accepts: async (accepted, method, tenant) =>
      requireAccepted(accepted, await readMethod(evaluator, method, tenant), tenant.tenantKey),
  }

  async function requireAccepted(claims: Accepted, { authority, audiences, scopes }: Trusted, tenantKey: string) {
    if (claims.authority !== authority) throw new TokenRefused('issuer')
    if (!audiences.some(audience => claims.audiences.includes(audience))) throw new TokenRefused('audience')
    if (!scopes.every(scope => claims.scopes.includes(scope))) throw new TokenRefused('scope')
    if (authority === platform.authority) await requireGrant(claims, tenantKey, scopes)
  }

  async function requireGrant(claims: VerifiedClaims, tenantKey: string, scopes: readonly string[]): Promise<void> {
    if (claims.tenantKey !== tenantKey) throw new TokenRefused('tenant')
    const { clientId } = claims
    if (clientId === undefined) return
    const grant = await grants.ofToken(tenantKey, { ...claims, clientId })
    if (!grant) throw new TokenRefused('client')
    if (!scopes.every(scope => !isScope(scope) || grant.scopes.has(scope))) throw new TokenRefused('scope')
  }
}

interface Trusted {
  authority: string
  audiences: string[]
  scopes: string[]
}

/** Fills the variables into the settings of a method. @throws UnusableMethod */
async function readMethod(
  evaluator: Evaluator,
  method: OpenIdConnectMethod,
  { tenantId, variables }: EndpointTenant,
): Promise<Trusted> {
  const filled = (template: string) =>
    evaluator.template(tenantId, 'request', template, { variables }).catch((cause: unknown) => {
      throw cause instanceof NotEvaluated ? new UnusableMethod('A template of the method fails', { cause }) : cause
    })
  const authority = (await filled(method.authority)).trim()
  const audiences = listOf(await filled(method.audiences))
  if (!isIssuer(authority)) throw new UnusableMethod('The authority is not the address of an issuer')
  if (audiences.length === 0) throw new UnusableMethod('No audience is named')
  return { authority, audiences, scopes: listOf(await filled(method.scopes ?? '')) }
}

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map(one => one.trim())
    .filter(Boolean)

/**
 * True for an http(s) address without query and fragment (OpenID Connect Discovery, 3). Addresses with a user name or password are
 * refused, because they would end up in logs.
 */
function isIssuer(authority: string): boolean {
  if (!URL.canParse(authority) || /[?#]/.test(authority)) return false
  const { protocol, username, password } = new URL(authority)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}
