// The types of a tenant manifest as it is stored.
import { type FormSettings, noFormSettings } from '../forms/settings.js'
import type { EntitySettings } from '../frame/fields/entity-settings.js'
import { noSubjectSettings, type SubjectSettings } from '../frame/fields/subject-settings.js'
import { type GlueSettings, noGlueSettings, type SealedSecret } from '../glue/endpoints/settings.js'
import type { TenantLimits } from '../tenant-limits.js'

/** A whole tenant. A member that the manifest omits is removed, except for secrets and memberships of users. */
export interface TenantManifest {
  key: string
  name: string
  clients: ClientManifest[]
  subjects: SubjectSettings
  structuralEntities: EntitySettings
  users: UserManifest[]
  userAccess: UserAccess
  glue: GlueSettings
  /** New values for secrets of the glue, by name. They are written but never returned. */
  glueSecrets: Record<string, SealedSecret>
  forms: FormSettings
  limits: TenantLimits
}

export interface ClientManifest {
  id: string
  name: string
  /** Written but never returned. If absent, the present secret stays, or a new client gets a random one. */
  secret?: string | undefined
  /** Until when the secret that this one has replaced works too, an RFC 3339 time in UTC. If absent, it does not. */
  oldSecretUntil?: string | undefined
  scopes: string[]
  permissions: string[]
  disabled: boolean
}

/**
 * Whether a user in a group can access only the subjects of the group's entities, or also those of the entities below.
 */
export type UserAccess = 'direct' | 'descendants'

export interface UserManifest {
  /** The user's id at the identity service. */
  id: string
  displayName: string
  active: boolean
  /** Keys of the user's groups. If absent, the present memberships stay. */
  groups?: string[] | undefined
}

/** Returns a tenant that has nothing except its key and name. */
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
