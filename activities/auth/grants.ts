// Reads the current scopes and permissions of clients through a short cache.
import type { Client, ClientStore } from '../../db/identity/clients.js'
import { cached } from '../../runtime/load/cache.js'
import { isGranted } from '../../runtime/secrets/permissions.js'

/** What a client may do at this moment, whatever its token says. */
export interface Grant {
  readonly tenantId: number
  readonly clientId: string
  /** The client's scopes. */
  readonly scopes: ReadonlySet<string>
  readonly limits: Record<string, unknown>
  /** Tells whether a permission such as `Edit:Subject` is granted, also by a wildcard. */
  allows(permission: string): boolean
  /** Returns those scopes of a token that the client still has. */
  effective(tokenScopes: readonly string[]): string[]
}

export interface Grants {
  /**
   * Returns the grant of a client. Undefined if the client is unknown, disabled or of another tenant.
   * @throws the database's error if it is not available.
   */
  for(tenantKey: string, clientId: string): Promise<Grant | undefined>
}

/**
 * Creates access to grants through a cache. A revocation takes effect within `ttlMs`: by default 3 s, where 5 s are
 * promised.
 */
export function createGrants({ clients, ttlMs = 3000 }: { clients: ClientStore; ttlMs?: number }): Grants {
  const read = cached(
    async (clientId: string) => {
      const client = await clients.byClientId(clientId)
      return client && !client.disabled ? { tenantKey: client.tenantKey, grant: grantOf(client) } : undefined
    },
    { ttlMs },
  )
  return {
    async for(tenantKey, clientId) {
      const known = await read(clientId)
      return known?.tenantKey === tenantKey ? known.grant : undefined
    },
  }
}

function grantOf({ tenantId, clientId, scopes, permissions, limits }: Client): Grant {
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
