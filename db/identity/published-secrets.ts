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

/** The password of the demo people. Everybody can read it here. */
export const publishedPassword = 'these words are published'

/** Anybody could use a client or an account of this installation, because its secret is public. */
export class PublishedSecret extends Error {
  override readonly name = 'PublishedSecret'
}

/**
 * Checks that no client has a secret published in this file, and nobody the published password. Called by installations that others
 * can reach.
 * @throws PublishedSecret that names such clients and accounts, and says what to do.
 */
export async function refusePublishedSecrets(db: Db): Promise<void> {
  const clients = await publishedClients(db)
  const people = await publishedAccounts(db)
  if (clients.length + people.length === 0) return
  const quoted = (all: readonly string[]) => all.map(each => `'${each}'`).join(', ')
  const found = [
    ...(clients.length > 0 ? [`the secrets of the clients ${clients.join(', ')}`] : []),
    ...(people.length > 0 ? [`the passwords of ${people.join(', ')}`] : []),
  ]
  throw new PublishedSecret(
    [
      `The API does not start: ${found.join(' and ')} are published with the source of Armature.`,
      '  To delete them:',
      ...(clients.length > 0 ? [`    DELETE FROM clients WHERE client_id IN (${quoted(clients)});`] : []),
      ...(people.length > 0 ? [`    DELETE FROM accounts WHERE email IN (${quoted(people)});`] : []),
      '  Then, for an administrator with a secret of its own:  node dist/db/admin/first-administrator.js',
      '  For a demonstration on a network that you trust, set DEMO_TENANTS=yes (not with NODE_ENV=production).',
    ].join('\n'),
  )
}

async function publishedClients(db: Db): Promise<string[]> {
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
  return found
}

/** Finds accounts by the addresses of the demo people, whose domain nobody else can have. */
async function publishedAccounts(db: Db): Promise<string[]> {
  const rows: { email: string; password_hash: string }[] = await db('accounts')
    .where('email', 'like', '%.example')
    .whereNotNull('password_hash')
    .where({ disabled: 0 })
    .orderBy('email')
    .select('email', 'password_hash')
  const found: string[] = []
  for (const { email, password_hash: hash } of rows) if (await verifySecret(publishedPassword, hash)) found.push(email)
  return found
}
