// Stores what the identity service remembers of people who sign in: sessions, sign-ins under way, codes and grants.
import { hash } from 'node:crypto'
import type { Knex } from 'knex'
import type { Seal, SealedFor } from '../../runtime/secrets/seal.js'
import { ago, now } from '../clock.js'
import type { Db } from '../connect.js'

/** What a record holds, with the members by which it is found. */
export interface OidcPayload {
  uid?: string | undefined
  grantId?: string | undefined
  accountId?: string | undefined
  /** When it was used, in seconds since 1970. */
  consumed?: unknown
  [member: string]: unknown
}

export type OidcRecords = ReturnType<typeof oidcRecords>

/** Ids are hashed: whoever reads the table, or a backup, has nobody's session. */
const hashOf = (...parts: string[]): string => hash('sha256', parts.join('/'), 'hex')

/** Returns how a grant's name stands in its records. */
export const groupOf = (grantId: string): string => hashOf(grantId)

/** Returns the id under which a record of a kind is stored. */
export const recordIdOf = (kind: string, id: string): string => hashOf(kind, id)

const sealedFor = (name: string): SealedFor => ({ purpose: 'sign-in', tenantKey: '', name })

/** Records of one kind, such as `Session`. All API processes share them. */
export const oidcRecords = (db: Db, seal: Seal, kind: string) => {
  const idOf = (id: string) => recordIdOf(kind, id)

  async function read(where: Record<string, string>): Promise<OidcPayload | undefined> {
    const row: OidcRow | undefined = await db('oidc_records').where(where).where('expires_at', '>', now(db)).first()
    if (!row) return undefined
    const payload: OidcPayload = JSON.parse(seal.open(sealedFor(row.record_id), row.sealed_payload))
    return row.consumed_at ? { ...payload, consumed: Math.floor(row.consumed_at.getTime() / 1000) } : payload
  }

  return {
    find: (id: string) => read({ record_id: idOf(id) }),
    findByUid: (uid: string) => read({ session_uid: hashOf(uid) }),

    /** Writes a record, in place of an earlier one with this id. It ends after `seconds`. */
    async upsert(id: string, payload: OidcPayload, seconds: number): Promise<void> {
      const { uid, grantId, accountId } = payload
      const row = {
        record_id: idOf(id),
        sealed_payload: seal.seal(sealedFor(idOf(id)), JSON.stringify(payload)),
        session_uid: kind === 'Session' && uid ? hashOf(uid) : null,
        grant_id: grantId ? groupOf(grantId) : null,
        account_id: accountId ?? null,
        consumed_at: null,
        expires_at: ago(db, -seconds * 1000),
      }
      await db('oidc_records').insert(row).onConflict().merge()
    },

    /** Marks a record as used. Returns false if it was used before: of requests at the same time, one has it. */
    async consume(id: string): Promise<boolean> {
      const unused = db('oidc_records').where({ record_id: idOf(id), consumed_at: null })
      return (await unused.update({ consumed_at: now(db) })) > 0
    },

    /** Deletes a record. Returns false if there is none: of requests at the same time, one has deleted it. */
    destroy: async (id: string): Promise<boolean> =>
      (await db('oidc_records')
        .where({ record_id: idOf(id) })
        .delete()) > 0,

    async revokeByGrantId(grantId: string): Promise<void> {
      await db('oidc_records')
        .where({ grant_id: groupOf(grantId) })
        .delete()
    },
  }
}

/** Deletes records that have ended. */
export async function forgetOidcRecords(db: Knex): Promise<void> {
  await db('oidc_records').where('expires_at', '<', now(db)).delete()
}

interface OidcRow {
  record_id: string
  sealed_payload: string
  consumed_at: Date | null
}
