// The types of a tenant manifest as it is stored.
import { type FormSettings, noFormSettings } from '../forms/templates/settings.js'
import type { EntitySettings } from '../frame/hierarchy/entity-settings.js'
import { noSubjectSettings, type SubjectSettings } from '../frame/subjects/subject-settings.js'
import { type GlueSettings, noGlueSettings, type SealedSecret } from '../glue/endpoints/settings.js'

/** The whole of a tenant. A member that the manifest omits is removed, except secrets and memberships of users. */
export interface TenantManifest {
  key: string
  name: string
  clients: ClientManifest[]
  subjects: SubjectSettings
  structuralEntities: EntitySettings
  users: UserManifest[]
  userAccess: UserAccess
  glue: GlueSettings
  /** Values given for secrets of the glue, by name. Written, never read back. */
  glueSecrets: Record<string, SealedSecret>
  forms: FormSettings
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

/** Which subjects a user in a group has access to: those of the group's entities, or also those of the entities below them. */
export type UserAccess = 'direct' | 'descendants'

export interface UserManifest {
  /** Of the identity service. */
  id: string
  displayName: string
  active: boolean
  /** Keys of the user's groups. Absent: the memberships stay as the API has made them. */
  groups?: string[] | undefined
}

export interface TenantLimits {
  /** Requests of one client in a minute. */
  requestsPerMinute?: number | undefined
  /** Structural entities of one bulk request. */
  bulkMaxItems?: number | undefined
  /** How long ended jobs are kept, in place of JOB_RETENTION_DAYS. */
  jobRetentionDays?: number | undefined
}

/** A tenant of nothing but its names. */
export const emptyTenant = (key: string, name: string): TenantManifest => ({
  key,
  name,
  clients: [],
  subjects: noSubjectSettings,
  structuralEntities: {},
  users: [],
  userAccess: 'direct',
  glue: noGlueSettings,
  glueSecrets: {},
  forms: noFormSettings,
  limits: {},
})
