// The section `subjects` of a tenant's manifest.
import type { Knex } from 'knex'
import { type Cached, cached } from '../../../runtime/cache.js'
import type { Db, TenantId } from '../../connect.js'
import { primaryOf } from '../../replicas.js'
import type { ImportMap } from '../imports/columns.js'
import type { SubjectField } from './custom-field.js'

/** The section `subjects` of a tenant's manifest. */
export interface SubjectSettings {
  fields: SubjectField[]
  /** Keys of the fields whose values together name a subject in an upsert; never empty where `upsert` is on. */
  matchingFields: string[]
  /** The upsert API is configured (spec frame "Subject upsert rules" 1). */
  upsert: boolean
  /** Key of the field whose value names a subject to data providers and on pages of forms, besides its ids. */
  identifierField?: string | undefined
  /** Key of the Date field with the date of birth, where its key does not tell. */
  dateOfBirthField?: string | undefined
  portal: PortalSettings
  importMaps?: ImportMap[] | undefined
}

/** The subject portal (spec frame "Subject portal"). It is disabled where neither kind of access is on. */
export interface PortalSettings {
  selfAccess: boolean
  thirdParty: boolean
  /** Keys of the fields that a subject must have values for before anybody is invited. */
  matchingFields: string[]
  /** Key of the field with the subject's own e-mail address, needed for self access. */
  emailField?: string | undefined
  /** Keys of the fields whose values make a subject's display name, in this order; empty where their keys tell. */
  displayNameFields: string[]
  /** Address of the portal, for the mails. */
  url?: string | undefined
}

/** Of a tenant whose manifest says nothing of subjects. */
export const noSubjectSettings: SubjectSettings = {
  fields: [],
  matchingFields: [],
  upsert: false,
  portal: { selfAccess: false, thirdParty: false, matchingFields: [], displayNameFields: [] },
}

/**
 * The settings as they are now.
 * @param lock inside a transaction. `share`: it writes subjects, and the settings stay so until it ends. `update`: it changes
 *   the settings, and no writer of subjects is under way.
 */
export async function subjectSettings(db: Db, tenant: TenantId, lock?: 'share' | 'update'): Promise<SubjectSettings> {
  const query = db('subject_settings').where({ tenant_id: tenant }).first('settings')
  if (lock) query[lock === 'share' ? 'forShare' : 'forUpdate']()
  const row = await query
  return row ? JSON.parse(row.settings) : noSubjectSettings
}

const readers = new WeakMap<Db, Cached<TenantId, SubjectSettings>>()

function readerOf(db: Knex): Cached<TenantId, SubjectSettings> {
  const reader = readers.get(db) ?? cached((tenant: TenantId) => subjectSettings(db, tenant), { ttlMs: 2_000 })
  readers.set(db, reader)
  return reader
}

/**
 * The settings of the primary through a cache, for reads alone. A manifest counts at once in the process that applied it, and within 2
 * s in the others.
 */
export const cachedSubjectSettings = (db: Knex, tenant: TenantId): Promise<SubjectSettings> =>
  readerOf(primaryOf(db))(tenant)

/** Has the next reader of this process read the settings again. Called after the transaction that changed them. */
export const forgetSubjectSettings = (db: Knex, tenant: TenantId): void => readerOf(db).forget(tenant)
