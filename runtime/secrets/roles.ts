// The roles of people, and what each may do. docs/install.md has the same table in words.
import type { Scope } from './scopes.js'

/** What a role allows: scopes of tokens, and permissions as clients have them. */
interface Role {
  scopes: readonly Scope[]
  permissions: readonly string[]
}

/** The tenant whose people look after the installation. */
export const platformTenant = 'platform'

const ofTenant: readonly Scope[] = ['FrameApi', 'FormsApi']

/** Reads what the tenant works with, people included. */
const readsAll = ['List:*', 'View:*', 'ListPatientForms']

/** Roles in a tenant. */
export const tenantRoles = {
  /** Everything, also who else signs in. */
  owner: { scopes: ofTenant, permissions: ['*'] },
  /** Sees that work gets done: jobs, imports and their refused rows, data sets, webhooks. */
  operator: {
    scopes: ofTenant,
    permissions: [
      ...readsAll,
      'Edit:Job',
      'Edit:DataSet',
      'Edit:FormExport',
      'Edit:Webhook',
      'Create:Subject',
      'Edit:Subject',
      'Create:SubjectLocation',
      'Edit:SubjectLocation',
      'Delete:SubjectLocation',
      'Create:StructuralEntity',
      'Edit:StructuralEntity',
      'Create:Group',
      'Edit:Group',
    ],
  },
  /** Fills in and reads forms, to try what administrators of the platform have published: nobody else writes templates. */
  author: {
    scopes: ofTenant,
    permissions: ['List:StructuralEntity', 'List:Subject', 'View:Subject', 'List:User', 'ListPatientForms', 'Create'],
  },
  /** Reads everything, and runs extracts and reports. */
  analyst: { scopes: ofTenant, permissions: [...readsAll, 'RunExtractsAndReports'] },
  /** Sees what was done and by whom, and no people. */
  auditor: {
    scopes: ['FrameApi'],
    permissions: ['List:Job', 'View:Job', 'List:User', 'List:Account', 'View:Audit', 'View:FailedCall'],
  },
} as const satisfies Record<string, Role>

const operatesPlatform = [
  'List:Tenant',
  'List:Attention',
  'List:PlatformJob',
  'Edit:PlatformJob',
  'List:Provider',
  'List:FailedCall',
  'View:PlatformWebhook',
  'Edit:PlatformWebhook',
]

/** Roles on the platform, for people of the tenant `platform`. */
export const platformRoles = {
  /** Sees that something is wrong and where, but no payloads. */
  operator: { scopes: ['PlatformAdmin'], permissions: operatesPlatform },
  /** Looks after tenants: manifests, templates, API keys, and who signs in. */
  admin: {
    scopes: ['PlatformAdmin'],
    permissions: [
      ...operatesPlatform,
      'View:Tenant',
      'Edit:Tenant',
      'Export:Tenant',
      'Delete:Tenant',
      'List:Account',
      'Edit:Account',
      'List:FormTemplate',
      'View:FormTemplate',
      'Edit:FormTemplate',
      'List:ApiKey',
      'Create:ApiKey',
      'Delete:ApiKey',
    ],
  },
  /** Opens payloads, reads mails and the audit trail, rotates keys. */
  security: {
    scopes: ['PlatformAdmin'],
    permissions: [
      'List:Tenant',
      'List:PlatformJob',
      'List:Account',
      'View:PlatformAudit',
      'List:Mail',
      'Open:Payload',
      'List:SigningKey',
      'Create:SigningKey',
    ],
  },
} as const satisfies Record<string, Role>

/** Returns the roles that people of a tenant can have, by name. */
export const rolesOf = (tenantKey: string): Readonly<Record<string, Role>> =>
  tenantKey === platformTenant ? platformRoles : tenantRoles

/** Adds up what roles allow. Names that are no roles of the tenant allow nothing. */
export function allowedBy(tenantKey: string, roles: readonly string[]): { scopes: Scope[]; permissions: string[] } {
  const known = new Map(Object.entries(rolesOf(tenantKey)))
  const held = roles.flatMap(role => known.get(role) ?? [])
  return {
    scopes: [...new Set(held.flatMap(({ scopes }) => scopes))],
    permissions: [...new Set(held.flatMap(({ permissions }) => permissions))],
  }
}

/** Tells whether somebody holds all that a role allows, and so may give the role and look after people who have it. */
export const holdsRole = (
  { scopes, permissions }: Role,
  holder: { scopes: ReadonlySet<string>; allows(permission: string): boolean },
): boolean => scopes.every(scope => holder.scopes.has(scope)) && permissions.every(each => holder.allows(each))
