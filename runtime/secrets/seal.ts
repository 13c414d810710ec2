// Encrypts secrets at rest.
import { createHmac } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { decrypt, deriveKey, encrypt } from './encryption.js'
import { keyId, otherKey } from './encryption-keys.js'

/** What is sealed. Columns of sealed values have names that begin with `sealed_`; a ticket is only in its page. */
export const sealPurposes = [
  'signing key',
  'secret',
  'form delivery',
  'launch ticket',
  'sign-in',
  'second factor',
] as const

/**
 * Says what a sealed value is for. The value opens for exactly this, so whoever can write to the database gains nothing
 * by copying it to another column, tenant or row.
 */
export interface SealedFor {
  purpose: (typeof sealPurposes)[number]
  /** Empty for what belongs to the installation. */
  tenantKey: string
  /** Tells apart the values of one purpose and tenant, such as the name of a secret. Not empty. */
  name: string
}

/** Encrypts data at rest, such as signing keys and the credentials of providers. */
export interface Seal {
  /** Encrypts a text. @returns `sealed.<id of the key>.<base64url>`. */
  seal(what: SealedFor, text: string): string
  /**
   * Decrypts a sealed text. @throws Error, with a message for operators, if it was sealed for something else or with
   * another key, or is damaged.
   */
  open(what: SealedFor, sealed: string): string
  /** Returns a keyed digest of a text, which tells whether the text has changed without revealing it. */
  mark(what: SealedFor, text: string): string
}

/** Maximum number of derived keys in the cache. */
const maxDerived = 10_000

/**
 * Creates a seal with the 32 bytes of ENCRYPTION_KEY. Each purpose of each tenant has a key of its own.
 * @param old former keys, which still open what they sealed. @throws Error if a key does not have 32 bytes.
 */
export function createSeal(current: Uint8Array, old: readonly Uint8Array[] = []): Seal {
  for (const { length } of [current, ...old]) {
    if (length !== 32) throw new Error(`ENCRYPTION_KEY must be 32 bytes; it has ${length}.`)
  }
  const masters = new Map([current, ...old].map(each => [keyId(each), each]))
  const currentId = keyId(current)
  const derived = new LRUCache<string, Buffer>({ max: maxDerived })

  function keyOf(id: string, purpose: string, tenantKey: string): Buffer {
    const name = `${id}/${purpose}/${tenantKey}`
    const known = derived.get(name)
    if (known) return known
    const master = masters.get(id)
    if (!master) throw new Error(otherKey('what the database holds', id, { current, old }))
    const key = deriveKey(master, purpose, tenantKey)
    derived.set(name, key)
    return key
  }

  return {
    seal(what, text) {
      const bytes = encrypt(keyOf(currentId, what.purpose, what.tenantKey), Buffer.from(text), contextOf(what))
      return `sealed.${currentId}.${bytes.toString('base64url')}`
    },
    mark: (what, text) =>
      createHmac('sha256', keyOf(currentId, `${what.purpose} mark`, what.tenantKey))
        .update(`${contextOf(what)}\0${text}`)
        .digest('hex'),
    open(what, sealed) {
      const [scheme, id, data, ...rest] = sealed.split('.')
      if (scheme !== 'sealed' || id === undefined || data === undefined || rest.length > 0) throw notFor(what)
      const key = keyOf(id, what.purpose, what.tenantKey)
      try {
        return decrypt(key, Buffer.from(data, 'base64url'), contextOf(what)).toString()
      } catch (cause) {
        throw notFor(what, cause)
      }
    },
  }
}

function contextOf({ purpose, tenantKey, name }: SealedFor): string {
  if (name === '') throw new Error(`A sealed value needs a name (${purpose}).`)
  return `${purpose}/${tenantKey}/${name}`
}

function notFor({ purpose, tenantKey, name }: SealedFor, cause?: unknown): Error {
  const owner = tenantKey === '' ? '' : ` of the tenant '${tenantKey}'`
  return new Error(
    `The sealed ${purpose} '${name}'${owner} does not open: it was changed, moved from elsewhere, or is damaged. Restore it, or create it again.`,
    { cause },
  )
}
