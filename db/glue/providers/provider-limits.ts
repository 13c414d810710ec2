// Reads which providers, of all tenants, have limits on their calls.
import type { Knex } from 'knex'
import { slices } from '../../rows.js'
import { type GlueSettings, hasLimits, type ProviderLimits } from '../endpoints/settings.js'

/** A provider whose calls are limited. */
export interface LimitedProvider {
  tenantKey: string
  providerKey: string
  limits: ProviderLimits
}

/**
 * Returns a function that lists the providers with limits of all tenants. It is meant to be called repeatedly: the
 * settings of a tenant are fetched again only when their hash has changed since the last call.
 */
export function createLimitsReader(db: Knex): () => Promise<LimitedProvider[]> {
  let known = new Map<number, { mark: string; providers: LimitedProvider[] }>()

  return async () => {
    const rows: { tenant: number; tenantKey: string; mark: string }[] = await db('glue_settings as g')
      .join('tenants as t', 't.id', 'g.tenant_id')
      .select('t.id as tenant', 't.tenant_key as tenantKey', db.raw('SHA2(g.settings, 256) AS mark'))
    const changed = rows.filter(({ tenant, mark }) => known.get(tenant)?.mark !== mark)
    const settings = await settingsOf(changed.map(({ tenant }) => tenant))
    known = new Map(
      rows.map(({ tenant, tenantKey, mark }) => {
        const fresh = settings.get(tenant)
        const providers = fresh ? limitedOf(tenantKey, fresh) : (known.get(tenant)?.providers ?? [])
        return [tenant, { mark, providers }]
      }),
    )
    return [...known.values()].flatMap(({ providers }) => providers)
  }

  async function settingsOf(tenants: number[]): Promise<Map<number, GlueSettings>> {
    const found = new Map<number, GlueSettings>()
    for (const slice of slices(tenants, 100)) {
      const rows: { tenant_id: number; settings: string }[] = await db('glue_settings')
        .whereIn('tenant_id', slice)
        .select('tenant_id', 'settings')
      for (const { tenant_id, settings } of rows) found.set(tenant_id, JSON.parse(settings))
    }
    return found
  }
}

const limitedOf = (tenantKey: string, { providers }: GlueSettings): LimitedProvider[] =>
  providers.filter(hasLimits).map(({ key, limits }) => ({ tenantKey, providerKey: key, limits }))
