// Reads and writes the clients of a tenant's manifest and their hashed secrets.
import { randomBytes } from 'node:crypto'
import type { Knex } from 'knex'
import { conflict, type Fault, fault } from '../../runtime/problems/problem.js'
import { isReserved } from '../../runtime/secrets/actors.js'
import type { SecretHasher } from '../../runtime/secrets/secrets.js'
import type { Db, TenantId } from '../connect.js'
import { isDuplicate } from '../errors.js'
import { type Cell, insertRows, upsertRows } from '../rows.js'
import type { Change } from './differences.js'
import type { ClientManifest } from './manifest.js'

/** The hashed secrets of a client. */
interface StoredSecret {
  hash: string
  /** The hash of the secret before, which works until a time that the manifest names, or null. */
  oldHash: string | null
}

/** The hashed secrets of a tenant's clients, by client id. */
export type SecretHashes = ReadonlyMap<string, StoredSecret>

/** The clients of a manifest together with the hashes of their secrets. */
export interface ClientPlan {
  /** The stored hashes that the plan was made for. */
  stored: SecretHashes
  clients: PlannedClient[]
}

interface PlannedClient {
  client: ClientManifest
  /** The stored hashes, or new ones if the client or its secret is new. */
  secret: StoredSecret
  /** Set if the manifest has a secret that differs from the stored one. */
  isChanged?: boolean
  /** A secret generated for a new client, if the manifest has none. */
  generated?: string
}

/** Returns the stored hashes of a tenant's clients. The tenant need not exist. */
export async function secretHashes(db: Db, tenantKey: string): Promise<SecretHashes> {
  const rows = await db('clients')
    .join('tenants', 'tenants.id', 'clients.tenant_id')
    .where('tenants.tenant_key', tenantKey)
    .select('clients.client_id', 'clients.secret_hash', 'clients.old_secret_hash')
  return hashesOf(rows)
}

const hashesOf = (
  rows: readonly { client_id: string; secret_hash: string; old_secret_hash: string | null }[],
): SecretHashes => new Map(rows.map(row => [row.client_id, { hash: row.secret_hash, oldHash: row.old_secret_hash }]))

/** Returns the clients as a manifest has them, by id, and the hashes of their secrets. */
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
    ...(row.old_secret_until > new Date() && { oldSecretUntil: row.old_secret_until.toISOString() }),
  }))
  return { clients, hashes: hashesOf(rows) }
}

/** Returns a change for each stored secret that would get another value, without the values. */
export async function secretChanges(
  hasher: SecretHasher,
  stored: SecretHashes,
  clients: readonly ClientManifest[],
): Promise<Change[]> {
  const changed = await Promise.all(
    clients.map(async ({ id, secret }) => {
      const hash = stored.get(id)?.hash
      return secret !== undefined && hash !== undefined && !(await hasher.verify(secret, hash))
    }),
  )
  return clients.filter((_, n) => changed[n]).map(secretChange)
}

const secretChange = ({ id }: ClientManifest): Change => ({ path: `/clients/${id}/secret`, change: 'updated' })

/**
 * Compares and hashes the secrets of a manifest's clients, which takes some 50 ms each. Call it outside a transaction,
 * whose locks would hold up others; also, a connection that is idle for 8 s is closed.
 */
export async function planClients(
  hasher: SecretHasher,
  stored: SecretHashes,
  clients: readonly ClientManifest[],
): Promise<ClientPlan> {
  const planned = clients.map(async (client): Promise<PlannedClient> => {
    const { id, secret, oldSecretUntil } = client
    const present = stored.get(id)
    if (present === undefined) {
      const generated = secret === undefined ? randomBytes(32).toString('base64url') : undefined
      const hash = await hasher.hash(secret ?? generated ?? '')
      return { client, secret: { hash, oldHash: null }, ...(generated !== undefined && { generated }) }
    }
    const endsOld = oldSecretUntil === undefined
    if (secret === undefined || (await hasher.verify(secret, present.hash)))
      return { client, secret: endsOld ? { ...present, oldHash: null } : present }
    const hash = await hasher.hash(secret)
    return { client, secret: { hash, oldHash: endsOld ? null : present.hash }, isChanged: true }
  })
  return { stored, clients: await Promise.all(planned) }
}

/** Tells whether the stored hashes of the plan's clients are still the ones that it was made for. */
export const isCurrent = (plan: ClientPlan, stored: SecretHashes): boolean =>
  plan.clients.every(({ client: { id } }) => {
    const [now, then] = [stored.get(id), plan.stored.get(id)]
    return now?.hash === then?.hash && now?.oldHash === then?.oldHash
  })

/** Returns the changes of stored secrets that a plan makes. */
export const plannedSecretChanges = ({ clients }: ClientPlan): Change[] =>
  clients.filter(({ isChanged }) => isChanged).map(({ client }) => secretChange(client))

/** Returns the secrets that a plan generated for new clients, by client id. */
export const generatedSecrets = ({ clients }: ClientPlan): Record<string, string> =>
  Object.fromEntries(
    clients.flatMap(({ client, generated }) => (generated === undefined ? [] : [[client.id, generated]])),
  )

/**
 * Refuses ids of new clients that other tenants or people use. Client ids are unique in the installation, because a token
 * request names no tenant.
 * @throws Problem 409 with each such id.
 */
export async function refuseTakenIds(db: Db, hashes: SecretHashes, clients: readonly ClientManifest[]): Promise<void> {
  const added = clients.map(({ id }) => id).filter(id => !hashes.has(id))
  const rows: { client_id: string }[] = await db('clients').whereIn('client_id', added).select('client_id')
  const theirs = new Set([...rows.map(row => row.client_id), ...added.filter(isReserved)])
  if (theirs.size === 0) return
  const faults = clients.flatMap(({ id }, n) => {
    const detail = `The client id '${id}' is in use; choose another.`
    return theirs.has(id) ? [fault(`/clients/${n}/id`, 'client-id-taken', detail)] : []
  })
  throw idsTaken(faults)
}

const idsTaken = (faults: Fault[]) => conflict('client-id-taken', 'A client id is in use by another tenant.', faults)

const updatedColumns = [
  ...['name', 'secret_hash', 'old_secret_hash', 'old_secret_until'],
  ...['scopes', 'permissions', 'disabled', 'updated_at'],
]
const clientColumns = ['tenant_id', 'client_id', ...updatedColumns]

/**
 * Replaces the tenant's clients by those of the plan.
 * @param stored the present hashes, for which the plan must be current.
 * @throws Problem 409 when another tenant has taken an id since the check.
 */
export async function writeClients(
  trx: Knex.Transaction,
  tenant: TenantId,
  stored: SecretHashes,
  { clients }: ClientPlan,
): Promise<void> {
  const ids = new Set(clients.map(({ client }) => client.id))
  const gone = [...stored.keys()].filter(id => !ids.has(id))
  if (gone.length > 0) await trx('clients').where({ tenant_id: tenant }).whereIn('client_id', gone).delete()
  const now = new Date()
  const rowOf = ({ client, secret: { hash, oldHash } }: PlannedClient): Cell[] => {
    const { id, name, scopes, permissions, disabled, oldSecretUntil } = client
    const secrets = [hash, oldHash, oldSecretUntil === undefined ? null : new Date(oldSecretUntil)]
    return [tenant, id, name, ...secrets, JSON.stringify(scopes), JSON.stringify(permissions), Number(disabled), now]
  }
  const kept = clients.filter(({ client }) => stored.has(client.id))
  const added = clients.filter(({ client }) => !stored.has(client.id))
  await upsertRows(trx, 'clients', clientColumns, kept.map(rowOf), updatedColumns)
  // Client ids are unique across tenants, so an upsert could overwrite another tenant's client.
  await insertRows(trx, 'clients', clientColumns, added.map(rowOf)).catch(error => {
    throw isDuplicate(error) ? idsTaken([]) : error
  })
}
