// Converts between a manifest as it is written and as it is stored.
import type { Static } from 'typebox'
import { emptyTenant, type TenantManifest } from '../../../db/admin/manifest.js'
import { defaultLaunch, type FormDelivery, type FormSettings } from '../../../db/forms/settings.js'
import type { PortalSettings, SubjectSettings } from '../../../db/frame/fields/subject-settings.js'
import type { Seal } from '../../../runtime/secrets/seal.js'
import { glueWithDefaults } from './glue-defaults.js'
import type { Manifest } from './manifest.js'

type Body = Static<typeof Manifest>

/** Returns a manifest with all defaults and with the glue's secrets sealed. */
export const withDefaults = (tenantKey: string, body: Body, seal: Seal): TenantManifest => ({
  ...emptyTenant(tenantKey, body.name ?? tenantKey),
  clients: (body.clients ?? []).map(client => ({
    ...client,
    name: client.name ?? client.id,
    permissions: client.permissions ?? [],
    disabled: client.disabled ?? false,
    oldSecretUntil: stillToCome(client.oldSecretUntil),
  })),
  subjects: completedSubjects(body.subjects ?? {}),
  structuralEntities: body.structuralEntities ?? {},
  users: (body.users ?? []).map(user => ({ ...user, active: user.active ?? true })),
  userAccess: body.userAccess ?? 'direct',
  ...glueWithDefaults(tenantKey, body.glue, seal),
  forms: completedForms(body.forms ?? {}),
  limits: body.limits ?? {},
})

/** Returns a time in UTC, or undefined if it is past, so that a manifest is the same when it is applied again later. */
const stillToCome = (time: string | undefined): string | undefined =>
  time !== undefined && Date.parse(time) > Date.now() ? new Date(time).toISOString() : undefined

const completedSubjects = (subjects: NonNullable<Body['subjects']>): SubjectSettings => ({
  fields: (subjects.fields ?? []).map(({ key, name, type, required, isArray }) => ({
    key,
    name,
    typeKey: type,
    required: required ?? false,
    isArray: isArray ?? false,
  })),
  matchingFields: subjects.matchingFields ?? [],
  upsert: subjects.upsert ?? false,
  identifierField: subjects.identifierField,
  dateOfBirthField: subjects.dateOfBirthField,
  portal: completedPortal(subjects.portal ?? {}),
  importMaps: subjects.importMaps,
  absentAtMost: subjects.absentAtMost,
})

const completedPortal = (portal: Partial<PortalSettings>): PortalSettings => ({
  selfAccess: portal.selfAccess ?? false,
  thirdParty: portal.thirdParty ?? false,
  matchingFields: portal.matchingFields ?? [],
  emailField: portal.emailField,
  displayNameFields: portal.displayNameFields ?? [],
  url: portal.url,
})

const completedForms = ({ launch, applications, delivery, exports }: NonNullable<Body['forms']>): FormSettings => ({
  launch: { ...defaultLaunch, ...launch },
  ...(applications ? { applications } : {}),
  ...(delivery ? { delivery: completedDelivery(delivery) } : {}),
  ...(exports ? { exports: exports.map(entry => ({ ...entry, mode: entry.mode ?? 'full' })) } : {}),
})

const completedDelivery = ({
  forms,
  ...receiver
}: NonNullable<NonNullable<Body['forms']>['delivery']>): FormDelivery => ({
  ...receiver,
  headers: receiver.headers ?? {},
  ...(forms ? { forms: forms.map(form => ({ ...form, headers: form.headers ?? {} })) } : {}),
})

/** Returns a manifest as it is read back and could be applied again. */
export const presentManifest = ({ subjects, glueSecrets: _, ...manifest }: TenantManifest) => ({
  ...manifest,
  subjects: { ...subjects, fields: subjects.fields.map(({ typeKey, ...field }) => ({ ...field, type: typeKey })) },
})
