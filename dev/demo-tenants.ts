import { applyManifest, type ClientManifest, type TenantManifest } from '../db/admin/tenants.js'
import { connect } from '../db/connect.js'

/** The clients of a tenant that may do everything, only push data, and only read. */
const clients = (tenant: string): ClientManifest[] => [
  {
    id: `${tenant}-integration`,
    secret: `${tenant}-integration-secret`,
    name: 'Integration',
    scopes: ['FrameApi', 'FormsApi', 'GlueRuntimeApi'],
    permissions: ['*'],
    disabled: false,
  },
]

/**
 * The tenants that exist under `npm start`. Their secrets are in the source, so they are applied nowhere else.
 * `other` is the twin that shows that nobody sees a neighbour's data.
 */
export const demoTenants: TenantManifest[] = [
  {
    key: 'demo',
    name: 'Demo',
    clients: [
      ...clients('demo'),
      {
        id: 'demo-provider',
        secret: 'demo-provider-secret',
        name: 'Data provider',
        scopes: ['FrameApi', 'FrameGlueDataProviderApi'],
        permissions: [],
        disabled: false,
      },
      {
        id: 'demo-reader',
        secret: 'demo-reader-secret',
        name: 'Reader',
        scopes: ['FrameApi', 'FormsApi'],
        permissions: ['List:*', 'View:*'],
        disabled: false,
      },
      {
        id: 'platform-admin',
        secret: 'platform-admin-secret',
        name: 'Platform administrator',
        scopes: ['PlatformAdmin'],
        permissions: [],
        disabled: false,
      },
    ],
    limits: {},
  },
  { key: 'other', name: 'Other', clients: clients('other'), limits: {} },
]

/** Applies the demo tenants to a database, which only changes what differs. */
export async function applyDemoTenants(databaseUrl: string): Promise<void> {
  const db = connect(databaseUrl, { poolSize: 1 })
  try {
    for (const manifest of demoTenants) await applyManifest(db, manifest)
  } finally {
    await db.destroy()
  }
}
