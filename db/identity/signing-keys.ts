// Signing keys of the token endpoint, and their rotation.
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import type { Knex } from 'knex'
import { conflict } from '../../runtime/problem.js'
import type { Seal } from '../../runtime/seal.js'

const algorithm = 'RS256'

const minute = 60_000
/** A new key is published for so long before it signs: verifiers commonly keep a key set for up to ten minutes. */
const overlapMs = 15 * minute
/** A key verifies for so long after it has signed last: an hour, which is a token's life, and ten minutes for clocks that differ. */
const keptMs = 70 * minute

export interface StoredKey {
  kid: string
  createdAt: Date
}

/** A key with its times, all of which follow from when it and the next one were made. */
export interface ScheduledKey extends StoredKey {
  /** `published`: not yet used. `signing`: of new tokens. `verifying`: of tokens that still live. `over`: to be deleted. */
  state: 'published' | 'signing' | 'verifying' | 'over'
  signsFrom: Date
  /** When it goes away; undefined for the newest. */
  until: Date | undefined
}

/** The use of each key at a time, the newest first. The first key of an installation signs at once. */
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
 * The private keys in use: first the key that signs, then the other published ones. Expired keys are deleted. The first
 * process of an installation creates the first key, and others wait for it.
 * @throws Error in a clear sentence when ENCRYPTION_KEY is not the key that sealed them.
 */
export async function signingKeys(db: Knex, seal: Seal): Promise<JWK[]> {
  const rows = await stored(db)
  if (rows.length === 0) {
    await locked(db, async () => {
      if ((await stored(db)).length === 0) await create(db, seal)
    })
    return signingKeys(db, seal)
  }
  const scheduled = schedule(rows, Date.now())
  const over = scheduled.filter(({ state }) => state === 'over').map(({ kid }) => kid)
  if (over.length > 0) await db('signing_keys').whereIn('kid', over).delete()
  const used = scheduled.filter(({ state }) => state !== 'over')
  const sealed = new Map(rows.map(row => [row.kid, row.sealed]))
  const inOrder = [
    ...used.filter(({ state }) => state === 'signing'),
    ...used.filter(({ state }) => state !== 'signing'),
  ]
  return Promise.all(inOrder.map(async ({ kid }) => JSON.parse(await seal.open(sealed.get(kid) ?? ''))))
}

/** The keys and what they are for now, the newest first. */
export const listSigningKeys = async (db: Knex): Promise<ScheduledKey[]> =>
  schedule(await stored(db), Date.now()).filter(({ state }) => state !== 'over')

/**
 * Adds a key. It is published at once and signs after the overlap; the one before goes away when its last token has expired.
 * @throws Problem 409 while a key that was added before does not sign yet.
 */
export async function rotateSigningKeys(db: Knex, seal: Seal): Promise<ScheduledKey[]> {
  // Where there is none yet, the new one would sign at once.
  await signingKeys(db, seal)
  await locked(db, async () => {
    const [newest] = await listSigningKeys(db)
    if (newest?.state === 'published') {
      const detail = `The key '${newest.kid}' was added before and signs from ${newest.signsFrom.toISOString()}. Wait until then.`
      throw conflict('rotation-under-way', detail)
    }
    await create(db, seal)
  })
  return listSigningKeys(db)
}

/**
 * One process at a time, by a named lock of the server, which also frees itself when its holder dies in the middle. `work` uses
 * other connections than the lock's, so that what it wrote is committed before the lock is free.
 */
async function locked(db: Knex, work: () => Promise<void>): Promise<void> {
  await db.transaction(async lock => {
    await lock.raw("SELECT GET_LOCK(CONCAT('armature-keys-', LEFT(DATABASE(), 40)), 60)")
    try {
      await work()
    } finally {
      await lock.raw("SELECT RELEASE_LOCK(CONCAT('armature-keys-', LEFT(DATABASE(), 40)))")
    }
  })
}

async function stored(db: Knex): Promise<(StoredKey & { sealed: string })[]> {
  const rows: { kid: string; created_at: Date; sealed_private_jwk: string }[] = await db('signing_keys')
    .select('kid', 'created_at', 'sealed_private_jwk')
    .where({ algorithm })
  return rows.map(row => ({ kid: row.kid, createdAt: row.created_at, sealed: row.sealed_private_jwk }))
}

async function create(db: Knex, seal: Seal): Promise<void> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true })
  const jwk = await exportJWK(privateKey)
  const kid = await calculateJwkThumbprint(jwk)
  const sealed = await seal.seal(JSON.stringify({ ...jwk, kid, alg: algorithm, use: 'sig' }))
  await db('signing_keys').insert({ kid, algorithm, sealed_private_jwk: sealed, created_at: new Date() })
}
