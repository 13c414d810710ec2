// Reads the section `structuralEntities` of a tenant's manifest.
import type { Db, TenantId } from '../../connect.js'
import type { ImportMap } from './import-map.js'

/** The section `structuralEntities` of a tenant's manifest. */
export interface EntitySettings {
  importMaps?: ImportMap[] | undefined
}

/** Reads the current settings. */
export async function entitySettings(db: Db, tenant: TenantId): Promise<EntitySettings> {
  const row: { entity_settings: string } = await db('tenants').where({ id: tenant }).first('entity_settings')
  return JSON.parse(row.entity_settings)
}
