import { hash } from 'node:crypto'
import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose'
import { type AuthorityOptions, AuthorityUnavailable, authorityKeys } from './authority.js'

/** What a valid access token says. Shared between callers, so it is frozen. */
export interface VerifiedToken {
  readonly tenantKey: string
  readonly clientId: string
  readonly scopes: readonly string[]
  readonly subject: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** Why a token was refused: for the log and for metrics. */
export type TokenFault =
  | 'malformed'
  | 'algorithm'
  | 'issuer'
  | 'audience'
  | 'expired'
  | 'not-yet-valid'
  | 'claims'
  | 'unknown-key'
  | 'signature'
  | 'client'

/** A token that is not valid. Neither the message nor the cause contains the token. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused'
  constructor(readonly reason: TokenFault) {
    super(`The access token is refused: ${reason}`)
  }
}

export interface TokenValidatorOptions extends AuthorityOptions {
  /** What `aud` must contain. */
  audience: string
}

export interface TokenValidator {
  /**
   * Checks signature, issuer, audience, time and required claims.
   * @throws TokenRefused when the token is not valid. @throws AuthorityUnavailable when that cannot be found out now.
   */
  validate(token: string): Promise<VerifiedToken>
}

/** Asymmetric algorithms only: with HS256 the public key would be the secret, with `none` there is no signature. */
const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ')
const clockSkewSeconds = 60
/** Node takes 16 KB of headers; a token of ours has about 900 characters. */
const maxTokenLength = 16_384
const maxCachedTokens = 10_000

/** The one validation of bearer tokens, used at the edge and as an activity. A valid token is remembered until it expires. */
export function createTokenValidator({ audience, ...options }: TokenValidatorOptions): TokenValidator {
  const keys = authorityKeys(options)
  const issuer = options.authority
  const checks = { issuer, audience, algorithms, clockTolerance: clockSkewSeconds, requiredClaims: ['exp'] }
  /** By SHA-256, so that a memory dump holds no usable token; the least recently used comes first. */
  const verified = new Map<string, { answer: Promise<VerifiedToken>; until: number }>()

  async function verify(token: string): Promise<VerifiedToken> {
    try {
      // Before any request, so that other people's tokens never make us fetch keys.
      if (decodeJwt(token).iss !== issuer) throw new TokenRefused('issuer')
      return read((await jwtVerify(token, keys, checks)).payload)
    } catch (error) {
      throw error instanceof AuthorityUnavailable ? error : new TokenRefused(faultOf(error))
    }
  }

  function remember(key: string, token: VerifiedToken) {
    const [oldest] = verified.keys()
    if (verified.size >= maxCachedTokens && oldest) verified.delete(oldest)
    verified.set(key, { answer: Promise.resolve(token), until: token.expiresAt + clockSkewSeconds * 1000 })
  }

  return {
    validate(token) {
      if (token.length > maxTokenLength) return Promise.reject(new TokenRefused('malformed'))
      const key = hash('sha256', token, 'base64url')
      const cached = verified.get(key)
      if (!cached) {
        const answer = verify(token)
        answer.then(fresh => remember(key, fresh)).catch(() => undefined)
        return answer
      }
      verified.delete(key)
      if (Date.now() >= cached.until) return Promise.reject(new TokenRefused('expired'))
      verified.set(key, cached)
      return cached.answer
    },
  }
}

function read(claims: JWTPayload): VerifiedToken {
  const { tenant_key: tenantKey, client_id: clientId, sub, exp, scope = '' } = claims
  // Some issuers send the scopes as a list.
  const scopes = typeof scope === 'string' ? scope.split(' ').filter(Boolean) : scope
  if (!isText(tenantKey) || !isText(clientId) || !exp || !isTexts(scopes)) throw new TokenRefused('claims')
  return Object.freeze({
    tenantKey,
    clientId,
    scopes: Object.freeze(scopes),
    subject: sub ?? clientId,
    expiresAt: exp * 1000,
  })
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText)

const faultOfClaim: Record<string, TokenFault> = { iss: 'issuer', aud: 'audience', nbf: 'not-yet-valid' }

function faultOf(error: unknown): TokenFault {
  if (error instanceof TokenRefused) return error.reason
  if (error instanceof errors.JWTExpired) return 'expired'
  if (error instanceof errors.JWTClaimValidationFailed) return faultOfClaim[error.claim] ?? 'claims'
  if (error instanceof errors.JOSEAlgNotAllowed) return 'algorithm'
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'signature'
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
    return 'unknown-key'
  return 'malformed'
}
