// Checks client secrets with a limit on wrong ones.
import { createHmac, randomBytes } from 'node:crypto'
import { BulkheadRejectedError, bulkhead } from 'cockatiel'
import { LRUCache } from 'lru-cache'
import { verifySecret } from '../../runtime/secrets/secrets.js'
import { createRateLimits } from '../rate-limits.js'

/** A secret that came with a request for a token. */
export interface SentSecret {
  /** Address of the caller, see runtime/settings/caller-address.ts. */
  address: string
  /** Client id as it was sent, whether or not there is such a client. */
  clientId: string
  secret: string
  /** Hashes to compare with, of which one must match: the stored ones, or for an unknown client one that no secret matches. */
  hashes: readonly string[]
}

/** The secret was not compared because the caller has to wait. */
export class SecretNotChecked extends Error {
  override readonly name = 'SecretNotChecked'
  constructor(
    readonly reason: 'too-many-wrong' | 'busy',
    readonly retryAfterSeconds: number,
  ) {
    super(`A secret was not checked: ${reason}`)
  }
}

/** Compares a secret; true if it is right. @throws SecretNotChecked if the caller has to wait. */
export type SecretCheck = (sent: SentSecret) => Promise<boolean>

/** How long a right secret is accepted without scrypt after it was last sent, in ms. */
const secretMs = 60_000
/** How long an address is known for a client after it sent the right secret, in ms. */
const originMs = 24 * 3_600_000
const maxNames = 10_000
/**
 * Highest number of waiting comparisons, and of those for one client. The latter keeps guesses at one client from delaying others.
 * A comparison takes about 50 ms, so the longest wait is two seconds.
 */
const maxWaiting = 40
const maxOfClient = 8
const busySeconds = 2

/**
 * Creates a check that compares client secrets without letting many wrong ones delay other callers (decision 0024). A right
 * secret is cached by an HMAC that includes the stored hashes, so changing the secret or disabling the client takes effect at
 * once.
 * @param wrongPerMinute limit of wrong secrets from an address, and for a client from addresses where it is not known.
 * @param wrong counts the wrong secrets. By default it counts those of this process only.
 */
export function createSecretCheck(wrongPerMinute: number, wrong = createRateLimits()): SecretCheck {
  const key = randomBytes(32)
  /** Builds a cache key. Hashing keeps secrets out of memory dumps, and bounds the length of what callers choose. */
  const nameOf = (...parts: string[]) => createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url')
  const secrets = new LRUCache<string, true>({ max: maxNames, ttl: secretMs })
  const origins = new LRUCache<string, true>({ max: maxNames, ttl: originMs })
  /** Each lane compares one secret at a time. Clients at addresses where they are known have a lane of their own. */
  const lanes = { known: bulkhead(1, maxWaiting), unknown: bulkhead(1, maxWaiting) }
  const underWay = new Map<string, Promise<boolean>>()
  const waiting = new Map<string, number>()

  async function requireBelowLimit(names: readonly string[]): Promise<void> {
    const seconds = await wrong.secondsLeft(names, wrongPerMinute)
    if (seconds > 0) throw new SecretNotChecked('too-many-wrong', seconds)
  }

  /** Runs `work` with one of the client's waiting places. @throws SecretNotChecked if all are taken. */
  async function runForClient(client: string, work: () => Promise<boolean>): Promise<boolean> {
    const taken = waiting.get(client) ?? 0
    if (taken >= maxOfClient) throw new SecretNotChecked('busy', busySeconds)
    waiting.set(client, taken + 1)
    try {
      return await work()
    } catch (error) {
      throw error instanceof BulkheadRejectedError ? new SecretNotChecked('busy', busySeconds) : error
    } finally {
      const left = (waiting.get(client) ?? 1) - 1
      if (left > 0) waiting.set(client, left)
      else waiting.delete(client)
    }
  }

  return async ({ address, clientId, secret, hashes }) => {
    const name = nameOf('secret', clientId, ...hashes, secret)
    if (secrets.has(name)) {
      secrets.set(name, true)
      return true
    }
    const client = nameOf('client', clientId)
    const origin = nameOf('origin', clientId, address)
    const isKnown = origins.has(origin)
    const counted = (
      isKnown
        ? [['origin', clientId, address]]
        : [
            ['address', address],
            ['client', clientId],
          ]
    ).map(parts => `wrong-secrets/${JSON.stringify(parts)}`)
    await requireBelowLimit(counted)

    const compare = () =>
      runForClient(isKnown ? origin : client, () =>
        lanes[isKnown ? 'known' : 'unknown'].execute(async () => {
          await requireBelowLimit(counted)
          let isRight = false
          for (const hash of hashes) isRight ||= await verifySecret(secret, hash)
          if (!isRight) await wrong.add(counted)
          return isRight
        }),
      )
    // Concurrent requests with the same secret share one comparison.
    const answer = underWay.get(name) ?? compare().finally(() => underWay.delete(name))
    underWay.set(name, answer)
    const isRight = await answer
    if (isRight) {
      secrets.set(name, true)
      origins.set(origin, true)
    }
    return isRight
  }
}
