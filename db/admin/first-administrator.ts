// Creates the first client of a new installation.
import { randomBytes } from 'node:crypto'
import { pathToFileURL } from 'node:url'
import type { Knex } from 'knex'
import { newId } from '../../runtime/ids.js'
import { isGranted } from '../../runtime/secrets/permissions.js'
import { createSecretHasher, standardHashCost } from '../../runtime/secrets/secrets.js'
import { asAction } from '../audit/action.js'
import { connect } from '../connect.js'
import { withDatabase } from '../reachable.js'
import { emptyTenant } from './manifest.js'
import { applyManifest, readManifest } from './tenants.js'

/**
 * Creates the client that writes the first manifest: `platform-admin` of the tenant `platform`, with a random secret.
 * It does so only if no client of the installation could write one, so it also helps when the last administrator was
 * removed.
 * @returns the secret, or undefined if there already is an administrator.
 */
export async function firstAdministrator(db: Knex): Promise<string | undefined> {
  const clients: StoredClient[] = await db('clients').where({ disabled: 0 }).select('scopes', 'permissions')
  if (clients.some(mayWriteManifests)) return undefined
  const before = (await readManifest(db, 'platform')) ?? emptyTenant('platform', 'Platform')
  const secret = randomBytes(32).toString('base64url')
  const administrator = {
    id: 'platform-admin',
    name: 'Platform administrator',
    secret,
    scopes: ['PlatformAdmin'],
    permissions: ['*'],
    disabled: false,
  }
  const kept = before.clients.filter(({ id }) => id !== administrator.id)
  const manifest = { ...before, clients: [...kept, administrator] }
  const origin = { client: 'installation', traceId: newId(), ids: [], members: [] }
  await asAction({ ...origin, action: 'createFirstAdministrator', kind: 'tenant' }, () =>
    applyManifest(db, createSecretHasher(standardHashCost), manifest),
  )
  return secret
}

interface StoredClient {
  scopes: string
  permissions: string
}

const mayWriteManifests = ({ scopes, permissions }: StoredClient): boolean =>
  JSON.parse(scopes).includes('PlatformAdmin') && isGranted(new Set(JSON.parse(permissions)), 'Edit:Tenant')

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await withDatabase(async url => {
    const db = connect(url, { poolSize: 2 })
    const secret = await firstAdministrator(db)
    await db.destroy()
    console.log(
      secret === undefined
        ? 'There already is an administrator, that is, a client with the scope PlatformAdmin and the permission Edit:Tenant. Nothing was changed.'
        : `Created the client platform-admin of the tenant platform. Its secret, shown only now: ${secret}
Next, for yourself: ARMATURE_TENANT=platform ARMATURE_CLIENT_ID=platform-admin ARMATURE_CLIENT_SECRET=… armature account platform you@example.org --name "Your name" --role admin`,
    )
  })
}
