import { randomBytes } from 'node:crypto'
import type { Knex } from 'knex'
import { conflict, type Fault, notFound } from '../../runtime/problem.js'
import { hashSecret, verifySecret } from '../../runtime/secrets.js'
import type { Db, TenantId } from '../connect.js'
import { isDuplicate, transaction } from '../errors.js'
import { upsertRows } from '../rows.js'
import { type Change, differences } from './differences.js'

/** What a tenant is: the whole of it. What a manifest leaves out is taken away; only secrets stay when not given. */
export interface TenantManifest {
  key: string
  name: string
  clients: ClientManifest[]
  limits: TenantLimits
}

export interface ClientManifest {
  id: string
  name: string
  /** Written, never read back. Absent: the present one stays, or a new client gets a random one. */
  secret?: string | undefined
  scopes: string[]
  permissions: string[]
  disabled: boolean
}

export interface TenantLimits {
  /** Requests of one client in a minute. */
  requestsPerMinute?: number | undefined
  /** Structural entities of one bulk request. */
  bulkMaxItems?: number | undefined
}

export interface AppliedManifest {
  changes: Change[]
  /** Secrets made here, by client id: shown once. */
  secrets: Record<string, string>
}

const tenantIds = new WeakMap<Knex, Map<string, TenantId>>()

/** The internal number of a tenant; it never changes, so it is remembered. @throws Problem 404. */
export async function tenantIdOf(db: Knex, tenantKey: string): Promise<TenantId> {
  const known = tenantIds.get(db) ?? new Map<string, TenantId>()
  tenantIds.set(db, known)
  const id = known.get(tenantKey) ?? (await db('tenants').where({ tenant_key: tenantKey }).first('id'))?.id
  if (id === undefined) throw notFound(`There is no tenant '${tenantKey}'.`)
  known.set(tenantKey, id)
  return id
}

/** The manifest as it is applied now, without secrets; undefined when there is no such tenant. */
export async function readManifest(db: Db, tenantKey: string): Promise<TenantManifest | undefined> {
  return (await present(db, tenantKey))?.manifest
}

/** What {@link applyManifest} would change, writing nothing. @throws Problem 409 where that would. */
export async function planManifest(db: Db, manifest: TenantManifest): Promise<Change[]> {
  const before = await present(db, manifest.key)
  await refuseTakenIds(db, before, manifest)
  return changesOf(before, manifest)
}

/**
 * Makes the tenant what the manifest says, in one transaction.
 * @throws Problem 409 when a client id belongs to another tenant.
 */
export async function applyManifest(db: Db, manifest: TenantManifest): Promise<AppliedManifest> {
  return transaction(db, async trx => {
    // One after the other: what is compared below is what the writes find.
    await trx('tenants').where({ tenant_key: manifest.key }).forUpdate()
    const before = await present(trx, manifest.key)
    await refuseTakenIds(trx, before, manifest)
    const changes = await changesOf(before, manifest)
    if (changes.length === 0 && before) return { changes, secrets: {} }
    const tenantRow = [manifest.key, manifest.name, JSON.stringify(manifest.limits), new Date()]
    await upsertRows(
      trx,
      'tenants',
      ['tenant_key', 'name', 'limits', 'updated_at'],
      [tenantRow],
      ['name', 'limits', 'updated_at'],
    )
    const { id: tenant } = await trx('tenants').where({ tenant_key: manifest.key }).first('id')
    // Only once: a bulk may hold the row for a while.
    if (!before) await upsertRows(trx, 'hierarchies', ['tenant_id', 'version'], [[tenant, 0]], [])
    return { changes, secrets: await writeClients(trx, tenant, before, manifest.clients) }
  })
}

interface Present {
  manifest: TenantManifest
  hashes: Map<string, string>
}

async function present(db: Db, tenantKey: string): Promise<Present | undefined> {
  const tenant = await db('tenants').where({ tenant_key: tenantKey }).first('id', 'tenant_key', 'name', 'limits')
  // The server ignores trailing spaces when it compares.
  if (tenant?.tenant_key !== tenantKey) return undefined
  const rows = await db('clients').where({ tenant_id: tenant.id }).orderBy('client_id')
  const clients = rows.map(row => ({
    id: row.client_id,
    name: row.name,
    scopes: JSON.parse(row.scopes),
    permissions: JSON.parse(row.permissions),
    disabled: row.disabled === 1,
  }))
  return {
    manifest: { key: tenant.tenant_key, name: tenant.name, clients, limits: JSON.parse(tenant.limits) },
    hashes: new Map(rows.map(row => [row.client_id, row.secret_hash])),
  }
}

/** Differences without the secrets themselves: a changed one is said to be changed. */
async function changesOf(before: Present | undefined, after: TenantManifest): Promise<Change[]> {
  const comparable = ({ clients, ...rest }: TenantManifest) => ({
    ...rest,
    clients: Object.fromEntries(clients.map(({ id, secret: _, ...client }) => [id, client])),
  })
  const nothing = { clients: {}, limits: {} }
  const changes = differences(before ? comparable(before.manifest) : nothing, comparable(after))
  for (const { id, secret } of after.clients) {
    const hash = before?.hashes.get(id)
    if (secret === undefined || hash === undefined || (await verifySecret(secret, hash))) continue
    changes.push({ path: `/clients/${id}/secret`, change: 'updated' })
  }
  return changes
}

/** Client ids are unique in the installation: a token request names no tenant before its client is known. */
async function refuseTakenIds(db: Db, before: Present | undefined, { clients }: TenantManifest): Promise<void> {
  const added = clients.map(({ id }) => id).filter(id => !before?.hashes.has(id))
  const rows: { client_id: string }[] = await db('clients').whereIn('client_id', added).select('client_id')
  if (rows.length === 0) return
  const theirs = new Set(rows.map(row => row.client_id))
  const faults = clients.flatMap(({ id }, n) => {
    const detail = `The client id '${id}' is in use; choose another.`
    return theirs.has(id) ? [{ pointer: `/clients/${n}/id`, code: 'client-id-taken', detail }] : []
  })
  throw taken(faults)
}

const taken = (faults: Fault[]) => conflict('client-id-taken', 'A client id is in use by another tenant.', faults)

async function writeClients(
  trx: Knex.Transaction,
  tenant: TenantId,
  before: Present | undefined,
  clients: readonly ClientManifest[],
): Promise<Record<string, string>> {
  const gone = [...(before?.hashes.keys() ?? [])].filter(id => !clients.some(client => client.id === id))
  if (gone.length > 0) await trx('clients').where({ tenant_id: tenant }).whereIn('client_id', gone).delete()
  const secrets: [clientId: string, secret: string][] = []
  for (const client of clients) {
    let hash = before?.hashes.get(client.id)
    if (client.secret !== undefined) {
      if (!hash || !(await verifySecret(client.secret, hash))) hash = await hashSecret(client.secret)
    } else if (!hash) {
      const made = randomBytes(32).toString('base64url')
      secrets.push([client.id, made])
      hash = await hashSecret(made)
    }
    const row = {
      name: client.name,
      secret_hash: hash,
      scopes: JSON.stringify(client.scopes),
      permissions: JSON.stringify(client.permissions),
      disabled: client.disabled,
      updated_at: new Date(),
    }
    const id = { tenant_id: tenant, client_id: client.id }
    if ((await trx('clients').where(id).update(row)) > 0) continue
    await trx('clients')
      .insert({ ...id, ...row })
      .catch(error => {
        // Another tenant took it since we looked.
        throw isDuplicate(error) ? taken([]) : error
      })
  }
  return Object.fromEntries(secrets)
}
