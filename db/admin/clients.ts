import { randomBytes } from 'node:crypto'
import type { Knex } from 'knex'
import { conflict, type Fault } from '../../runtime/problem.js'
import { hashSecret, verifySecret } from '../../runtime/secrets.js'
import type { Db, TenantId } from '../connect.js'
import { isDuplicate } from '../errors.js'
import type { Change } from './differences.js'
import type { ClientManifest } from './manifest.js'

/** The hashed secrets of a tenant's clients, by client id. */
export type SecretHashes = ReadonlyMap<string, string>

/** The clients as a manifest has them, in the order of their ids, and the hashes of their secrets. */
export async function readClients(
  db: Db,
  tenant: TenantId,
): Promise<{ clients: ClientManifest[]; hashes: SecretHashes }> {
  const rows = await db('clients').where({ tenant_id: tenant }).orderBy('client_id')
  const clients = rows.map(row => ({
    id: row.client_id,
    name: row.name,
    scopes: JSON.parse(row.scopes),
    permissions: JSON.parse(row.permissions),
    disabled: row.disabled === 1,
  }))
  return { clients, hashes: new Map(rows.map(row => [row.client_id, row.secret_hash])) }
}

/** Secrets that differ from the present ones, each said to be changed without itself. */
export async function secretChanges(hashes: SecretHashes, clients: readonly ClientManifest[]): Promise<Change[]> {
  const changes: Change[] = []
  for (const { id, secret } of clients) {
    const hash = hashes.get(id)
    if (secret === undefined || hash === undefined || (await verifySecret(secret, hash))) continue
    changes.push({ path: `/clients/${id}/secret`, change: 'updated' })
  }
  return changes
}

/**
 * Client ids are unique in the installation: a token request names no tenant before its client is known.
 * @throws Problem 409 with each id that another tenant has.
 */
export async function refuseTakenIds(db: Db, hashes: SecretHashes, clients: readonly ClientManifest[]): Promise<void> {
  const added = clients.map(({ id }) => id).filter(id => !hashes.has(id))
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

/**
 * Makes these the tenant's clients.
 * @returns the secrets that were made here, by client id.
 * @throws Problem 409 when another tenant took an id since it was looked for.
 */
export async function writeClients(
  trx: Knex.Transaction,
  tenant: TenantId,
  hashes: SecretHashes,
  clients: readonly ClientManifest[],
): Promise<Record<string, string>> {
  const gone = [...hashes.keys()].filter(id => !clients.some(client => client.id === id))
  if (gone.length > 0) await trx('clients').where({ tenant_id: tenant }).whereIn('client_id', gone).delete()
  const secrets: [clientId: string, secret: string][] = []
  for (const client of clients) {
    let hash = hashes.get(client.id)
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
        throw isDuplicate(error) ? taken([]) : error
      })
  }
  return Object.fromEntries(secrets)
}
