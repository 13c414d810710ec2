// Signing keys of the token endpoint and their rotation.
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import type { Knex } from 'knex'
import { conflict } from '../../runtime/problems/problem.js'
import type { Seal, SealedFor } from '../../runtime/secrets/seal.js'
import { platformChain, recordAction, tellIds } from '../audit/action.js'
import { now, timeOf } from '../clock.js'
import type { Db } from '../connect.js'
import { transaction } from '../errors.js'

const algorithm = 'RS256'

const sealedFor = (kid: string): SealedFor => ({ purpose: 'signing key', tenantKey: '', name: kid })

const minute = 60_000
/** How long a new key is published before it signs. Verifiers commonly cache a key set for up to ten minutes. */
const overlapMs = 15 * minute
/**
 * How long a key verifies after it has last signed: an hour, the lifetime of a token, and ten minutes for clocks that
 * differ.
 */
const keptMs = 70 * minute

export interface StoredKey {
  kid: string
  createdAt: Date
}

/** A key with its schedule, which follows from when it and the next key were created. */
export interface ScheduledKey extends StoredKey {
  /**
   * `published`: does not sign yet. `signing`: signs new tokens. `verifying`: verifies tokens that have not expired.
   * `over`: can be deleted.
   */
  state: 'published' | 'signing' | 'verifying' | 'over'
  signsFrom: Date
  /** When the key is removed; undefined for the newest. */
  until: Date | undefined
}

/** Returns the state of each key at a time, the newest first. The first key of an installation signs at once. */
export function schedule(keys: readonly StoredKey[], now: number): ScheduledKey[] {
  const newestFirst = [...keys].sort(
    (a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.kid < b.kid ? -1 : 1),
  )
  const startOf = ({ createdAt }: StoredKey, n: number) =>
    createdAt.getTime() + (n === newestFirst.length - 1 ? 0 : overlapMs)
  const starts = newestFirst.map(startOf)
  const signing = starts.findIndex((start, n) => start <= now || n === starts.length - 1)
  return newestFirst.map((key, n) => {
    const next = starts[n - 1]
    const until = next === undefined ? undefined : next + keptMs
    const isOver = until !== undefined && until <= now
    const state = n === signing ? 'signing' : n < signing ? 'published' : isOver ? 'over' : 'verifying'
    return {
      ...key,
      state,
      signsFrom: new Date(starts[n] ?? now),
      until: until === undefined ? undefined : new Date(until),
    }
  })
}

/**
 * Returns the private keys in use: first the one that signs, then the other published ones. Deletes expired keys. If
 * there is no key yet, one process creates the first while others wait for it.
 * @throws Error with a message for the operator if ENCRYPTION_KEY is not the key that sealed them.
 */
export async function signingKeys(db: Knex, seal: Seal): Promise<JWK[]> {
  const rows = await readStored(db)
  if (rows.length === 0) {
    await withLock(db, async () => {
      if ((await readStored(db)).length === 0) await createKey(db, seal)
    })
    return signingKeys(db, seal)
  }
  const scheduled = schedule(rows, (await timeOf(db)).getTime())
  const over = scheduled.filter(({ state }) => state === 'over').map(({ kid }) => kid)
  if (over.length > 0) await db('signing_keys').whereIn('kid', over).delete()
  const used = scheduled.filter(({ state }) => state !== 'over')
  const sealed = new Map(rows.map(row => [row.kid, row.sealed]))
  const inOrder = [
    ...used.filter(({ state }) => state === 'signing'),
    ...used.filter(({ state }) => state !== 'signing'),
  ]
  return inOrder.map(({ kid }) => JSON.parse(seal.open(sealedFor(kid), sealed.get(kid) ?? '')))
}

/**
 * Opens all stored keys, and creates none.
 * @returns how many there are. @throws Error as {@link signingKeys}.
 */
export async function openSigningKeys(db: Knex, seal: Seal): Promise<number> {
  const rows = await readStored(db)
  for (const { kid, sealed } of rows) seal.open(sealedFor(kid), sealed)
  return rows.length
}

/** Returns the keys in use and their states, the newest first. */
export const listSigningKeys = async (db: Knex): Promise<ScheduledKey[]> =>
  schedule(await readStored(db), (await timeOf(db)).getTime()).filter(({ state }) => state !== 'over')

/**
 * Adds a key. It is published at once and signs after the overlap; the one before is removed when its last token has
 * expired.
 * @throws Problem 409 while the last key that was added does not sign yet.
 */
export async function rotateSigningKeys(db: Knex, seal: Seal): Promise<ScheduledKey[]> {
  // Creates the first key if there is none, because the first one would sign at once.
  await signingKeys(db, seal)
  await withLock(db, async () => {
    const [newest] = await listSigningKeys(db)
    if (newest?.state === 'published') {
      const detail = `The key '${newest.kid}' was added before and signs from ${newest.signsFrom.toISOString()}. Wait until then.`
      throw conflict('rotation-under-way', detail)
    }
    await transaction(db, 'unqueued', async trx => {
      await createKey(trx, seal)
      await recordAction(trx, platformChain)
    })
  })
  return listSigningKeys(db)
}

/**
 * Runs work in one process at a time, by a named lock of the database server. The server frees the lock if its holder
 * dies. `work` uses other connections than the lock, so that its writes are committed before the lock is freed.
 */
async function withLock(db: Knex, work: () => Promise<void>): Promise<void> {
  await db.transaction(async lock => {
    await lock.raw("SELECT GET_LOCK(CONCAT('armature-keys-', LEFT(DATABASE(), 40)), 60)")
    try {
      await work()
    } finally {
      await lock.raw("SELECT RELEASE_LOCK(CONCAT('armature-keys-', LEFT(DATABASE(), 40)))")
    }
  })
}

async function readStored(db: Knex): Promise<(StoredKey & { sealed: string })[]> {
  const rows: { kid: string; created_at: Date; sealed_private_jwk: string }[] = await db('signing_keys')
    .select('kid', 'created_at', 'sealed_private_jwk')
    .where({ algorithm })
  return rows.map(row => ({ kid: row.kid, createdAt: row.created_at, sealed: row.sealed_private_jwk }))
}

/** Adds a key, whatever keys there are. */
export async function createKey(db: Db, seal: Seal): Promise<void> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true })
  const jwk = await exportJWK(privateKey)
  const kid = await calculateJwkThumbprint(jwk)
  const sealed = seal.seal(sealedFor(kid), JSON.stringify({ ...jwk, kid, alg: algorithm, use: 'sig' }))
  tellIds([kid])
  await db('signing_keys').insert({ kid, algorithm, sealed_private_jwk: sealed, created_at: now(db) })
}
