// Authenticates the callers of glue endpoints.
import type { Knex } from 'knex'
import type { Context } from 'koa'
import { AuthorityUnavailable } from '../../activities/auth/authority.js'
import type { Grants } from '../../activities/auth/grants.js'
import { UnusableMethod, type UserTokens } from '../../activities/auth/user-tokens.js'
import type { TokenValidator } from '../../activities/auth/validate-token.js'
import { TokenRefused } from '../../activities/auth/verify-token.js'
import { requireActive } from '../../db/admin/suspension.js'
import { tenantIdOf } from '../../db/admin/tenants.js'
import type { TenantId } from '../../db/connect.js'
import { apiKeyStore } from '../../db/glue/endpoints/api-keys.js'
import type { AuthenticationMethod, GlueEndpoint, GlueReader, OpenedGlue } from '../../db/glue/endpoints/settings.js'
import { notFound, Problem, unauthenticated } from '../../runtime/problems/problem.js'
import type { GlueCaller } from '../../workflows/glue/contracts.js'
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

/** A call that has passed all authentication methods of its endpoint. */
export interface Admitted {
  tenantId: TenantId
  endpoint: GlueEndpoint
  glue: OpenedGlue
  /** The end user's validated token, if the endpoint requires one. */
  userToken?: string
  /** What the pipeline learns about the program that calls. */
  caller: GlueCaller
  /** The client's id or the kind of caller, by which operators find its runs. It identifies no person. */
  actor: string
}

/** What an authentication method that the caller passes adds to the call. */
type PassedMethod = Pick<Admitted, 'actor' | 'userToken' | 'caller'>

/**
 * Finds the endpoint of a path, notes it as `ctx.state.endpoint`, and checks all of its authentication methods (spec glue-auth).
 * @throws Problem 401, identical for every cause, even for an unknown tenant or endpoint, so that strangers learn
 * nothing; the log has the failed step under the request's trace id. Problem 404 for an unknown endpoint, but only for
 * a client of the same tenant with a platform token; 403 for a suspended tenant. Problem 429 above the limit of wrong tokens and keys per address;
 * 503 when the database is unavailable.
 */
export type AdmitCaller = (
  ctx: Context,
  body: RequestBody,
  path: { tenantKey: string; endpointKey: string },
) => Promise<Admitted>

/** Creates the function that authenticates the callers of endpoints. */
export function createEndpointAuthentication(dependencies: AuthenticationDependencies): AdmitCaller {
  return async (ctx, body, path) => {
    try {
      return await admit(dependencies, ctx, body, path)
    } catch (error) {
      if (!(error instanceof NotAdmitted)) throw error
      const { step, reason, cause } = error
      const line = { ...path, step, reason, ...(cause instanceof Error ? { err: cause } : {}) }
      ctx.state.log[cause ? 'warn' : 'info'](line, 'the caller of an endpoint was refused')
      if (error.isForeign && mayHoldCredential(ctx)) await countWrongCredential(ctx)
      throw unauthenticated(
        'The call does not meet what the endpoint requires of its callers. Its operators find the reason by the trace id.',
      )
    }
  }
}

/**
 * Tells from the shape of the request alone whether it may carry a credential. If it depended on the endpoint, the
 * limit of wrong credentials would reveal which endpoints exist.
 */
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
  const tenantId = await findTenant(dependencies.db, tenantKey)
  const glue = await dependencies.glue(tenantId)
  const endpoint = glue.settings.endpoints.find(({ key }) => key === endpointKey)
  if (!endpoint) {
    await clientCredentials(dependencies, ctx, tenantKey).catch((error: unknown) => {
      throw error instanceof NotAdmitted ? new NotAdmitted('endpoint', 'unknown') : error
    })
    throw notFound(`There is no endpoint '${endpointKey}'.`)
  }
  ctx.state.endpoint = { tenantId, endpointKey }
  let passed: PassedMethod = { actor: 'anybody', caller: {} }
  for (const method of endpoint.authentication) {
    const next = await check(method)
    passed = { ...passed, ...next, caller: { ...passed.caller, ...next.caller } }
  }
  // Only callers of the tenant are told.
  await requireActive(dependencies.db, tenantKey)
  return { tenantId, endpoint, glue, ...passed }

  async function check({ openIdConnect, apiKey }: AuthenticationMethod): Promise<PassedMethod> {
    if (openIdConnect) {
      const token = await tokenOf(ctx, body)
      const { variables } = glue.settings
      const validated = dependencies.userTokens.validate(token, openIdConnect, { tenantId, tenantKey, variables })
      await validated.catch(refuseAs('openIdConnect'))
      return { actor: 'user', userToken: token, caller: {} }
    }
    if (apiKey) {
      const key = ctx.get('x-api-key')
      if (!key) throw new NotAdmitted('apiKey', 'missing')
      const checked = await apiKeyStore(dependencies.db, tenantId).check(endpointKey, key)
      if ('id' in checked) return { actor: 'apiKey', caller: { apiKeyId: checked.id } }
      throw new NotAdmitted('apiKey', checked.fault, undefined, !['revoked', 'expired'].includes(checked.fault))
    }
    const clientId = await clientCredentials(dependencies, ctx, tenantKey)
    return { actor: clientId, caller: { clientId } }
  }
}

/**
 * Checks a platform token of the tenant whose client has, both in the token and at present, the required scope.
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
  const claims = await tokens.validate(token).catch(refuseAs(step))
  if (claims.tenantKey !== tenantKey) throw new NotAdmitted(step, 'tenant', undefined, false)
  const grant = await grants.ofToken(tenantKey, claims)
  if (!grant) throw new NotAdmitted(step, 'client', undefined, false)
  if (!grant.effective(claims.scopes).includes('GlueRuntimeApi')) throw new NotAdmitted(step, 'scope', undefined, false)
  return grant.clientId
}

/**
 * Returns the end user's token: from the header or, if there is none, from a form field, and from nowhere else (spec
 * glue-auth).
 */
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

async function findTenant(db: Knex, tenantKey: string): Promise<TenantId> {
  const unknown = new NotAdmitted('tenant', 'unknown')
  return tenantIdOf(db, tenantKey).catch((error: unknown) => {
    throw error instanceof Problem && error.status === 404 ? unknown : error
  })
}

/** Says which step failed and why. It has a cause if the caller is not to blame. */
class NotAdmitted extends Error {
  override readonly name = 'NotAdmitted'
  constructor(
    readonly step: 'tenant' | 'endpoint' | keyof AuthenticationMethod,
    readonly reason: string,
    cause?: unknown,
    /**
     * Whether the credential was never issued to anybody. False for one that is or was valid, such as a revoked key.
     */
    readonly isForeign = cause === undefined,
  ) {
    super(`${step}: ${reason}`, { cause })
  }
}

const refuseAs =
  (step: keyof AuthenticationMethod) =>
  (error: unknown): never => {
    if (error instanceof TokenRefused) throw new NotAdmitted(step, error.reason, undefined, error.isForged)
    if (error instanceof AuthorityUnavailable) throw new NotAdmitted(step, 'authority-unavailable', error)
    if (error instanceof UnusableMethod) throw new NotAdmitted(step, 'unusable-method', error)
    throw error
  }
