// OAuth clients of all tenants.
import type { Knex } from 'knex'
import type { TenantId } from '../connect.js'

/** A program that may ask for tokens, with what its tenant grants it. */
export interface Client {
  tenantId: TenantId
  tenantKey: string
  clientId: string
  name: string
  secretHash: string
  scopes: string[]
  permissions: string[]
  disabled: boolean
  limits: Record<string, unknown>
}

export type ClientStore = ReturnType<typeof clientStore>

/** Clients of all tenants: the one store without a tenant, because the token endpoint learns the tenant from it. */
export const clientStore = (db: Knex) => ({
  async byClientId(clientId: string): Promise<Client | undefined> {
    const row: ClientRow | undefined = await db('clients')
      .join('tenants', 'tenants.id', 'clients.tenant_id')
      .where('clients.client_id', clientId)
      .first('clients.*', 'tenants.tenant_key', 'tenants.limits')
    // The server ignores trailing spaces when it compares: 'a ' would find 'a'.
    return row?.client_id === clientId ? present(row) : undefined
  },
})

interface ClientRow {
  tenant_id: TenantId
  tenant_key: string
  client_id: string
  name: string
  secret_hash: string
  scopes: string
  permissions: string
  disabled: number
  limits: string
}

const present = (row: ClientRow): Client => ({
  tenantId: row.tenant_id,
  tenantKey: row.tenant_key,
  clientId: row.client_id,
  name: row.name,
  secretHash: row.secret_hash,
  scopes: JSON.parse(row.scopes),
  permissions: JSON.parse(row.permissions),
  disabled: row.disabled === 1,
  limits: JSON.parse(row.limits),
})
