// Encrypts secrets at rest.
import { createHmac } from 'node:crypto'
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from 'jose'
import { keyId, otherKey } from './encryption-keys.js'

/** Encrypts data at rest, such as signing keys and the credentials of providers. */
export interface Seal {
  /** Encrypts a text. @returns a compact JWE (AES-256-GCM) with the id of the current key in its header. */
  seal(text: string): Promise<string>
  /**
   * Decrypts a sealed text. @throws Error, with a message for operators, if it was sealed with another key or is
   * damaged.
   */
  open(sealed: string): Promise<string>
  /** Returns a keyed digest of a text, which tells whether the text has changed without revealing it. */
  mark(text: string): string
}

/**
 * Creates a seal with the 32 bytes of ENCRYPTION_KEY.
 * @param old former keys, which still open what they sealed. @throws Error if a key does not have 32 bytes.
 */
export function createSeal(key: Uint8Array, old: readonly Uint8Array[] = []): Seal {
  const keys = { current: key, old }
  for (const { length } of [key, ...old]) {
    if (length !== 32) throw new Error(`ENCRYPTION_KEY must be 32 bytes; it has ${length}.`)
  }
  const byId = new Map([key, ...old].map(each => [keyId(each), each]))
  const kid = keyId(key)
  const header = { alg: 'dir', enc: 'A256GCM', kid }
  return {
    seal: text => new CompactEncrypt(new TextEncoder().encode(text)).setProtectedHeader(header).encrypt(key),
    mark: text => createHmac('sha256', key).update(`mark\0${text}`).digest('hex'),
    async open(sealed) {
      const sealedWith = keyIdOf(sealed)
      const opener = byId.get(sealedWith)
      if (!opener) throw new Error(otherKey('what the database holds', sealedWith, keys))
      const options = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] }
      const { plaintext } = await compactDecrypt(sealed, opener, options).catch(damaged)
      return new TextDecoder().decode(plaintext)
    },
  }
}

function keyIdOf(sealed: string): string {
  try {
    return decodeProtectedHeader(sealed).kid ?? 'of no name'
  } catch (error) {
    return damaged(error)
  }
}

function damaged(cause: unknown): never {
  throw new Error('A sealed text in the database is damaged: ENCRYPTION_KEY is right, but it does not open.', { cause })
}
