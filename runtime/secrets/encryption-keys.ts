// Defines the current and the old encryption keys of a process.
import { hash } from 'node:crypto'

/** The keys of a process, 32 bytes each. The current one seals; all of them open. */
export interface EncryptionKeys {
  /** ENCRYPTION_KEY. */
  current: Uint8Array
  /** ENCRYPTION_KEYS_OLD, the former current keys. */
  old: readonly Uint8Array[]
}

/** Returns the id that sealed data carries to identify its key. It reveals nothing about the key. */
export const keyId = (key: Uint8Array): string => hash('sha256', key, 'hex').slice(0, 16)

/** Returns the error message for data that was sealed with a key this process does not have. */
export function otherKey(what: string, sealedWith: string, { current, old }: EncryptionKeys): string {
  const has = [current, ...old].map(keyId).join(', ')
  return `ENCRYPTION_KEY is not the key that sealed ${what}: it was sealed with key ${sealedWith || 'of no name'}, this process has key ${has}.`
}
