import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import type { Knex } from 'knex'
import type { Seal } from '../../runtime/seal.js'

const algorithm = 'RS256'

/**
 * The private keys that sign tokens, newest first; the first one signs, the others are still published.
 * The first process of an installation makes the first key; others that start at the same moment wait for it
 * on a named lock of the server, which also frees itself when its holder dies in the middle.
 * @throws Error in a clear sentence when ENCRYPTION_KEY is not the one that sealed them.
 */
export async function signingKeys(db: Knex, seal: Seal): Promise<JWK[]> {
  const existing = await stored(db, seal)
  if (existing.length > 0) return existing
  return db.transaction(async lock => {
    await lock.raw("SELECT GET_LOCK(CONCAT('armature-keys-', LEFT(DATABASE(), 40)), 60)")
    // On another connection than the lock's, so that the key is committed before the lock is free.
    if ((await stored(db, seal)).length === 0) await create(db, seal)
    await lock.raw("SELECT RELEASE_LOCK(CONCAT('armature-keys-', LEFT(DATABASE(), 40)))")
    return stored(db, seal)
  })
}

async function stored(db: Knex, seal: Seal): Promise<JWK[]> {
  const rows: { sealed_private_jwk: string }[] = await db('signing_keys')
    .select('sealed_private_jwk')
    .where({ algorithm })
    .orderBy([{ column: 'created_at', order: 'desc' }, 'kid'])
  return Promise.all(rows.map(async row => JSON.parse(await seal.open(row.sealed_private_jwk))))
}

async function create(db: Knex, seal: Seal): Promise<void> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true })
  const jwk = await exportJWK(privateKey)
  const kid = await calculateJwkThumbprint(jwk)
  const sealed = await seal.seal(JSON.stringify({ ...jwk, kid, alg: algorithm, use: 'sig' }))
  await db('signing_keys').insert({ kid, algorithm, sealed_private_jwk: sealed, created_at: new Date() })
}
