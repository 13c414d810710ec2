// Reads the section `subjects` of a tenant's manifest.
import type { Knex } from 'knex'
import { type Cached, cached } from '../../../runtime/load/cache.js'
import type { Db, TenantId } from '../../connect.js'
import { primaryOf } from '../../replicas.js'
import { currentIn } from '../../rows.js'
import type { FieldOrder, SubjectField } from './custom-field.js'
import type { ImportMap } from './import-map.js'

/** The section `subjects` of a tenant's manifest. */
export interface SubjectSettings {
  fields: SubjectField[]
  /** Keys of the fields whose values together say which subject an upsert means. Never empty if `upsert` is on. */
  matchingFields: string[]
  /** True if the tenant has configured the upsert API (spec frame "Subject upsert rules" 1). */
  upsert: boolean
  /** Key of the field whose value identifies a subject to data providers and on form pages, in addition to its ids. */
  identifierField?: string | undefined
  /** Key of the Date field with the date of birth, if it cannot be recognized by its key. */
  dateOfBirthField?: string | undefined
  portal: PortalSettings
  importMaps?: ImportMap[] | undefined
  /** The most subjects that an import with Absent=unassign takes from their places, unless it says otherwise; `10%` if absent. */
  absentAtMost?: string | undefined
}

/** Settings of the subject portal (spec frame "Subject portal"). The portal is off if neither kind of access is on. */
export interface PortalSettings {
  selfAccess: boolean
  thirdParty: boolean
  /** Keys of the fields in which a subject needs a value before anybody can be invited. */
  matchingFields: string[]
  /** Key of the field with the subject's own e-mail address. Required for self access. */
  emailField?: string | undefined
  /** Keys of the fields that make the display name, in this order. Empty if they can be recognized by their keys. */
  displayNameFields: string[]
  /** Address of the portal, for use in mails. */
  url?: string | undefined
}

/** The settings of a tenant whose manifest has no section `subjects`. */
export const noSubjectSettings: SubjectSettings = {
  fields: [],
  matchingFields: [],
  upsert: false,
  portal: { selfAccess: false, thirdParty: false, matchingFields: [], displayNameFields: [] },
}

/**
 * Reads the current settings.
 * @param lock for use inside a transaction, held until its end. `share` is for writers of subjects: nobody changes the settings
 *   meanwhile. `update` is for changing the settings: it waits for all writers of subjects.
 */
export async function subjectSettings(db: Db, tenant: TenantId, lock?: 'share' | 'update'): Promise<SubjectSettings> {
  const query = db('subject_settings').where({ tenant_id: tenant }).first('settings')
  if (lock) query[lock === 'share' ? 'forShare' : 'forUpdate']()
  const row = await query
  return row ? JSON.parse(row.settings) : noSubjectSettings
}

/** The settings as a writer of subjects reads them, with the orders that it must update. */
export interface WriterSettings {
  settings: SubjectSettings
  orders: readonly FieldOrder[]
}

/** Reads what a writer of subjects needs. Inside a transaction, locks it: until the end nobody changes the settings, or adds an order. */
export async function writerSettings(db: Db, tenant: TenantId): Promise<WriterSettings> {
  const query = db('subject_settings').where({ tenant_id: tenant }).first('settings', 'orders')
  const row: { settings: string; orders: string } | undefined = await currentIn(db, query)
  return row
    ? { settings: JSON.parse(row.settings), orders: JSON.parse(row.orders) }
    : { settings: noSubjectSettings, orders: [] }
}

const readers = new WeakMap<Db, Cached<TenantId, SubjectSettings>>()

function readerOf(db: Knex): Cached<TenantId, SubjectSettings> {
  const reader = readers.get(db) ?? cached((tenant: TenantId) => subjectSettings(db, tenant), { ttlMs: 2_000 })
  readers.set(db, reader)
  return reader
}

/**
 * Reads the settings through a cache; not for use by writers. A new manifest takes effect at once in the process that applied it, and
 * within 2 s in the others. Always asks the primary, never a replica.
 */
export const cachedSubjectSettings = (db: Knex, tenant: TenantId): Promise<SubjectSettings> =>
  readerOf(primaryOf(db))(tenant)

/** Drops the cached settings of a tenant in this process. Call it after the transaction that changed them. */
export const forgetSubjectSettings = (db: Knex, tenant: TenantId): void => readerOf(db).forget(tenant)
