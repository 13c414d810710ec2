import type { Knex } from 'knex'
import type { TenantId } from '../connect.js'
import type { TenantLimits } from './manifest.js'

export type TenantLimitsReader = (tenant: TenantId) => Promise<TenantLimits>

/** Reads a tenant's limits with a short memory: a manifest counts after at most `ttlMs`. A query that fails is not remembered. */
export function createTenantLimits(db: Knex, ttlMs = 2_000): TenantLimitsReader {
  const known = new Map<TenantId, { limits: Promise<TenantLimits>; until: number }>()
  return tenant => {
    const cached = known.get(tenant)
    if (cached && Date.now() < cached.until) return cached.limits
    const fresh = { limits: read(tenant), until: Date.now() + ttlMs }
    known.set(tenant, fresh)
    fresh.limits.catch(() => known.get(tenant) === fresh && known.delete(tenant))
    return fresh.limits
  }

  async function read(tenant: TenantId): Promise<TenantLimits> {
    const row = await db('tenants').where({ id: tenant }).first('limits')
    return row ? JSON.parse(row.limits) : {}
  }
}
