// API keys of glue endpoints.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { newId } from '../../../runtime/ids.js'
import { tellIds } from '../../audit/action.js'
import { now, timeOf } from '../../clock.js'
import type { Db, TenantId } from '../../connect.js'
import { transaction } from '../../errors.js'
import { type Page, type PageRequest, readPage } from '../../paging.js'

/** A key as operators see it. The key's text is shown only once, when it is created. */
export interface ApiKeyRow {
  /** UUIDv7. */
  id: string
  endpoint_key: string
  name: string
  /** The client that created it. */
  created_by: string
  created_at: Date
  /** Null if it does not expire. */
  expires_at: Date | null
  revoked_at: Date | null
}

export interface NewApiKey {
  endpointKey: string
  name: string
  createdBy: string
  expiresAt: Date | null
}

/** Why a key is not accepted at an endpoint. */
export type ApiKeyFault = 'malformed' | 'unknown' | 'revoked' | 'expired'

/** The id of an accepted key, or why it is not accepted. */
export type ApiKeyCheck = { id: string } | { fault: ApiKeyFault }

const columns = ['id', 'endpoint_key', 'name', 'created_by', 'created_at', 'expires_at', 'revoked_at']

/**
 * `armature_<id>_<32 random bytes>`. Scanners for leaked secrets recognize the prefix, and the id finds the key's row.
 */
const format = /^armature_([\da-f]{8})([\da-f]{4})([\da-f]{4})([\da-f]{4})([\da-f]{12})_[\w-]{43}$/
const textOf = (id: string) => `armature_${id.replaceAll('-', '')}_${randomBytes(32).toString('base64url')}`
const idOf = (key: string): string | undefined => format.exec(key)?.slice(1).join('-')

/** Keys are long and random, so a fast hash protects them as well as a slow one. */
const hashOf = (key: string): string => hash('sha256', key, 'hex')

/**
 * Manages the keys that callers of a tenant's endpoints send as `X-Api-Key`. Keys remain when a manifest drops their
 * endpoint.
 */
export const apiKeyStore = (db: Db, tenant: TenantId) => ({
  /** Creates a key. Its text is returned here and cannot be retrieved later. */
  async create({ endpointKey, name, createdBy, expiresAt }: NewApiKey): Promise<{ key: string; row: ApiKeyRow }> {
    const id = newId()
    const key = textOf(id)
    const row = { id, endpoint_key: endpointKey, name, created_by: createdBy, created_at: await timeOf(db) }
    const whole = { ...row, expires_at: expiresAt, revoked_at: null }
    await transaction(db, tenant, async trx => {
      await trx('glue_api_keys').insert({ tenant_id: tenant, key_hash: hashOf(key), ...whole })
      tellIds([id])
    })
    return { key, row: whole }
  },

  page: (endpointKey: string, request: PageRequest): Promise<Page<ApiKeyRow>> =>
    readPage<ApiKeyRow>(
      () => db('glue_api_keys').where({ tenant_id: tenant, endpoint_key: endpointKey }).select(columns),
      'id',
      request,
    ),

  /** Revokes a key at once. Returns false if the endpoint has no such key. */
  async revoke(endpointKey: string, id: string): Promise<boolean> {
    const where = { tenant_id: tenant, id, endpoint_key: endpointKey }
    if ((await db('glue_api_keys').where(where).first('id')) === undefined) return false
    await transaction(db, tenant, trx =>
      trx('glue_api_keys')
        .where(where)
        .whereNull('revoked_at')
        .update({ revoked_at: now(trx) }),
    )
    return true
  },

  /** Checks a key. It is read from the database each time, so that a revocation takes effect at once. */
  async check(endpointKey: string, key: string): Promise<ApiKeyCheck> {
    const id = idOf(key)
    if (id === undefined) return { fault: 'malformed' }
    const row: (ApiKeyRow & { key_hash: string; is_expired: number | null }) | undefined = await db('glue_api_keys')
      .where({ tenant_id: tenant, id })
      .first(...columns, 'key_hash', db.raw('expires_at <= ? AS is_expired', [now(db)]))
    const isSame = row && timingSafeEqual(Buffer.from(row.key_hash), Buffer.from(hashOf(key)))
    if (!isSame || row.endpoint_key !== endpointKey) return { fault: 'unknown' }
    if (row.revoked_at) return { fault: 'revoked' }
    return row.is_expired ? { fault: 'expired' } : { id }
  },
})
