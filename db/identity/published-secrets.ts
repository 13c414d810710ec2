// Refuses to start with the published secrets of the demo tenants.
import { verifySecret } from '../../runtime/secrets/secrets.js'
import type { Db } from '../connect.js'

/** The secrets of the demo tenants' clients. Everybody can read them here. */
export const publishedSecrets = {
  'demo-integration': 'demo-integration-secret',
  'demo-provider': 'demo-provider-secret',
  'demo-reader': 'demo-reader-secret',
  'other-integration': 'other-integration-secret',
  'platform-admin': 'platform-admin-secret',
} as const

/** Anybody could use a client of this installation, because its secret is public. */
export class PublishedSecret extends Error {
  override readonly name = 'PublishedSecret'
}

/**
 * Checks that no client has a secret published in this file. Called by installations that others can reach.
 * @throws PublishedSecret that names such clients and says what to do.
 */
export async function refusePublishedSecrets(db: Db): Promise<void> {
  const rows: { client_id: string; secret_hash: string }[] = await db('clients')
    .whereIn('client_id', Object.keys(publishedSecrets))
    .where({ disabled: 0 })
    .orderBy('client_id')
    .select('client_id', 'secret_hash')
  const secrets: Record<string, string> = publishedSecrets
  const found: string[] = []
  for (const { client_id: id, secret_hash: hash } of rows) {
    if (await verifySecret(secrets[id] ?? '', hash)) found.push(id)
  }
  if (found.length === 0) return
  const ids = found.map(id => `'${id}'`).join(', ')
  throw new PublishedSecret(
    `The API does not start: the secrets of the clients ${found.join(', ')} are published with the source of Armature.\n` +
      `  To delete them:  DELETE FROM clients WHERE client_id IN (${ids});\n` +
      '  Then, for an administrator with a secret of its own:  node dist/db/admin/first-administrator.js\n' +
      '  For a demonstration on a network that you trust, set DEMO_TENANTS=yes (not with NODE_ENV=production).',
  )
}
