// Validates access tokens of the platform, for the API and for the activity `validateToken`.
import type { AuthorityOptions } from './authority.js'
import { TokenRefused, tokenVerifier, type VerifiedClaims, type VerifyToken } from './verify-token.js'

/** The claims of a valid access token of the platform. */
export interface VerifiedToken extends VerifiedClaims {
  readonly tenantKey: string
  readonly clientId: string
}

export interface TokenValidatorOptions extends AuthorityOptions {
  /** Value that `aud` must contain. */
  audience: string
}

export interface TokenValidator {
  /** Issuer of the platform's own identity service. */
  readonly authority: string
  /** Verifies a token of this authority without checking its audience and its claims about tenant and client. */
  readonly verify: VerifyToken
  /**
   * Checks signature, issuer, audience, lifetime and required claims.
   * @throws TokenRefused if the token is not valid. @throws AuthorityUnavailable if that cannot be decided now.
   */
  validate(token: string): Promise<VerifiedToken>
}

/** Creates the validator of the platform's own tokens. */
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
