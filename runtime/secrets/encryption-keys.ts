// The current and the old encryption keys of a process.
import { hash } from 'node:crypto'

/** The keys of a process, each of 32 bytes: the current one seals, all of them open. */
export interface EncryptionKeys {
  /** ENCRYPTION_KEY. */
  current: Uint8Array
  /** ENCRYPTION_KEYS_OLD: those that were the current one before. */
  old: readonly Uint8Array[]
}

/** The name of a key in what it has sealed: tells one from another, and nothing about the key. */
export const keyId = (key: Uint8Array): string => hash('sha256', key, 'hex').slice(0, 16)

/** The sentence for something that was sealed with a key that the process does not have. */
export function otherKey(what: string, sealedWith: string, { current, old }: EncryptionKeys): string {
  const has = [current, ...old].map(keyId).join(', ')
  return `ENCRYPTION_KEY is not the key that sealed ${what}: it was sealed with key ${sealedWith || 'of no name'}, this process has key ${has}.`
}
