import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { bulkhead } from 'cockatiel'

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** Secrets of programs are long and random, so this cost (16 MB and about 50 ms) is ample; every hash carries its own. */
const cost = { N: 16_384, r: 8, p: 1 }
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

/** Makes the hasher of a process. */
export function createSecretHasher(): SecretHasher {
  const turns = bulkhead(maxAtOnce, Number.POSITIVE_INFINITY)
  return {
    hash: secret => turns.execute(() => hashSecret(secret)),
    verify: (secret, hash) => turns.execute(() => verifySecret(secret, hash)),
  }
}

/** A hash of the usual cost that no secret has: comparing with it takes as long as with a real one. */
export const unmatchableHash = encode(cost, Buffer.alloc(16), Buffer.alloc(hashBytes))

async function hashSecret(secret: string): Promise<string> {
  const salt = randomBytes(16)
  return encode(cost, salt, await derive(secret, salt, hashBytes, { ...cost }))
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
  const options = { N: Number(N), r: Number(r), p: Number(p), maxmem: 256 * Number(N) * Number(r) }
  const actual = await derive(secret, Buffer.from(salt, 'base64url'), wanted.length, options)
  return timingSafeEqual(actual, wanted)
}

function encode({ N, r, p }: typeof cost, salt: Buffer, hash: Buffer): string {
  return ['scrypt', N, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}
