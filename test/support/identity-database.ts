// A database server for tests of the identity service.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../../db/connect.js'
import { migrate } from '../../db/migrate.js'
import { startDatabase } from '../../dev/mariadb.js'
import { createSecretHasher, minHashCost } from '../../runtime/secrets/secrets.js'

/** The secret of all its clients, with characters that must be escaped in forms and headers. */
export const secret = 'a secret with signs: %+&=$"'

/** Starts a separate database server with two tenants and several clients. It can be stopped and started again. */
export async function startIdentityDatabase() {
  const dataDir = await mkdtemp(join(tmpdir(), 'armature-identity-'))
  let server = await startDatabase({ dataDir, log: () => {} })
  const { url, port } = server
  await migrate(url)
  const db = connect(url)
  const now = new Date()
  const names = (...all: string[]) => JSON.stringify(all)
  const tenant = { name: 'A', user_access: 'direct', limits: '{"a":1}', entity_settings: '{}', updated_at: now }
  await db('tenants').insert([
    { ...tenant, id: 1, tenant_key: 'demo' },
    { ...tenant, id: 2, tenant_key: 'other' },
  ])
  const common = {
    name: 'A',
    secret_hash: await createSecretHasher(minHashCost).hash(secret),
    permissions: names('List:*'),
    updated_at: now,
  }
  await db('clients').insert([
    { ...common, tenant_id: 1, client_id: 'many', scopes: names('FrameApi', 'FormsApi'), disabled: 0 },
    { ...common, tenant_id: 1, client_id: 'one', scopes: names('FrameApi'), disabled: 0 },
    { ...common, tenant_id: 1, client_id: 'none', scopes: names(), disabled: 0 },
    { ...common, tenant_id: 1, client_id: 'off', scopes: names('FrameApi'), disabled: 1 },
    { ...common, tenant_id: 2, client_id: 'theirs', scopes: names('FrameApi'), disabled: 0 },
  ])
  return {
    url,
    db,
    goAway: () => server.stop(),
    async comeBack() {
      server = await startDatabase({ dataDir, port, log: () => {} })
    },
    async stop() {
      await db.destroy()
      await server.stop()
      await rm(dataDir, { recursive: true })
    },
  }
}
