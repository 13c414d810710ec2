// Authenticates callers by their bearer token and checks its scope.
import type { Context, Middleware } from 'koa'
import type { Grant } from '../../activities/auth/grants.js'
import { TokenRefused } from '../../activities/auth/verify-token.js'
import { forbidden, Problem, unauthenticated } from '../../runtime/problems/problem.js'
import type { Scope } from '../../runtime/secrets/scopes.js'
import type { Caller } from '../caller.js'
import { countWrongCredential } from './rate-limit.js'
import { logWith } from './trace.js'

/** What an endpoint requires of a caller's token. */
export interface Access {
  /** The token must have any one of these scopes. */
  scopes: readonly Scope[]
  /**
   * Status for callers without a valid token, if it is not 401. Endpoints of forms answer 403 (spec forms
   * "Authentication").
   */
  unauthenticated?: 403
  /** A scope that the client itself must have, whichever of `scopes` its token has. Every refusal is then a 401. */
  clientScope?: Scope
}

/** Finds the caller that a token identifies. */
export interface Authenticator {
  caller(token: string): Promise<{ grant: Grant; tenantKey: string; subject: string; scopes: readonly string[] }>
}

/**
 * Creates middleware that authenticates the bearer token, finds the caller and checks the scope.
 * @throws Problem 401 (or 403, if the endpoint says so) for a missing or invalid token; 403 for a missing scope; 401
 * for every failure if the client itself needs a scope; 429 above the limit of wrong tokens per address.
 */
export function authenticate(
  { caller }: Authenticator,
  { scopes, clientScope, unauthenticated: refusal }: Access,
  tokenOf = (ctx: Context): string | undefined => bearerToken(ctx.get('authorization')),
): Middleware {
  const callerOf = async (ctx: Context) => {
    const token = tokenOf(ctx)
    if (!token) throw unauthenticated('Send an access token: `Authorization: Bearer <token>`.')
    return caller(token).catch((error: unknown) => refuse(ctx, error))
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
      scopes: grant.scopes,
      allows: grant.allows,
      limits: grant.limits,
    }
    ctx.state.caller = known
    logWith(ctx, { tenantKey, clientId: grant.clientId })
    await next()
  }
}

/** Returns the token of an `Authorization` header, or undefined if the header has another scheme or is malformed. */
export const bearerToken = (authorization: string): string | undefined =>
  /^Bearer +([^\s]+) *$/i.exec(authorization)?.[1]

async function refuse(ctx: Context, error: unknown): Promise<never> {
  if (!(error instanceof TokenRefused)) throw error
  if (error.isForged) await countWrongCredential(ctx)
  throw unauthenticated(`The access token is not valid (${error.reason}).`, 'invalid_token')
}
