// Rate-limited check of client secrets.
import { createHmac, randomBytes } from 'node:crypto'
import { BulkheadRejectedError, bulkhead } from 'cockatiel'
import { LRUCache } from 'lru-cache'
import { verifySecret } from '../../runtime/secrets.js'
import { createRateLimits } from '../rate-limits.js'

/** A secret as it came with a request for a token. */
export interface SentSecret {
  /** Of the caller, see runtime/caller-address.ts. */
  address: string
  /** As it was sent, whether or not there is such a client. */
  clientId: string
  secret: string
  /** The hash of the comparison: the stored one, or one that no secret has. */
  hash: string
}

/** The comparison was not made: the caller has to wait. */
export class SecretNotChecked extends Error {
  override readonly name = 'SecretNotChecked'
  constructor(
    readonly reason: 'too-many-wrong' | 'busy',
    readonly retryAfterSeconds: number,
  ) {
    super(`A secret was not checked: ${reason}`)
  }
}

/** True for the right secret. @throws SecretNotChecked */
export type SecretCheck = (sent: SentSecret) => Promise<boolean>

/** How long a right secret is known without scrypt, since it was last sent. */
const secretMs = 60_000
/** How long an address that has sent the right secret of a client is told apart from strangers. */
const originMs = 24 * 3_600_000
const maxNames = 10_000
/** Comparisons that wait; of one client a few, so that guesses at one hold nobody else up. At 50 ms each it is two seconds. */
const maxWaiting = 40
const maxOfClient = 8
const busySeconds = 2

/**
 * Compares client secrets without letting many wrong ones delay other callers (decision 0024). A right secret is
 * cached by its HMAC, which includes the stored hash. A changed secret or a disabled client therefore takes effect at
 * once.
 * @param wrongPerMinute wrong secrets of an address, and of a client from addresses where it is not known.
 * @param wrong by default counts of this process alone.
 */
export function createSecretCheck(wrongPerMinute: number, wrong = createRateLimits()): SecretCheck {
  const key = randomBytes(32)
  /** A dump of memory holds no secret, and no name that a caller has chosen the length of. */
  const nameOf = (...parts: string[]) => createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url')
  const secrets = new LRUCache<string, true>({ max: maxNames, ttl: secretMs })
  const origins = new LRUCache<string, true>({ max: maxNames, ttl: originMs })
  /** Each lane compares one secret at a time. Clients at addresses with an earlier right secret have their own lane. */
  const lanes = { known: bulkhead(1, maxWaiting), unknown: bulkhead(1, maxWaiting) }
  const underWay = new Map<string, Promise<boolean>>()
  const waiting = new Map<string, number>()

  async function refuseAbove(names: readonly string[]): Promise<void> {
    const seconds = await wrong.secondsLeft(names, wrongPerMinute)
    if (seconds > 0) throw new SecretNotChecked('too-many-wrong', seconds)
  }

  /** Takes one of the client's places while `work` waits and runs. */
  async function inPlaceOf(client: string, work: () => Promise<boolean>): Promise<boolean> {
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

  return async ({ address, clientId, secret, hash }) => {
    const name = nameOf('secret', clientId, hash, secret)
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
    await refuseAbove(counted)

    const compare = () =>
      inPlaceOf(isKnown ? origin : client, () =>
        lanes[isKnown ? 'known' : 'unknown'].execute(async () => {
          await refuseAbove(counted)
          const isRight = await verifySecret(secret, hash)
          if (!isRight) await wrong.add(counted)
          return isRight
        }),
      )
    // A client that sends its secret many times at once has it compared once.
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
