// Creates the first client of an empty installation.
import { randomBytes } from 'node:crypto'
import { pathToFileURL } from 'node:url'
import type { Knex } from 'knex'
import { createSecretHasher, standardHashCost } from '../../runtime/secrets.js'
import { connect } from '../connect.js'
import { emptyTenant } from './manifest.js'
import { applyManifest, readManifest } from './tenants.js'

/**
 * Makes the client that writes the first manifest: `platform-admin` of the tenant `platform`, with a random secret.
 * Only while no client of the installation could do it, so it is also the way back when the last one was removed.
 * @returns the secret, or undefined when there is an administrator already.
 */
export async function firstAdministrator(db: Knex): Promise<string | undefined> {
  const clients: { scopes: string }[] = await db('clients').where({ disabled: 0 }).select('scopes')
  if (clients.some(({ scopes }) => JSON.parse(scopes).includes('PlatformAdmin'))) return undefined
  const before = (await readManifest(db, 'platform')) ?? emptyTenant('platform', 'Platform')
  const secret = randomBytes(32).toString('base64url')
  const administrator = {
    id: 'platform-admin',
    name: 'Platform administrator',
    secret,
    scopes: ['PlatformAdmin'],
    permissions: [],
    disabled: false,
  }
  const kept = before.clients.filter(({ id }) => id !== administrator.id)
  await applyManifest(db, createSecretHasher(standardHashCost), { ...before, clients: [...kept, administrator] })
  return secret
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const url = process.env.DATABASE_URL
  if (!url) throw new Error('DATABASE_URL is not set (mysql://user:password@host:port/database)')
  const db = connect(url, { poolSize: 2 })
  const secret = await firstAdministrator(db)
  await db.destroy()
  console.log(
    secret === undefined
      ? 'There is an administrator already: a client with the scope PlatformAdmin. Nothing was changed.'
      : `Client platform-admin of tenant platform; its secret, shown once: ${secret}`,
  )
}
