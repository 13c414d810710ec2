// Reads the OAuth clients of all tenants.
import type { Knex } from 'knex'
import type { TenantId } from '../connect.js'

/** A program that may request tokens, with what its tenant allows it. */
export interface Client {
  tenantId: TenantId
  tenantKey: string
  clientId: string
  name: string
  /** Hashes of the secrets that work: the present one, and for some time the one before. */
  secretHashes: string[]
  scopes: string[]
  permissions: string[]
  disabled: boolean
  limits: Record<string, unknown>
}

export type ClientStore = ReturnType<typeof clientStore>

/**
 * Finds clients by id. Like `accountFinder` it spans tenants, because the token endpoint learns the tenant from the
 * client.
 */
export const clientStore = (db: Knex) => ({
  async byClientId(clientId: string): Promise<Client | undefined> {
    const row: ClientRow | undefined = await db('clients')
      .join('tenants', 'tenants.id', 'clients.tenant_id')
      .where('clients.client_id', clientId)
      .first('clients.*', 'tenants.tenant_key', 'tenants.limits')
    // MySQL ignores trailing blanks when it compares, so 'a ' would find 'a'.
    return row?.client_id === clientId ? present(row) : undefined
  },
})

interface ClientRow {
  tenant_id: TenantId
  tenant_key: string
  client_id: string
  name: string
  secret_hash: string
  old_secret_hash: string | null
  old_secret_until: Date | null
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
  secretHashes: [row.secret_hash, ...oldHashOf(row)],
  scopes: JSON.parse(row.scopes),
  permissions: JSON.parse(row.permissions),
  disabled: row.disabled === 1,
  limits: JSON.parse(row.limits),
})

const oldHashOf = ({ old_secret_hash: hash, old_secret_until: until }: ClientRow): string[] =>
  hash !== null && until !== null && until > new Date() ? [hash] : []
