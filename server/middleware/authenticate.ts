import type { Context, Middleware } from 'koa'
import type { Grant } from '../../activities/auth/grants.js'
import { TokenRefused } from '../../activities/auth/verify-token.js'
import { forbidden, Problem, unauthenticated } from '../../runtime/problem.js'
import type { Endpoint, EndpointDependencies } from '../endpoint.js'
import { countWrongCredential } from './rate-limit.js'
import { logWith } from './trace.js'

/** Who calls: a client of a tenant, with what the platform grants it now. */
export interface Caller {
  tenantKey: string
  tenantId: number
  clientId: string
  /** `sub` of the token: the person, where a person's client calls. */
  subject: string
  allows: Grant['allows']
  limits: Grant['limits']
}

/**
 * Takes the bearer token, finds the caller and checks the scope.
 * Answers 401 (or 403, where the endpoint says so) for a token that is missing or not valid, 403 for one without the scope; where the client itself needs a
 * scope, 401 for whatever is missing. 429 for one wrong token too many from an address.
 */
export function authenticate(
  { caller }: EndpointDependencies,
  { scopes, clientScope, unauthenticated: refusal }: Pick<Endpoint, 'scopes' | 'clientScope' | 'unauthenticated'>,
): Middleware {
  const callerOf = async (ctx: Context) => {
    const token = bearerToken(ctx.get('authorization'))
    if (!token) throw unauthenticated('Send an access token: `Authorization: Bearer <token>`.')
    return caller(token).catch((error: unknown) => refused(ctx, error))
  }
  return async (ctx, next) => {
    const found = await callerOf(ctx).catch((error: unknown) => {
      throw refusal === 403 && error instanceof Problem && error.status === 401 ? forbidden(error.message) : error
    })
    const { grant, tenantKey, subject } = found
    const inScope = scopes.some(scope => found.scopes.includes(scope))
    if (clientScope && !(inScope && grant.scopes.has(clientScope))) {
      throw unauthenticated(`This needs a client with the scope ${clientScope}.`, 'insufficient_scope')
    }
    if (!inScope) {
      const challenge = {
        'WWW-Authenticate': `Bearer realm="armature", error="insufficient_scope", scope="${scopes.join(' ')}"`,
      }
      const detail = `The access token needs the scope ${scopes.join(' or ')}.`
      throw new Problem(403, 'insufficient-scope', 'The client may not do this', detail, [], challenge)
    }
    const known: Caller = {
      tenantKey,
      tenantId: grant.tenantId,
      clientId: grant.clientId,
      subject,
      allows: grant.allows,
      limits: grant.limits,
    }
    ctx.state.caller = known
    logWith(ctx, { tenantKey, clientId: grant.clientId })
    await next()
  }
}

/** The token of an `Authorization` header; undefined where it is of another scheme or malformed. */
export const bearerToken = (authorization: string): string | undefined =>
  /^Bearer +([^\s]+) *$/i.exec(authorization)?.[1]

async function refused(ctx: Context, error: unknown): Promise<never> {
  if (!(error instanceof TokenRefused)) throw error
  if (error.isForged) await countWrongCredential(ctx)
  throw unauthenticated(`The access token is not valid (${error.reason}).`, 'invalid_token')
}
