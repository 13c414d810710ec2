// Verifies signature, issuer and lifetime of JWTs, and caches verified tokens.
import { hash } from 'node:crypto'
import { compactVerify, decodeJwt, decodeProtectedHeader, errors, type JWTPayload } from 'jose'
import { LRUCache } from 'lru-cache'
import { type AuthorityOptions, AuthorityUnavailable, authorityKeys, type KeySet } from './authority.js'

/** The claims of a token with valid signature, issuer and lifetime. They are frozen, because callers share them. */
export interface VerifiedClaims {
  readonly audiences: readonly string[]
  /** Scopes from `scope` and `scp`, each of which can be a text separated by blanks or a list. */
  readonly scopes: readonly string[]
  readonly subject: string | undefined
  readonly tenantKey: string | undefined
  readonly clientId: string | undefined
  /** The version of the account's tokens when this one was issued to a person. It is refused once the account has a later one; 0 for clients. */
  readonly tokenVersion: number
  /** End of the token's lifetime, in ms since 1970. */
  readonly expiresAt: number
}

/** Reason for refusing a token, for logs and metrics. */
export type TokenFault =
  | 'malformed'
  | 'type'
  | 'algorithm'
  | 'issuer'
  | 'audience'
  | 'scope'
  | 'tenant'
  | 'expired'
  | 'not-yet-valid'
  | 'claims'
  | 'unknown-key'
  | 'signature'
  | 'client'
  | 'id-token'
  | 'bound'

const forged: ReadonlySet<TokenFault> = new Set([
  'malformed',
  'type',
  'algorithm',
  'issuer',
  'unknown-key',
  'signature',
])

/** A token is not valid. Neither the message nor the cause contains the token. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused'
  constructor(readonly reason: TokenFault) {
    super(`The access token is refused: ${reason}`)
  }
  /** True if nothing shows that a trusted issuer ever signed the token. */
  get isForged(): boolean {
    return forged.has(this.reason)
  }
}

/**
 * Verifies signature, issuer and lifetime of a token of one authority.
 * @throws TokenRefused if the token is not valid. @throws AuthorityUnavailable if that cannot be decided now.
 */
export interface VerifyToken {
  (token: string): Promise<VerifiedClaims>
  /** True if the token is cached as valid and still is, so that verifying it takes no time. */
  isKnown(token: string): boolean
}

/** The accepted algorithms, all asymmetric. With HS256 the public key would be the secret, and `none` has no signature. */
const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ')
const clockSkewSeconds = 60
/** Longest token, in characters. Node accepts 16 KB of headers; our own tokens have about 900 characters. */
const maxTokenLength = 16_384
const maxCachedTokens = 10_000

/** Valid tokens. An entry is used until its token expires, and only while the key set that verified it is current. */
type TokenCache = LRUCache<string, { answer: Promise<VerifiedClaims>; keys: KeySet; until: number }>
export const tokenCache = (): TokenCache => new LRUCache({ max: maxCachedTokens })

/**
 * Creates the verifier of an authority's tokens.
 * @param cache can be shared between authorities. Its keys are hashes of issuer and token, so memory dumps contain no tokens.
 */
export function tokenVerifier(options: AuthorityOptions, cache = tokenCache()): VerifyToken {
  const keys = authorityKeys(options)
  const issuer = options.authority

  async function verify(token: string): Promise<Verified> {
    try {
      // Checked before any request, so that tokens of other issuers never cause us to fetch keys.
      if (decodeJwt(token).iss !== issuer) throw new TokenRefused('issuer')
      const { typ, alg } = decodeProtectedHeader(token)
      if (!isAccessTokenType(typ)) throw new TokenRefused('type')
      if (!alg || !algorithms.includes(alg)) throw new TokenRefused('algorithm')
      return await byKnownOrNewer(token)
    } catch (error) {
      throw error instanceof AuthorityUnavailable ? error : new TokenRefused(faultOf(error))
    }
  }

  async function byKnownOrNewer(token: string): Promise<Verified> {
    const known = await keys.get()
    try {
      return await verifiedBy(known, token)
    } catch (error) {
      // Some issuers replace a key under the same id, so a wrong signature may be that of a key we have not read yet.
      const newer = /^(unknown-key|signature)$/.test(faultOf(error)) ? await keys.newerThan(known) : undefined
      if (!newer) throw error
      return verifiedBy(newer, token)
    }
  }

  async function verifiedBy(keys: KeySet, token: string): Promise<Verified> {
    const claims: JWTPayload = JSON.parse(Buffer.from(await signedPayload(keys, token)).toString())
    if (claims.iss !== issuer) throw new TokenRefused('issuer')
    const expiresAt = endOfLifetime(claims)
    if (isIdToken(claims, decodeProtectedHeader(token).typ)) throw new TokenRefused('id-token')
    if (claims.cnf !== undefined && claims.cnf !== null) throw new TokenRefused('bound')
    return { claims: read(claims, expiresAt), keys }
  }

  function remember(key: string, { claims, keys }: Verified): VerifiedClaims {
    cache.set(key, { answer: Promise.resolve(claims), keys, until: claims.expiresAt + clockSkewSeconds * 1000 })
    return claims
  }

  const keyOf = (token: string) => hash('sha256', `${issuer}\n${token}`, 'base64url')
  const isKnown = (token: string) => {
    const cached = cache.peek(keyOf(token))
    return cached !== undefined && cached.keys === keys.current() && Date.now() < cached.until
  }
  const verifyToken = (token: string) => {
    if (token.length > maxTokenLength) return Promise.reject(new TokenRefused('malformed'))
    const key = keyOf(token)
    const cached = cache.get(key)
    if (!cached || cached.keys !== keys.current()) return verify(token).then(fresh => remember(key, fresh))
    if (Date.now() >= cached.until) return Promise.reject(new TokenRefused('expired'))
    return cached.answer
  }
  return Object.assign(verifyToken, { isKnown })
}

/** The claims of a token, and the keys that verify it. */
interface Verified {
  claims: VerifiedClaims
  keys: KeySet
}

/**
 * True for the type of an access token (`at+jwt`, RFC 9068), a plain `jwt`, and a type that is missing or null. Other types, such as `logout+jwt`
 * and `dpop+jwt`, are signed with the same key for other purposes (RFC 8725, 3.11). Letter case and the prefix `application/` are
 * ignored (RFC 7515, 4.1.9).
 */
const isAccessTokenType = (typ: unknown): boolean =>
  typ === undefined || typ === null || (typeof typ === 'string' && /^(application\/)?(at\+)?jwt$/i.test(typ))

/**
 * Tells whether a token is an ID token, which says to a client who its user is, and lets nobody in anywhere. RFC 9068 tells access
 * tokens by their type, but many issuers set none, so the claims decide: hashes that only ID tokens have (OpenID Connect Core,
 * 3.1.3.6 and 3.3.2.11), the kind that Keycloak (`typ`) and Cognito (`token_use`) write, and otherwise a nonce or the client as
 * audience where nothing belongs to an access token. Older releases of Keycloak copy the nonce into access tokens; those have scopes.
 */
function isIdToken(claims: JWTPayload, typ: unknown): boolean {
  if (/^(application\/)?at\+jwt$/i.test(String(typ))) return false
  const has = (name: string) => claims[name] !== undefined && claims[name] !== null
  if (['at_hash', 'c_hash', 's_hash'].some(has) || claims.typ === 'ID' || claims.token_use === 'id') return true
  if (['scope', 'scp', 'client_id'].some(has)) return false
  return has('nonce') || (has('azp') && !has('roles') && textsOf(claims.aud).join() === claims.azp)
}

/** Returns the payload of a token after checking its signature. If the token names no key, all suitable keys are tried. */
async function signedPayload(keys: KeySet, token: string): Promise<Uint8Array> {
  try {
    return (await compactVerify(token, keys, { algorithms })).payload
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    return verifyWithAny(error, token)
  }
}

async function verifyWithAny(keys: errors.JWKSMultipleMatchingKeys, token: string): Promise<Uint8Array> {
  for await (const key of keys) {
    const verified = await compactVerify(token, key, { algorithms }).catch((error: unknown) => {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error
    })
    if (verified) return verified.payload
  }
  throw new TokenRefused('signature')
}

/**
 * Returns the end of a token's lifetime, in ms since 1970, after checking that the lifetime includes now. Clocks may differ by a
 * minute. This is not left to `jwtVerify` of jose, which refuses tokens whose `nbf` or `iat` is null, as some serializers write what is
 * absent. Nothing depends on `iat`.
 * @throws TokenRefused
 */
function endOfLifetime({ nbf, exp }: { nbf?: unknown; exp?: unknown }): number {
  const now = Math.floor(Date.now() / 1000)
  const hasStart = nbf !== undefined && nbf !== null
  if (typeof exp !== 'number' || (hasStart && typeof nbf !== 'number')) throw new TokenRefused('claims')
  if (hasStart && nbf > now + clockSkewSeconds) throw new TokenRefused('not-yet-valid')
  if (exp <= now - clockSkewSeconds) throw new TokenRefused('expired')
  return exp * 1000
}

function read(
  { aud, scope, scp, sub, tenant_key: tenantKey, client_id: clientId, token_version: tokenVersion }: JWTPayload,
  expiresAt: number,
): VerifiedClaims {
  return Object.freeze({
    audiences: Object.freeze(textsOf(aud)),
    scopes: Object.freeze([scope, scp].flatMap(textsOf).flatMap(text => text.split(' ').filter(Boolean))),
    subject: textOrNone(sub),
    tenantKey: textOrNone(tenantKey),
    clientId: textOrNone(clientId),
    tokenVersion: typeof tokenVersion === 'number' ? tokenVersion : 0,
    expiresAt,
  })
}

/** Reads a claim that is a text or a list of texts. Anything else, such as null or an object, has no texts. */
function textsOf(claim: unknown): string[] {
  const texts: unknown[] = Array.isArray(claim) ? claim : [claim]
  return texts.every(text => typeof text === 'string') ? texts : []
}

/** Reads a claim as text. Other issuers may use the claim for something else, so any other value counts as absent. */
const textOrNone = (claim: unknown): string | undefined =>
  typeof claim === 'string' && claim !== '' ? claim : undefined

function faultOf(error: unknown): TokenFault {
  if (error instanceof TokenRefused) return error.reason
  if (error instanceof errors.JOSEAlgNotAllowed) return 'algorithm'
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'signature'
  if (error instanceof errors.JWKSNoMatchingKey) return 'unknown-key'
  return 'malformed'
}
