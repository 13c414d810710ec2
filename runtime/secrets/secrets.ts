// Hashes and verifies client secrets and passwords with scrypt.
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { bulkhead } from 'cockatiel'

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/**
 * Default cost of a hash (scrypt's N): 16 MB of memory and about 50 ms. This is ample, because secrets of programs are
 * long and random.
 */
export const standardHashCost = 16_384
/** Minimum cost, for tests, which would otherwise spend most of their time on hashes. */
export const minHashCost = 16
/**
 * How many times a password is hashed (scrypt's p). At the default cost it takes about 250 ms and 16 MB, as OWASP advises for what
 * people choose.
 */
export const passwordRounds = 5
const blockSize = 8
const hashBytes = 32
/** Half of the four threads in libuv's pool. Files and DNS need the others. */
const maxAtOnce = 2

/** Hashes and verifies the secrets of clients. The process runs at most two such operations at a time; others queue. */
export interface SecretHasher {
  /** Hashes a secret with a random salt. @returns `scrypt$N$r$p$salt$hash`, both parts base64url. */
  hash(secret: string): Promise<string>
  /** Tells whether `hash` is the hash of `secret`; see {@link verifySecret}. */
  verify(secret: string, hash: string): Promise<boolean>
}

/**
 * Creates the hasher of a process.
 * @param cost cost of new hashes, a power of two. Existing hashes carry their own.
 * @param rounds {@link passwordRounds} for passwords.
 */
export function createSecretHasher(cost: number, rounds = 1): SecretHasher {
  const turns = bulkhead(maxAtOnce, Number.POSITIVE_INFINITY)
  return {
    hash: secret => turns.execute(() => hashSecret(secret, cost, rounds)),
    verify: (secret, hash) => turns.execute(() => verifySecret(secret, hash)),
  }
}

/**
 * Returns a hash that no secret matches. Verifying against it takes as long as against a real one, so timing does not
 * reveal which clients exist.
 */
export const unmatchableHash = (cost: number, rounds = 1): string =>
  encode(cost, rounds, Buffer.alloc(16), Buffer.alloc(hashBytes))

async function hashSecret(secret: string, cost: number, rounds: number): Promise<string> {
  const salt = randomBytes(16)
  return encode(cost, rounds, salt, await derive(secret, salt, hashBytes, options(cost, blockSize, rounds)))
}

/**
 * Tells whether `hash` is the hash of `secret`. Runs off the event loop, without queueing, and compares in constant
 * time.
 * @throws Error if `hash` was not made by a {@link SecretHasher}.
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

/** Allows scrypt twice the memory it needs. */
const options = (N: number, r: number, p: number): ScryptOptions => ({ N, r, p, maxmem: 256 * N * r })

function encode(cost: number, rounds: number, salt: Buffer, hash: Buffer): string {
  return ['scrypt', cost, blockSize, rounds, salt.toString('base64url'), hash.toString('base64url')].join('$')
}
