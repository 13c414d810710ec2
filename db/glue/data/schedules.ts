// Lists the scheduled refreshes of all tenants.
import type { Knex } from 'knex'

/** Returns the data extracts, of all tenants, that are refreshed at a fixed interval. */
export const scheduledExtracts = (db: Knex): Promise<{ tenantKey: string; extractKey: string; seconds: number }[]> =>
  db('data_sets as d')
    .join('tenants as t', 't.id', 'd.tenant_id')
    .whereNotNull('d.every_seconds')
    .select({ tenantKey: 't.tenant_key', extractKey: 'd.extract_key', seconds: 'd.every_seconds' })
