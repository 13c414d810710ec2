import { connect } from '../db/connect.js'

/** A client of a demo tenant, as a tenant's manifest describes it. */
interface DemoClient {
  id: string
  secret: string
  name: string
  scopes: string[]
  permissions: string[]
}

/** The clients of a tenant that may do everything, only push data, and only read. */
const clients = (tenant: string): DemoClient[] => [
  {
    id: `${tenant}-integration`,
    secret: `${tenant}-integration-secret`,
    name: 'Integration',
    scopes: ['FrameApi', 'FormsApi', 'GlueRuntimeApi'],
    permissions: ['*'],
  },
]

/**
 * The tenants that exist under `npm start`. Their secrets are in the source, so they are applied nowhere else.
 * `other` is the twin that shows that nobody sees a neighbour's data.
 */
export const demoTenants = [
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
      },
      {
        id: 'demo-reader',
        secret: 'demo-reader-secret',
        name: 'Reader',
        scopes: ['FrameApi', 'FormsApi'],
        permissions: ['List:*', 'View:*'],
      },
      {
        id: 'platform-admin',
        secret: 'platform-admin-secret',
        name: 'Platform administrator',
        scopes: ['PlatformAdmin'],
        permissions: [],
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
    // biome-ignore lint: until db/admin/tenants.ts exists
    const module: string = '../db/admin/tenants.js'
    const { applyManifest } = await import(module)
    for (const manifest of demoTenants) await applyManifest(db, manifest)
  } finally {
    await db.destroy()
  }
}
