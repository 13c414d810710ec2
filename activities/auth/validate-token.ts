// Validates access tokens of the platform, for the API's door and the activity `validateToken`.
import type { AuthorityOptions } from './authority.js'
import { TokenRefused, tokenVerifier, type VerifiedClaims, type VerifyToken } from './verify-token.js'

/** The claims of a valid access token of the platform. */
export interface VerifiedToken extends VerifiedClaims {
  readonly tenantKey: string
  readonly clientId: string
}

export interface TokenValidatorOptions extends AuthorityOptions {
  /** Required value of `aud`. */
  audience: string
}

export interface TokenValidator {
  /** The platform's own identity service. */
  readonly authority: string
  /** Of a token of this authority, whatever its audience and claims. */
  readonly verify: VerifyToken
  /**
   * Checks signature, issuer, audience, time and required claims.
   * @throws TokenRefused when the token is not valid. @throws AuthorityUnavailable when that cannot be found out now.
   */
  validate(token: string): Promise<VerifiedToken>
}

/** Validates the platform's own tokens, at the edge and as an activity. */
export function createTokenValidator({ audience, ...options }: TokenValidatorOptions): TokenValidator {
  const verify = tokenVerifier(options)
  return {
    authority: options.authority,
    verify,
    async validate(token) {
      const claims = await verify(token)
      if (!claims.audiences.includes(audience)) throw new TokenRefused('audience')
      if (!namesClient(claims)) throw new TokenRefused('claims')
      return claims
    },
  }
}

const namesClient = (claims: VerifiedClaims): claims is VerifiedToken =>
  claims.tenantKey !== undefined && claims.clientId !== undefined
