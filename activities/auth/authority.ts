// Reads the key sets of OpenID Connect authorities, caches them, and renews them before they expire.
import { createLocalJWKSet, type JWTVerifyGetKey } from 'jose'
import type { Log } from '../../runtime/observe/log.js'
import { isLoopback } from '../../runtime/settings/loopback.js'

/**
 * Keys are valid for ten minutes and renewed in the last minute. While reading them fails, the known ones stay in use until they
 * are an hour old.
 */
const keysLifeMs = 600_000
const renewAheadMs = 60_000
const staleKeysLifeMs = 3_600_000
/** Timeout for metadata and keys together, in ms. */
const defaultTimeoutMs = 5_000
/** Largest metadata or key set, in bytes. The key sets of the big providers have up to about 30 KB. */
const maxDocumentBytes = 256 * 1024
/**
 * Wait after a failure, in ms: without usable keys and with them. It spares an authority that is down, and callers who can use the
 * known keys are not delayed by it.
 */
const retryAfterMs = 1_000
const renewAfterMs = 30_000
/** Tokens with an unknown key id or a wrong signature cause the keys to be read again at most once in this time, in ms. */
const rereadMs = 30_000

/** The issuer does not answer, or its metadata cannot be used. The token may be valid or not. */
export class AuthorityUnavailable extends Error {
  override readonly name = 'AuthorityUnavailable'
}

export interface AuthorityOptions {
  /** Exact text of the issuer, as in the claim `iss`. */
  authority: string
  log?: Pick<Log, 'warn'> | undefined
  /** Allows plain http. Default: only for a loopback authority. */
  allowInsecure?: boolean | undefined
  /** Fetches metadata and keys. The default, Node's own, is only for authorities that the operator has chosen. */
  fetch?: typeof fetch | undefined
  /** How long reading metadata and keys may take, in ms. Default 5 s. */
  timeoutMs?: number | undefined
}

/** The keys of an issuer from one reading. Each reading creates a new object, even if the keys are the same. */
export type KeySet = JWTVerifyGetKey

export interface AuthorityKeys {
  /** Returns the current keys, and reads them first if necessary. @throws AuthorityUnavailable if that fails. */
  get(): Promise<KeySet>
  /** Returns the current keys without waiting; undefined if they have to be read first. */
  current(): KeySet | undefined
  /**
   * Reads the keys again for a token that `known` does not verify, at most every 30 s. Concurrent calls share one reading.
   * @returns undefined if there are no newer keys.
   */
  newerThan(known: KeySet): Promise<KeySet | undefined>
}

/**
 * Creates access to the public keys of an issuer, which are found through its metadata (spec glue-auth "validation", 1 and 2).
 * Concurrent callers share one request.
 * @throws Error if the authority uses http and may not.
 */
export function authorityKeys(options: AuthorityOptions): AuthorityKeys {
  const { authority, log } = options
  const insecure = isInsecure(options)
  const keySet = remembered(async () => {
    try {
      const signal = AbortSignal.timeout(options.timeoutMs ?? defaultTimeoutMs)
      return await readKeys(authority, insecure, options.fetch ?? fetch, signal)
    } catch (cause) {
      log?.warn({ err: cause, authority }, 'the identity authority cannot be used')
      throw new AuthorityUnavailable(`The keys of ${authority} cannot be read`, { cause })
    }
  })
  let nextReadAt = 0

  return {
    get: keySet.get,
    current: keySet.current,
    async newerThan(known) {
      if (Date.now() >= nextReadAt) {
        nextReadAt = Date.now() + rereadMs
        keySet.renew().catch(() => undefined)
      }
      const latest = await keySet.latest()
      return latest === known ? undefined : latest
    },
  }
}

/** Returns true for an authority with plain http. @throws Error if that is not allowed. */
function isInsecure({ authority, allowInsecure }: AuthorityOptions): boolean {
  const url = new URL(authority)
  const insecure = url.protocol === 'http:' && (allowInsecure ?? isLoopback(url.hostname))
  if (url.protocol === 'https:' || insecure) return insecure
  throw new Error(`The identity authority must be https, or http on a loopback address: ${authority}`)
}

async function readKeys(authority: string, insecure: boolean, get: typeof fetch, signal: AbortSignal): Promise<KeySet> {
  const metadata = await readJson(
    `${authority.replace(/(?<!\/)\/+$/, '')}/.well-known/openid-configuration`,
    get,
    signal,
  )
  // Compared as text, like `iss`, so that a token and the metadata name exactly the same issuer.
  if (metadata.issuer !== authority) throw new Error(`The metadata of ${authority} names another issuer`)
  const { jwks_uri: url, jwks } = metadata
  if (url === undefined && isObject(jwks)) return keysOf(jwks)
  if (typeof url !== 'string' || !URL.canParse(url) || !(insecure || url.startsWith('https:')))
    throw new Error(`The metadata of ${authority} has no usable jwks_uri`)
  return keysOf(await readJson(url, get, signal))
}

/** Creates a key set. @throws the error of jose if it is not one. */
const keysOf = (jwks: object): KeySet => createLocalJWKSet(jwks as Parameters<typeof createLocalJWKSet>[0])

/** Reads a small JSON object. Redirects are refused, because the URL was checked and their target would not be. */
async function readJson(url: string, get: typeof fetch, signal: AbortSignal): Promise<Record<string, unknown>> {
  const answer = await get(url, { signal, redirect: 'manual', headers: { accept: 'application/json' } })
  if (answer.status !== 200) {
    await answer.body?.cancel()
    throw new Error(`${url} answered with status ${answer.status}`)
  }
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of answer.body ?? []) {
    size += piece.length
    if (size > maxDocumentBytes) throw new Error(`${url} answered with more than ${maxDocumentBytes / 1024} KB`)
    pieces.push(piece)
  }
  const document: unknown = JSON.parse(Buffer.concat(pieces).toString())
  if (!isObject(document)) throw new Error(`${url} answered with JSON that is not an object`)
  return document
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Caches what `load` returns. Concurrent callers share one load. */
function remembered<T>(load: () => Promise<T>) {
  let known: { value: T; at: number } | undefined
  /** The load in progress, or one that failed recently. */
  let recent: { answer: Promise<T>; until: number } | undefined
  let isFailing = false

  function renew(): Promise<T> {
    if (recent && Date.now() < recent.until) return recent.answer
    const at = Date.now()
    const started = { answer: load(), until: Number.POSITIVE_INFINITY }
    recent = started
    started.answer.then(
      value => {
        known = { value, at }
        recent = undefined
        isFailing = false
      },
      () => {
        isFailing = true
        started.until = Date.now() + (known ? renewAfterMs : retryAfterMs)
      },
    )
    return started.answer
  }

  const orKnown = (answer: Promise<T>) =>
    answer.catch((error: unknown) => {
      if (known && Date.now() < known.at + staleKeysLifeMs) return known.value
      throw error
    })

  /** Returns the cached value if it is still usable. Shortly before it expires, a new load is started in the background. */
  function current(): T | undefined {
    if (!known) return undefined
    const age = Date.now() - known.at
    if (age >= (isFailing ? staleKeysLifeMs : keysLifeMs)) return undefined
    if (age >= keysLifeMs - renewAheadMs) renew().catch(() => undefined)
    return known.value
  }

  return {
    renew,
    current,
    async get() {
      const value = current()
      return value === undefined ? orKnown(renew()) : value
    },
    /** Waits for a load in progress, and returns the value after it. */
    latest: () => (recent ? orKnown(recent.answer) : known ? Promise.resolve(known.value) : renew()),
  }
}
