import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose'
import { allowInsecureRequests, discovery, None } from 'openid-client'
import type { Log } from '../../runtime/log.js'

/** Metadata is read again after an hour; a failure is remembered for a second, so that an outage is not hammered. */
const metadataLifeMs = 3_600_000
const retryAfterMs = 1_000
const timeoutMs = 5_000
/** An unknown key id makes the key set be fetched again at most this often. */
const unknownKeyCooldownMs = 30_000

/** The issuer of tokens does not answer, or its metadata cannot be used: nothing is known about the token. */
export class AuthorityUnavailable extends Error {
  override readonly name = 'AuthorityUnavailable'
}

export interface AuthorityOptions {
  /** Exact text of the issuer, as in `iss`. */
  authority: string
  log?: Pick<Log, 'warn'> | undefined
  /** Allows plain http. Default: only for a loopback authority. */
  allowInsecure?: boolean | undefined
}

/**
 * The public keys of an issuer, found through its metadata. Concurrent callers share one request; keys are kept for ten
 * minutes. When metadata cannot be read again, what was found before stays in use.
 * @throws Error when the authority is not https and not allowed to be http.
 */
export function authorityKeys({ authority, log, allowInsecure }: AuthorityOptions): JWTVerifyGetKey {
  const url = new URL(authority)
  const insecure = url.protocol === 'http:' && (allowInsecure ?? isLoopback(url))
  if (url.protocol !== 'https:' && !insecure) {
    throw new Error(`The identity authority must be https, or http on a loopback address: ${authority}`)
  }
  let lookup: { keys: Promise<JWTVerifyGetKey>; until: number } | undefined
  let known: JWTVerifyGetKey | undefined

  function current(): Promise<JWTVerifyGetKey> {
    if (lookup && Date.now() < lookup.until) return lookup.keys
    const started = { keys: find(), until: Date.now() + metadataLifeMs }
    lookup = started
    async function find() {
      try {
        known = await discover(authority, insecure)
        return known
      } catch (error) {
        started.until = Date.now() + retryAfterMs
        log?.warn({ err: error, authority }, 'the identity authority cannot be used')
        if (known) return known
        throw error
      }
    }
    return started.keys
  }

  return async (header, token) => {
    const keys = await current()
    try {
      return await keys(header, token)
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error
      throw new AuthorityUnavailable(`The keys of ${authority} cannot be read`, { cause: error })
    }
  }
}

/** @throws AuthorityUnavailable */
async function discover(authority: string, insecure: boolean): Promise<JWTVerifyGetKey> {
  const found = await discovery(new URL(authority), 'armature', undefined, None(), {
    timeout: timeoutMs / 1000,
    execute: insecure ? [allowInsecureRequests] : [],
  }).catch((cause: unknown) => {
    throw new AuthorityUnavailable(`The metadata of ${authority} cannot be read`, { cause })
  })
  const { issuer, jwks_uri: keysUrl } = found.serverMetadata()
  // The library compares addresses, which ignores a trailing slash; `iss` is compared as text.
  if (issuer !== authority)
    throw new AuthorityUnavailable(`The metadata of ${authority} names another issuer: ${issuer}`)
  if (!keysUrl || !URL.canParse(keysUrl) || !(insecure || keysUrl.startsWith('https:'))) {
    throw new AuthorityUnavailable(`The metadata of ${authority} has no usable jwks_uri`)
  }
  return createRemoteJWKSet(new URL(keysUrl), {
    timeoutDuration: timeoutMs,
    cooldownDuration: unknownKeyCooldownMs,
    [customFetch]: restAfterFailure(),
  })
}

/** The key set's own cooldown counts from a success; this one spares an authority that fails. */
function restAfterFailure(): typeof fetch {
  let restUntil = 0
  return async (...request) => {
    if (Date.now() < restUntil) throw new Error(`The key set was asked for less than ${retryAfterMs} ms ago`)
    restUntil = Date.now() + retryAfterMs
    return fetch(...request)
  }
}

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
