// Finds tenants by key, and applies a manifest in one transaction.
import { hash } from 'node:crypto'
import type { Knex } from 'knex'
import { type Cached, cached } from '../../runtime/load/cache.js'
import { conflict, invalid, notFound, Problem } from '../../runtime/problems/problem.js'
import { isShortKey } from '../../runtime/schema/short-key.js'
import type { SecretHasher } from '../../runtime/secrets/secrets.js'
import { recordAction } from '../audit/action.js'
import type { Db, TenantId } from '../connect.js'
import { busy, isDuplicate, transaction } from '../errors.js'
import { createFormClock } from '../forms/instances/form-clock.js'
import { formSettings } from '../forms/settings.js'
import { entitySettings } from '../frame/fields/entity-settings.js'
import { forgetSubjectSettings, subjectSettings } from '../frame/fields/subject-settings.js'
import { glueSettings, readSecrets } from '../glue/endpoints/settings.js'
import { upsertRows } from '../rows.js'
import type { TenantLimits } from '../tenant-limits.js'
import { changesBetween } from './changes.js'
import {
  type ClientPlan,
  generatedSecrets,
  isCurrent,
  planClients,
  plannedSecretChanges,
  readClients,
  refuseTakenIds,
  type SecretHashes,
  secretChanges,
  secretHashes,
  writeClients,
} from './clients.js'
import type { Change } from './differences.js'
import { glueSecretChanges, type Secrets, valuelessSecrets, writeGlue } from './glue.js'
import type { TenantManifest } from './manifest.js'
import { writeRhythms } from './rhythms.js'
import { holdSubjectSettings, refuseFieldsInUse, writeSubjectSettings } from './subject-fields.js'
import { readUsers, unknownGroups, writeUsers } from './users.js'

export interface AppliedManifest {
  changes: Change[]
  /** Secrets that were generated, by client id. They are shown only once. */
  secrets: Record<string, string>
}

/** What a process knows of the tenants that its work is for. */
interface KnownTenant {
  id: TenantId
  suspended_at: Date | null
}

const knownTenants = new WeakMap<Knex, Cached<string, KnownTenant>>()

/** How long a process relies on what it has read of a tenant, in ms. */
export const tenantCacheMs = 2_000

/**
 * Returns what a process knows of tenants, by key. One that a job deletes is not found. Malformed keys are not looked up, because MySQL ignores trailing
 * blanks when it compares.
 */
export function tenantsKnownTo(db: Knex): Cached<string, KnownTenant> {
  const known = knownTenants.get(db)
  if (known) return known
  const read = async (tenantKey: string): Promise<KnownTenant> => {
    const named = () => db('tenants').where({ tenant_key: tenantKey }).first('id', 'suspended_at', 'deletion_job_id')
    const found = isShortKey(tenantKey) ? await named() : undefined
    if (!found || found.deletion_job_id !== null) throw notFound(`There is no tenant '${tenantKey}'.`)
    return found
  }
  const made = cached(read, { ttlMs: tenantCacheMs })
  knownTenants.set(db, made)
  return made
}

/**
 * Returns the internal id of a tenant, which its key stands for until the tenant is deleted.
 * @throws Problem 404 for an unknown or malformed key.
 */
export const tenantIdOf = async (db: Knex, tenantKey: string): Promise<TenantId> =>
  (await tenantsKnownTo(db)(tenantKey)).id

/**
 * Returns the internal id of a tenant that is to be deleted. Unlike others, this finds a tenant whose import has broken off.
 * @throws Problem as {@link tenantIdOf}.
 */
export async function tenantToDelete(db: Knex, tenantKey: string): Promise<TenantId> {
  const found = isShortKey(tenantKey)
    ? await db('tenants').where({ tenant_key: tenantKey, deletion_job_id: importing }).first('id')
    : undefined
  return found?.id ?? tenantIdOf(db, tenantKey)
}

/** Returns the present manifest without secrets, or undefined if there is no such tenant. */
export async function readManifest(db: Db, tenantKey: string): Promise<TenantManifest | undefined> {
  return (await present(db, tenantKey))?.manifest
}

/** Returns the present manifest as `readManifest` does, with its ETag, which changes with the secrets too. */
export async function readTagged(
  db: Db,
  tenantKey: string,
): Promise<{ manifest: TenantManifest; etag: string } | undefined> {
  const found = await present(db, tenantKey)
  return found && { manifest: found.manifest, etag: etagOf(found) }
}

const etagOf = ({ manifest, hashes, glueSecrets }: Present): string =>
  `"${hash('sha256', JSON.stringify([manifest, [...hashes], [...glueSecrets]]), 'base64url')}"`

/** The ETags of which a caller has seen one; `any` if the tenant must only exist, undefined if it does not matter. */
export type SeenManifest = readonly string[] | 'any' | undefined

/** @throws Problem 412 if the manifest is not one that the caller has seen. */
function refuseUnseen(before: Present | undefined, seen: SeenManifest): void {
  const etag = before && etagOf(before)
  if (seen === undefined || (etag !== undefined && (seen === 'any' || seen.includes(etag)))) return
  const detail = 'The manifest has changed since it was read, or does not exist. Read it again.'
  throw new Problem('manifest-changed', detail, [], etag === undefined ? {} : { ETag: etag })
}

/**
 * Returns the changes that {@link applyManifest} would make, without writing them.
 * @throws as {@link applyManifest}, except 503.
 */
export async function planManifest(
  db: Db,
  hasher: SecretHasher,
  manifest: TenantManifest,
  seen?: SeenManifest,
): Promise<Change[]> {
  const before = await present(db, manifest.key)
  refuseUnseen(before, seen)
  await refuse(db, before, manifest)
  return changesOf(before, manifest, await secretChanges(hasher, before?.hashes ?? new Map(), manifest.clients))
}

/** How often a manifest is tried again while other callers change the same clients. */
const maxPlans = 5

/**
 * Brings the tenant to the state in its manifest, in one transaction. Secrets are compared and hashed before the
 * transaction; if the stored ones have changed by the time the tenant is locked, this starts again.
 * @param seen the manifests of which the present one must be one.
 * @throws Problem 412 if it is none of them; 400 when a user's group does not exist; 409 when a client id belongs to another tenant, or when
 * subjects have values of a field that would be removed or change its type; 503 when others keep changing the same
 * clients.
 */
export async function applyManifest(
  db: Knex,
  hasher: SecretHasher,
  manifest: TenantManifest,
  seen?: SeenManifest,
): Promise<AppliedManifest> {
  for (let n = 0; n < maxPlans; n++) {
    const plan = await planClients(hasher, await secretHashes(db, manifest.key), manifest.clients)
    const applied = await applyPlanned(db, manifest, plan, seen)
    if (!applied) continue
    forgetSubjectSettings(db, await tenantIdOf(db, manifest.key))
    return applied
  }
  throw busy()
}

/** Stands for the deletion of a tenant that is being imported, so that nobody finds it. */
export const importing = '00000000-0000-0000-0000-000000000000'

/** Creates the problem of a manifest whose tenant is there only in part. */
const notThere = (tenantKey: string, deletionJobId: string): Problem =>
  conflict(
    'tenant-deleted',
    deletionJobId === importing
      ? `An import of the tenant is under way, or has broken off. Run \`armature tenant import\` with its archive again, or give it up: armature tenant delete ${tenantKey}`
      : `The job ${deletionJobId} deletes the tenant. Its key is free when that has ended.`,
  )

/** Applies the manifest with planned clients. Returns undefined, with nothing written, if the plan is out of date. */
async function applyPlanned(
  db: Db,
  manifest: TenantManifest,
  plan: ClientPlan,
  seen: SeenManifest,
): Promise<AppliedManifest | undefined> {
  const named = (of: Db) => of('tenants').where({ tenant_key: manifest.key })
  const isThere = (await named(db).first('id')) !== undefined
  return transaction(db, 'unqueued', async trx => {
    // The lock keeps out other manifests of this tenant. A tenant that does not exist is not locked, because InnoDB
    // would lock the gap into which all new tenants are inserted.
    const known = isThere ? await named(trx).forUpdate().first('id', 'deletion_job_id') : undefined
    if (known && known.deletion_job_id !== null) throw notThere(manifest.key, known.deletion_job_id)
    if (known) await holdSubjectSettings(trx, known.id, manifest.subjects)
    const before = await present(trx, manifest.key)
    const stored: SecretHashes = before?.hashes ?? new Map()
    if ((before && !known) || !isCurrent(plan, stored)) return undefined
    refuseUnseen(before, seen)
    await refuse(trx, before, manifest)
    const changes = changesOf(before, manifest, plannedSecretChanges(plan))
    if (changes.length === 0 && before) return { changes, secrets: {} }
    const { name, userAccess, structuralEntities, limits } = manifest
    const settings = { limits: JSON.stringify(limits), entity_settings: JSON.stringify(structuralEntities) }
    const row = { name, user_access: userAccess, ...settings, updated_at: new Date() }
    try {
      if (before) await named(trx).update(row)
      else await trx('tenants').insert({ tenant_key: manifest.key, ...row })
    } catch (error) {
      // Another caller has created the tenant in the meantime.
      if (isDuplicate(error)) return undefined
      throw error
    }
    const { id: tenant } = await named(trx).first('id')
    // These rows are created with the tenant, but not updated here, because jobs may hold locks on them for a long
    // time.
    if (!before) {
      await upsertRows(trx, 'hierarchies', ['tenant_id', 'version', 'orders'], [[tenant, 0, '[]']], [])
      await createFormClock(trx, tenant)
    }
    await writeSubjectSettings(trx, tenant, before?.manifest.subjects, manifest.subjects)
    await writeGlue(trx, tenant, before?.glueSecrets ?? new Map(), manifest)
    const forms = [tenant, JSON.stringify(manifest.forms)]
    await upsertRows(trx, 'form_settings', ['tenant_id', 'settings'], [forms], ['settings'])
    await writeRhythms(trx, tenant, manifest)
    await writeUsers(trx, tenant, before?.manifest.users ?? [], manifest.users)
    await writeClients(trx, tenant, stored, plan)
    await recordAction(trx, tenant, 'done', { changes: shortened(changes) })
    return { changes, secrets: generatedSecrets(plan) }
  })
}

/** How long the difference of a manifest may be in the audit, in characters. */
const maxDifference = 256 * 1024

/** Leaves the values out of a long difference. */
function shortened(changes: readonly Change[]): object[] {
  if (JSON.stringify(changes).length <= maxDifference) return [...changes]
  return changes.slice(0, 1_000).map(({ path, change }) => ({ path: path.slice(0, 255), change }))
}

interface Present {
  tenant: TenantId
  manifest: TenantManifest
  hashes: SecretHashes
  glueSecrets: Secrets
}

async function present(db: Db, tenantKey: string): Promise<Present | undefined> {
  const row = await db('tenants')
    .where({ tenant_key: tenantKey })
    .first('id', 'tenant_key', 'name', 'limits', 'user_access')
  // MySQL ignores trailing blanks when it compares.
  if (row?.tenant_key !== tenantKey) return undefined
  const { clients, hashes } = await readClients(db, row.id)
  const subjects = await subjectSettings(db, row.id)
  const structuralEntities = await entitySettings(db, row.id)
  const users = await readUsers(db, row.id)
  const limits: TenantLimits = JSON.parse(row.limits)
  const glue = await glueSettings(db, row.id)
  const forms = await formSettings(db, row.id)
  const manifest = {
    ...{ key: tenantKey, name: row.name, clients, subjects, structuralEntities, users, userAccess: row.user_access },
    ...{ glue, glueSecrets: {}, forms, limits },
  }
  return { tenant: row.id, manifest, hashes, glueSecrets: await readSecrets(db, row.id) }
}

/** Returns all changes. A changed secret is reported without its value. */
const changesOf = (before: Present | undefined, after: TenantManifest, ofClientSecrets: Change[]): Change[] => [
  ...changesBetween(before?.manifest, after),
  ...ofClientSecrets,
  ...glueSecretChanges(before?.glueSecrets ?? new Map(), after),
]

/** Refuses a manifest that conflicts with the tenant's data. In a transaction, that data is locked until it ends. */
async function refuse(db: Db, before: Present | undefined, after: TenantManifest): Promise<void> {
  const faults = [
    ...(await unknownGroups(db, before?.tenant, after.users)),
    ...valuelessSecrets(before?.manifest.glue, after),
  ]
  if (faults.length > 0) throw invalid(faults)
  await refuseTakenIds(db, before?.hashes ?? new Map(), after.clients)
  if (before) await refuseFieldsInUse(db, before.tenant, before.manifest.subjects.fields, after.subjects.fields)
}
