// The section `structuralEntities` of a tenant's manifest.
import type { Db, TenantId } from '../../connect.js'
import type { ImportMap } from '../imports/columns.js'

/** The section `structuralEntities` of a tenant's manifest. */
export interface EntitySettings {
  importMaps?: ImportMap[] | undefined
}

/** The settings as they are now; empty where the manifest says nothing. */
export async function entitySettings(db: Db, tenant: TenantId): Promise<EntitySettings> {
  const row: { entity_settings: string | null } | undefined = await db('tenants')
    .where({ id: tenant })
    .first('entity_settings')
  return JSON.parse(row?.entity_settings ?? '{}')
}
