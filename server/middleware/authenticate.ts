// Bearer-token authentication and scope check.
import type { Context, Middleware } from 'koa'
import type { Grant } from '../../activities/auth/grants.js'
import { TokenRefused } from '../../activities/auth/verify-token.js'
import { forbidden, Problem, unauthenticated } from '../../runtime/problem.js'
import type { Scope } from '../../runtime/scopes.js'
import type { Caller } from '../caller.js'
import { countWrongCredential } from './rate-limit.js'
import { logWith } from './trace.js'

/** An endpoint's requirements for a caller's token. */
export interface Access {
  /** Any of these scopes of the token. */
  scopes: readonly Scope[]
  /** How callers without a valid token are refused; by default 401. Those of forms 403 (spec forms "Authentication"). */
  unauthenticated?: 403
  /** A scope that the client itself must have, whichever of `scopes` its token has; then whatever is missing is answered 401. */
  clientScope?: Scope
}

/** Finds the caller of a token. */
export interface Authenticator {
  caller(token: string): Promise<{ grant: Grant; tenantKey: string; subject: string; scopes: readonly string[] }>
}

/**
 * Authenticates the bearer token, finds the caller and checks the scope.
 * @throws Problem 401 (or 403, where the endpoint says so) for a missing or invalid token; 403 for a missing scope.
 *   Problem 401 for every failure where the client itself needs a scope.
 *   Problem 429 above the limit of wrong tokens of an address.
 */
export function authenticate(
  { caller }: Authenticator,
  { scopes, clientScope, unauthenticated: refusal }: Access,
  tokenOf = (ctx: Context): string | undefined => bearerToken(ctx.get('authorization')),
): Middleware {
  const callerOf = async (ctx: Context) => {
    const token = tokenOf(ctx)
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
      throw new Problem('insufficient-scope', detail, [], challenge)
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
