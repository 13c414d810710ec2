// Reads the limits of tenants through a cache.
import type { Knex } from 'knex'
import { cached } from '../../runtime/cache.js'
import type { TenantId } from '../connect.js'
import type { TenantLimits } from './manifest.js'

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
