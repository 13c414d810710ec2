// The scopes and permissions that a client has at this moment, read through a short cache.
import type { Client, ClientStore } from '../../db/identity/clients.js'
import { cached } from '../../runtime/cache.js'

/** The platform's grants to a client at this moment, whatever its token says. */
export interface Grant {
  readonly tenantId: number
  readonly clientId: string
  /** Scopes the client has. */
  readonly scopes: ReadonlySet<string>
  readonly limits: Record<string, unknown>
  /** True when a permission such as `Edit:Subject` is granted, by name or by `*`, `Edit:*` or `*:Subject`. */
  allows(permission: string): boolean
  /** Those scopes of a token that the client still has. */
  effective(tokenScopes: readonly string[]): string[]
}

export interface Grants {
  /**
   * The grant of a client of a tenant; undefined when it is unknown, disabled or of another tenant.
   * @throws the database's error when it is away.
   */
  for(tenantKey: string, clientId: string): Promise<Grant | undefined>
}

/** Reads grants through a cache: a revocation works after at most `ttlMs` (default 3 s, 5 s are promised). */
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
    allows(permission) {
      const [action, resource] = permission.split(':')
      return [permission, '*', '*:*', `${action}:*`, `*:${resource}`].some(name => granted.has(name))
    },
    effective: tokenScopes => tokenScopes.filter(scope => held.has(scope)),
  }
}
