// Lists the scheduled refreshes of all tenants.
import type { Knex } from 'knex'
import type { GlueSettings } from '../endpoints/settings.js'

/** Returns the data extracts, of all tenants, that are refreshed at a fixed interval. */
export async function scheduledExtracts(
  db: Knex,
): Promise<{ tenantKey: string; extractKey: string; seconds: number }[]> {
  const rows: { tenant_key: string; settings: string }[] = await db('glue_settings as g')
    .join('tenants as t', 't.id', 'g.tenant_id')
    .where('g.settings', 'like', '%"refreshSeconds":%')
    .select('t.tenant_key', 'g.settings')
  return rows.flatMap(({ tenant_key, settings }) => {
    const { dataExtracts }: GlueSettings = JSON.parse(settings)
    return dataExtracts.flatMap(({ key, refreshSeconds }) =>
      refreshSeconds === undefined ? [] : [{ tenantKey: tenant_key, extractKey: key, seconds: refreshSeconds }],
    )
  })
}
