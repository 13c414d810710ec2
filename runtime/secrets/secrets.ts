// Hashes and verifies client secrets with scrypt.
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { bulkhead } from 'cockatiel'

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** scrypt's N. Secrets of programs are long and random, so this cost (16 MB and about 50 ms) is ample. */
export const standardHashCost = 16_384
/** For tests, where hashes at the standard cost would take most of the time. */
export const minHashCost = 1_024
const blockSize = 8
const hashBytes = 32
/** Half of the four threads of libuv's pool: files and DNS need the others. */
const maxAtOnce = 2

/** Hashes and compares the secrets of many clients: at most two at a time in the process, the others wait their turn. */
export interface SecretHasher {
  /** Hashes a secret with a random salt. @returns `scrypt$N$r$p$salt$hash`, both parts base64url. */
  hash(secret: string): Promise<string>
  /** See {@link verifySecret}. */
  verify(secret: string, hash: string): Promise<boolean>
}

/** Makes the hasher of a process. @param cost of new hashes, a power of two; each hash carries its own. */
export function createSecretHasher(cost: number): SecretHasher {
  const turns = bulkhead(maxAtOnce, Number.POSITIVE_INFINITY)
  return {
    hash: secret => turns.execute(() => hashSecret(secret, cost)),
    verify: (secret, hash) => turns.execute(() => verifySecret(secret, hash)),
  }
}

/** A hash that no secret has: comparing with it takes as long as with a real one of this cost. */
export const unmatchableHash = (cost: number): string => encode(cost, Buffer.alloc(16), Buffer.alloc(hashBytes))

async function hashSecret(secret: string, cost: number): Promise<string> {
  const salt = randomBytes(16)
  return encode(cost, salt, await derive(secret, salt, hashBytes, options(cost, blockSize, 1)))
}

/**
 * True when `hash` is the hash of `secret`. Runs off the event loop, at once, and compares in constant time.
 * @throws Error when `hash` is not one that a {@link SecretHasher} made.
 */
export async function verifySecret(secret: string, hash: string): Promise<boolean> {
  const [scheme, N, r, p, salt, expected] = hash.split('$')
  if (scheme !== 'scrypt' || !N || !r || !p || !salt || !expected) {
    throw new Error('A stored secret hash is damaged: it is not of the form scrypt$N$r$p$salt$hash.')
  }
  const wanted = Buffer.from(expected, 'base64url')
  const cost = options(Number(N), Number(r), Number(p))
  const actual = await derive(secret, Buffer.from(salt, 'base64url'), wanted.length, cost)
  return timingSafeEqual(actual, wanted)
}

/** With twice the memory that scrypt needs. */
const options = (N: number, r: number, p: number): ScryptOptions => ({ N, r, p, maxmem: 256 * N * r })

function encode(cost: number, salt: Buffer, hash: Buffer): string {
  return ['scrypt', cost, blockSize, 1, salt.toString('base64url'), hash.toString('base64url')].join('$')
}
