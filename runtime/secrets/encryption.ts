// Encrypts bytes with AES-256-GCM, under keys that are derived for one purpose each.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const [ivBytes, tagBytes] = [12, 16]

/**
 * Derives the key for a purpose and a tenant (HKDF-SHA256).
 * @param purpose must not contain a slash.
 * @param tenantKey empty for what belongs to no tenant.
 */
export const deriveKey = (master: Uint8Array, purpose: string, tenantKey: string): Buffer =>
  Buffer.from(hkdfSync('sha256', master, '', `${purpose}/${tenantKey}`, 32))

/**
 * Encrypts bytes. The cipher is synchronous: it takes about 1 ms for 1 MB, and nearly all values have some hundred bytes.
 * @param context additional data, which is authenticated but not contained in the result.
 * @returns the nonce, the ciphertext and the tag.
 */
export function encrypt(key: Uint8Array, plain: Uint8Array, context: string): Buffer {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv(algorithm, key, iv).setAAD(Buffer.from(context))
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** Decrypts what {@link encrypt} returned. @throws Error if the key, the context or any byte differs. */
export function decrypt(key: Uint8Array, bytes: Buffer, context: string): Buffer {
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(-tagBytes))
  return Buffer.concat([decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()])
}
