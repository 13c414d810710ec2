// Key sets of OpenID Connect authorities, cached and renewed before they expire.
import { createLocalJWKSet, type JWTVerifyGetKey } from 'jose'
import type { Log } from '../../runtime/log.js'
import { isLoopback } from '../../runtime/loopback.js'

/** Keys count for ten minutes and are read again shortly before. While that fails, those known stay in use until they are an hour old. */
const keysLifeMs = 600_000
const renewAheadMs = 60_000
const staleKeysLifeMs = 3_600_000
/** For metadata and keys together. */
const defaultTimeoutMs = 5_000
/** Either document; the largest key sets of the big providers have some 30 KB. */
const maxDocumentBytes = 256 * 1024
/** A failure is remembered: an outage is not hammered, and slows nobody down who can go on with the keys known. */
const retryAfterMs = 1_000
const renewAfterMs = 30_000
/** A key id that is not known makes the keys be read again at most this often. */
const unknownKeyMs = 30_000

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
  /** Fetches metadata and keys. Default: Node's own, for an authority that the operator has chosen. */
  fetch?: typeof fetch | undefined
  /** How long metadata and keys together may take. Default 5 s. */
  timeoutMs?: number | undefined
}

/** The keys that an issuer published at one reading. Another reading is another object, also where its keys are the same. */
export type KeySet = JWTVerifyGetKey

export interface AuthorityKeys {
  /** The keys that count now. @throws AuthorityUnavailable where there are none. */
  get(): Promise<KeySet>
  /** The same without waiting; undefined where they must be read first. */
  current(): KeySet | undefined
  /** For a token whose key is not in `known`: reads again, at most every 30 s. Calls that come meanwhile share it. */
  newerThan(known: KeySet): Promise<KeySet | undefined>
}

/**
 * The public keys of an issuer, found through its metadata (spec glue-auth "validation", 1 and 2). Callers that come together
 * share one request.
 * @throws Error when the authority is not https and not allowed to be http.
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
  let nextLook = 0

  return {
    get: keySet.get,
    current: keySet.current,
    async newerThan(known) {
      if (Date.now() >= nextLook) {
        nextLook = Date.now() + unknownKeyMs
        keySet.renew().catch(() => undefined)
      }
      const latest = await keySet.latest()
      return latest === known ? undefined : latest
    },
  }
}

/** Whether the authority may be reached by plain http. @throws Error when it is, and may not. */
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
  // Compared as text, as `iss` is.
  if (metadata.issuer !== authority) throw new Error(`The metadata of ${authority} names another issuer`)
  const { jwks_uri: url, jwks } = metadata
  if (url === undefined && isObject(jwks)) return keysOf(jwks)
  if (typeof url !== 'string' || !URL.canParse(url) || !(insecure || url.startsWith('https:')))
    throw new Error(`The metadata of ${authority} has no usable jwks_uri`)
  return keysOf(await readJson(url, get, signal))
}

/** @throws jose's error for what is no key set. */
const keysOf = (jwks: object): KeySet => createLocalJWKSet(jwks as Parameters<typeof createLocalJWKSet>[0])

/** A small JSON document, from just this address. */
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
  if (!isObject(document)) throw new Error(`${url} answered with JSON that is no object`)
  return document
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Keeps what `load` found. Callers that come together share one load. */
function remembered<T>(load: () => Promise<T>) {
  let known: { value: T; at: number } | undefined
  /** The load under way, or one that has failed not long ago. */
  let asked: { answer: Promise<T>; until: number } | undefined
  let isFailing = false

  function renew(): Promise<T> {
    if (asked && Date.now() < asked.until) return asked.answer
    const at = Date.now()
    const started = { answer: load(), until: Number.POSITIVE_INFINITY }
    asked = started
    started.answer.then(
      value => {
        known = { value, at }
        asked = undefined
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

  /** The value that counts now: fresh, or stale while loading fails. Shortly before its end a load begins beside it, without a wait. */
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
    /** The keys after the end of a load in progress. */
    latest: () => (asked ? orKnown(asked.answer) : known ? Promise.resolve(known.value) : renew()),
  }
}
