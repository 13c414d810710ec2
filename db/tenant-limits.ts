// Reads the limits of tenants through a cache.
import type { Knex } from 'knex'
import { cached } from '../runtime/load/cache.js'
import type { TenantId } from './connect.js'

export type TenantLimitsReader = (tenant: TenantId) => Promise<TenantLimits>

/** Creates a cached reader of tenants' limits. A new manifest takes effect within `ttlMs`. */
export const createTenantLimits = (db: Knex, ttlMs = 2_000): TenantLimitsReader =>
  cached(
    async tenant => {
      const row = await db('tenants').where({ id: tenant }).first('limits')
      return row ? JSON.parse(row.limits) : {}
    },
    { ttlMs },
  )

export interface TenantLimits {
  /** Requests per minute of one client. */
  requestsPerMinute?: number | undefined
  /** Structural entities in one bulk request. */
  bulkMaxItems?: number | undefined
  /** How many days ended jobs are kept. Takes precedence over JOB_RETENTION_DAYS. */
  jobRetentionDays?: number | undefined
  /** How many days the audit is kept. */
  auditRetentionDays?: number | undefined
}
