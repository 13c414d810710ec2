// The demo tenants, their clients and users.
import { type ClientManifest, emptyTenant, type TenantManifest, type UserManifest } from '../db/admin/manifest.js'
import { applyManifest, readManifest } from '../db/admin/tenants.js'
import { connect } from '../db/connect.js'
import { noFormSettings } from '../db/forms/settings.js'
import type { SubjectField, TypeKey } from '../db/frame/fields/custom-field.js'
import type { SubjectSettings } from '../db/frame/fields/subject-settings.js'
import { noGlueSettings } from '../db/glue/endpoints/settings.js'
import { publishedSecrets } from '../db/identity/published-secrets.js'
import { platformTenant } from '../runtime/secrets/roles.js'
import { createSeal } from '../runtime/secrets/seal.js'
import { createSecretHasher } from '../runtime/secrets/secrets.js'
import { glueWithDefaults } from '../server/admin/manifest/glue-defaults.js'
import { applyDemoForms, demoForms } from './demo-forms.js'
import { demoGlue } from './demo-glue.js'
import { createDemoPeople } from './demo-people.js'

/** The client, in both tenants, that may do everything. */
const clients = (tenant: 'demo' | 'other'): ClientManifest[] => [
  {
    id: `${tenant}-integration`,
    secret: publishedSecrets[`${tenant}-integration`],
    name: 'Integration',
    scopes: ['FrameApi', 'FormsApi', 'GlueRuntimeApi'],
    permissions: ['*'],
    disabled: false,
  },
]

const field = (key: string, name: string, typeKey: TypeKey, more: Partial<SubjectField> = {}): SubjectField => ({
  key,
  name,
  typeKey,
  required: false,
  isArray: false,
  ...more,
})

/** Settings for the subjects of both tenants: people, who are identified by their national id. */
export const demoSubjects: SubjectSettings = {
  fields: [
    field('givenName', 'Given name', 'Text', { required: true }),
    field('familyName', 'Family name', 'Text', { required: true }),
    field('nationalId', 'National id', 'Text', { required: true }),
    field('dateOfBirth', 'Date of birth', 'Date'),
    field('email', 'E-mail', 'Text'),
    field('phone', 'Phone', 'PhoneNumber'),
    field('languages', 'Languages', 'Text', { isArray: true }),
    field('keyWorker', 'Key worker', 'UserIdentifier'),
    field('consent', 'Consent', 'Boolean'),
    field('weight', 'Weight', 'Number'),
  ],
  matchingFields: ['nationalId'],
  identifierField: 'nationalId',
  upsert: true,
  portal: {
    selfAccess: true,
    thirdParty: true,
    matchingFields: ['email', 'dateOfBirth'],
    emailField: 'email',
    displayNameFields: ['givenName', 'familyName'],
    url: 'https://portal.example.org',
  },
}

/** Makes users whose ids are their names in lower case, with dots for spaces. */
const users = (...names: string[]): UserManifest[] =>
  names.map(displayName => ({ id: displayName.toLowerCase().replaceAll(' ', '.'), displayName, active: true }))

/**
 * The tenants that exist under `npm start`. Their secrets are in the source, so they are never created anywhere else.
 * `other` exists to show that tenants do not see each other's data.
 */
const demoTenants: TenantManifest[] = [
  {
    key: 'demo',
    name: 'Demo',
    clients: [
      ...clients('demo'),
      {
        id: 'demo-provider',
        secret: publishedSecrets['demo-provider'],
        name: 'Data provider',
        scopes: ['FrameApi', 'FrameGlueDataProviderApi'],
        permissions: [],
        disabled: false,
      },
      {
        id: 'demo-reader',
        secret: publishedSecrets['demo-reader'],
        name: 'Reader',
        scopes: ['FrameApi', 'FormsApi'],
        permissions: ['List:*', 'View:*', 'ListPatientForms'],
        disabled: false,
      },
      {
        id: 'platform-admin',
        secret: publishedSecrets['platform-admin'],
        name: 'Platform administrator',
        scopes: ['PlatformAdmin'],
        permissions: ['*'],
        disabled: false,
      },
    ],
    subjects: demoSubjects,
    structuralEntities: {},
    users: [
      ...users('Ada Okafor', 'Bruno Keller', 'Chiara Conti', 'Dilan Yilmaz', 'Elif Demir', 'Freya Lindqvist'),
      ...users('Gabriel Moreau', 'Hana Novak', 'Ines Carvalho', 'Jonas Weber', 'Kofi Mensah'),
      { id: 'lena.fischer', displayName: 'Lena Fischer', active: false },
    ],
    userAccess: 'direct',
    limits: {},
    glue: noGlueSettings,
    glueSecrets: {},
    forms: demoForms,
  },
  {
    key: 'other',
    name: 'Other',
    clients: clients('other'),
    subjects: demoSubjects,
    structuralEntities: {},
    users: users('Maria Santos', 'Nils Berg', 'Olga Petrova'),
    userAccess: 'direct',
    limits: {},
    glue: noGlueSettings,
    glueSecrets: {},
    forms: noFormSettings,
  },
]

interface DemoSettings {
  encryptionKey: string
  providerUrl: string
  secretHashCost: number
}

/**
 * Brings the demo tenants in a database up to date, changing only what differs. `demo` gets the glue of dev/demo-glue.ts and
 * the forms of examples/forms.
 */
export async function applyDemoTenants(
  databaseUrl: string,
  { encryptionKey, providerUrl, secretHashCost }: DemoSettings,
): Promise<void> {
  const db = connect(databaseUrl, { poolSize: 1 })
  try {
    const glue = glueWithDefaults('demo', demoGlue(providerUrl), createSeal(Buffer.from(encryptionKey, 'base64')))
    const hasher = createSecretHasher(secretHashCost)
    for (const manifest of demoTenants) {
      await applyManifest(db, hasher, manifest.key === 'demo' ? { ...manifest, ...glue } : manifest)
    }
    if (!(await readManifest(db, platformTenant)))
      await applyManifest(db, hasher, emptyTenant(platformTenant, 'Platform'))
    await applyDemoForms(db, 'demo')
    await createDemoPeople(db, secretHashCost)
  } finally {
    await db.destroy()
  }
}
