// Authentication of the callers of glue endpoints.
import type { Knex } from 'knex'
import type { Context } from 'koa'
import { AuthorityUnavailable } from '../../activities/auth/authority.js'
import type { Grants } from '../../activities/auth/grants.js'
import { UnusableMethod, type UserTokens } from '../../activities/auth/user-tokens.js'
import type { TokenValidator } from '../../activities/auth/validate-token.js'
import { TokenRefused } from '../../activities/auth/verify-token.js'
import { tenantIdOf } from '../../db/admin/tenants.js'
import type { TenantId } from '../../db/connect.js'
import { apiKeyStore } from '../../db/glue/endpoints/api-keys.js'
import type { AuthenticationMethod, GlueEndpoint, GlueReader, OpenedGlue } from '../../db/glue/endpoints/settings.js'
import { notFound, Problem, unauthenticated } from '../../runtime/problem.js'
import { bearerToken } from '../middleware/authenticate.js'
import { countWrongCredential } from '../middleware/rate-limit.js'
import { type RequestBody, tokenFields } from './request-body.js'

export interface AuthenticationDependencies {
  db: Knex
  glue: GlueReader
  grants: Grants
  tokens: TokenValidator
  userTokens: UserTokens
}

/** A call whose caller has fulfilled all that the endpoint asks. */
export interface Admitted {
  tenantId: TenantId
  endpoint: GlueEndpoint
  glue: OpenedGlue
  /** The validated token of the end user, where the endpoint asks for one. */
  userToken?: string
  /** Id of the client, or the kind of caller, by which operators find its runs. It names no person. */
  actor: string
}

/** A method that the caller fulfils. */
type Fulfilled = Pick<Admitted, 'actor' | 'userToken'>

/**
 * Finds the endpoint of a path and checks all authentication methods of the endpoint (spec glue-auth).
 * @throws Problem 401, the same for every cause, also for an unknown tenant or endpoint: strangers learn nothing.
 *   The log has the failing step under the request's trace id.
 *   Problem 404 for an unknown endpoint, only for programs of the same tenant with a platform token.
 *   Problem 429 above the limit of wrong tokens and keys of an address; 503 when the database is unavailable.
 */
export type AdmitCaller = (
  ctx: Context,
  body: RequestBody,
  path: { tenantKey: string; endpointKey: string },
) => Promise<Admitted>

/** Makes the authentication of endpoints. */
export function createEndpointAuthentication(dependencies: AuthenticationDependencies): AdmitCaller {
  return async (ctx, body, path) => {
    try {
      return await admit(dependencies, ctx, body, path)
    } catch (error) {
      if (!(error instanceof NotAdmitted)) throw error
      const { step, reason, cause } = error
      const line = { ...path, step, reason, ...(cause instanceof Error ? { err: cause } : {}) }
      ctx.state.log[cause ? 'warn' : 'info'](line, 'the caller of an endpoint is not admitted')
      if (error.isForeign && mayHoldCredential(ctx)) await countWrongCredential(ctx)
      throw unauthenticated(
        'The call lacks what the endpoint asks of its callers. Its operators find why by the trace id.',
      )
    }
  }
}

/** By the shape of the request, as what there is at its path: the count tells nobody which endpoints exist. */
const mayHoldCredential = (ctx: Context): boolean =>
  ctx.get('authorization') !== '' ||
  ctx.get('x-api-key') !== '' ||
  Boolean(ctx.is('application/x-www-form-urlencoded', 'multipart/form-data'))

async function admit(
  dependencies: AuthenticationDependencies,
  ctx: Context,
  body: RequestBody,
  { tenantKey, endpointKey }: { tenantKey: string; endpointKey: string },
): Promise<Admitted> {
  const tenantId = await tenantNamed(dependencies.db, tenantKey)
  const glue = await dependencies.glue(tenantId)
  const endpoint = glue.settings.endpoints.find(({ key }) => key === endpointKey)
  if (!endpoint) {
    await clientCredentials(dependencies, ctx, tenantKey).catch((error: unknown) => {
      throw error instanceof NotAdmitted ? new NotAdmitted('endpoint', 'unknown') : error
    })
    throw notFound(`There is no endpoint '${endpointKey}'.`)
  }
  const caller: Fulfilled = { actor: 'anybody' }
  for (const method of endpoint.authentication) Object.assign(caller, await check(method))
  return { tenantId, endpoint, glue, ...caller }

  async function check({ openIdConnect, apiKey }: AuthenticationMethod): Promise<Fulfilled> {
    if (openIdConnect) {
      const token = await tokenOf(ctx, body)
      const { variables } = glue
      const validated = dependencies.userTokens.validate(token, openIdConnect, { tenantKey, variables })
      await validated.catch(notAdmitted('openIdConnect'))
      return { actor: 'user', userToken: token }
    }
    if (apiKey) {
      const key = ctx.get('x-api-key')
      const fault = key ? await apiKeyStore(dependencies.db, tenantId).fault(endpointKey, key) : 'missing'
      if (fault) throw new NotAdmitted('apiKey', fault, undefined, !['revoked', 'expired'].includes(fault))
      return { actor: 'apiKey' }
    }
    return { actor: await clientCredentials(dependencies, ctx, tenantKey) }
  }
}

/**
 * Server-to-server: a token of the platform for this tenant, whose client has the scope, now as when the token was made.
 * @returns the client's id.
 */
async function clientCredentials(
  { tokens, grants }: AuthenticationDependencies,
  ctx: Context,
  tenantKey: string,
): Promise<string> {
  const step = 'clientCredentials'
  const { authorization } = ctx.headers
  const token = bearerToken(authorization ?? '')
  if (!token) throw new NotAdmitted(step, authorization === undefined ? 'missing' : 'no-bearer-token')
  const claims = await tokens.validate(token).catch(notAdmitted(step))
  if (claims.tenantKey !== tenantKey) throw new NotAdmitted(step, 'tenant', undefined, false)
  const grant = await grants.for(tenantKey, claims.clientId)
  if (!grant) throw new NotAdmitted(step, 'client', undefined, false)
  if (!grant.effective(claims.scopes).includes('GlueRuntimeApi')) throw new NotAdmitted(step, 'scope', undefined, false)
  return claims.clientId
}

/** The end user's token as the specification reads it: the header, or without one a form's field. Nothing else. */
async function tokenOf(ctx: Context, body: RequestBody): Promise<string> {
  const step = 'openIdConnect'
  const { authorization } = ctx.headers
  if (authorization !== undefined) {
    const token = bearerToken(authorization)
    if (token) return token
    throw new NotAdmitted(step, 'no-bearer-token')
  }
  const texts = await body.formTexts().catch((error: unknown) => {
    throw error instanceof Problem ? new NotAdmitted(step, 'unreadable-form', error) : error
  })
  for (const field of tokenFields) {
    const [, token] = texts?.find(([name, text]) => name.toLowerCase() === field && text !== '') ?? []
    if (token) return token
  }
  throw new NotAdmitted(step, 'missing')
}

async function tenantNamed(db: Knex, tenantKey: string): Promise<TenantId> {
  const unknown = new NotAdmitted('tenant', 'unknown')
  return tenantIdOf(db, tenantKey).catch((error: unknown) => {
    throw error instanceof Problem && error.status === 404 ? unknown : error
  })
}

/** Which step failed and why; the cause where it is not the caller's doing. */
class NotAdmitted extends Error {
  override readonly name = 'NotAdmitted'
  constructor(
    readonly step: 'tenant' | 'endpoint' | keyof AuthenticationMethod,
    readonly reason: string,
    cause?: unknown,
    /** False where what was sent is known to be, or to have been, somebody's. */
    readonly isForeign = cause === undefined,
  ) {
    super(`${step}: ${reason}`, { cause })
  }
}

const notAdmitted =
  (step: keyof AuthenticationMethod) =>
  (error: unknown): never => {
    if (error instanceof TokenRefused) throw new NotAdmitted(step, error.reason, undefined, error.isForged)
    if (error instanceof AuthorityUnavailable) throw new NotAdmitted(step, 'authority-unavailable', error)
    if (error instanceof UnusableMethod) throw new NotAdmitted(step, 'unusable-method', error)
    throw error
  }
