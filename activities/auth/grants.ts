// Reads what clients and people may do at present, through a short cache.
import type { Account, AccountFinder } from '../../db/identity/accounts.js'
import type { Client, ClientStore } from '../../db/identity/clients.js'
import { cached } from '../../runtime/load/cache.js'
import { accountIdOf, actorOf, personActor } from '../../runtime/secrets/actors.js'
import { isGranted } from '../../runtime/secrets/permissions.js'
import { allowedBy } from '../../runtime/secrets/roles.js'

/** The scopes and permissions that a client or a person has now. They may have changed since a token was issued. */
export interface Grant {
  readonly tenantId: number
  /** The client's id, or `account:<id>` for a person (`actorOf` of runtime/secrets/actors.ts). */
  readonly clientId: string
  /** The scopes of the client, or of the person's roles. */
  readonly scopes: ReadonlySet<string>
  readonly limits: Record<string, unknown>
  /** Tells whether a permission such as `Edit:Subject` is granted, also by a wildcard. */
  allows(permission: string): boolean
  /** Returns those scopes of a token that it still has. */
  effective(tokenScopes: readonly string[]): string[]
}

export interface Grants {
  /**
   * Returns the grant of a client or a person. Undefined if it is unknown, disabled or of another tenant.
   * @param actor see runtime/secrets/actors.ts. @throws the database's error if it is not available.
   */
  for(tenantKey: string, actor: string): Promise<Grant | undefined>
  /** Returns the grant of the client or person that a token names. Undefined also if the person was signed out everywhere after it was issued. */
  ofToken(tenantKey: string, token: Bearer): Promise<Grant | undefined>
}

type Bearer = Parameters<typeof actorOf>[0] & { tokenVersion: number }

/**
 * Creates access to grants through a cache. A revocation takes effect within `ttlMs`: by default 3 s, where 5 s are
 * promised.
 */
export function createGrants({
  clients,
  accounts,
  ttlMs = 3000,
}: {
  clients: ClientStore
  accounts: AccountFinder
  ttlMs?: number
}): Grants {
  const read = cached(
    async (actor: string) => {
      const id = accountIdOf(actor)
      const found = await (id === undefined ? clients.byClientId(actor) : accounts.byId(id))
      if (!found || found.disabled) return undefined
      const { tenantKey } = found
      return 'id' in found
        ? { tenantKey, grant: grantOf(rightsOf(found)), tokenVersion: found.tokenVersion }
        : { tenantKey, grant: grantOf(found), tokenVersion: 0 }
    },
    { ttlMs },
  )
  return {
    async for(tenantKey, actor) {
      const known = await read(actor)
      return known?.tenantKey === tenantKey ? known.grant : undefined
    },
    async ofToken(tenantKey, token) {
      const known = await read(actorOf(token))
      // A version above the cached one was issued after the account was read.
      return known?.tenantKey === tenantKey && token.tokenVersion >= known.tokenVersion ? known.grant : undefined
    },
  }
}

type Rights = Pick<Client, 'tenantId' | 'clientId' | 'scopes' | 'permissions' | 'limits'>

const rightsOf = ({ tenantId, tenantKey, id, roles, limits }: Account): Rights => ({
  tenantId,
  clientId: personActor(id),
  limits,
  ...allowedBy(tenantKey, roles),
})

function grantOf({ tenantId, clientId, scopes, permissions, limits }: Rights): Grant {
  const held = new Set(scopes)
  const granted = new Set(permissions)
  return {
    tenantId,
    clientId,
    scopes: held,
    limits,
    allows: permission => isGranted(granted, permission),
    effective: tokenScopes => tokenScopes.filter(scope => held.has(scope)),
  }
}
