// Administration endpoints that suspend tenants and let them go on.
import type { Knex } from 'knex'
import Type from 'typebox'
import { setSuspended, suspendedSince } from '../../db/admin/suspension.js'
import { tenantsKnownTo } from '../../db/admin/tenants.js'
import { conflict } from '../../runtime/problems/problem.js'
import { platformTenant } from '../../runtime/secrets/roles.js'
import type { Caller } from '../caller.js'
import { type Answer, type Endpoint, endpoint, ok } from '../endpoint.js'

const Suspension = Type.Object({
  suspendedAt: Type.Optional(Type.String({ format: 'date-time', description: 'Absent if it is not suspended.' })),
})

const common = {
  tag: 'Administration',
  scopes: ['PlatformAdmin'],
  path: '/admin/v1/tenants/:tenantKey/suspension',
  answers: { 200: Suspension },
} as const

/**
 * Refuses an operation that would keep out the one who asks for it, or all who look after the installation.
 * @throws Problem 409
 */
export function requireOther(caller: Caller, tenantKey: string, what: string): void {
  if (tenantKey !== caller.tenantKey && tenantKey !== platformTenant) return
  throw conflict(
    'own-tenant',
    `The tenant '${tenantKey}' cannot be ${what}: you, or those who operate the installation, belong to it.`,
  )
}

/** Shows, begins and ends the suspension of a tenant. */
export const suspensionRoutes = ({ db }: { db: Knex }): Endpoint[] => {
  const present = async (tenantKey: string): Promise<Answer> => {
    // Another process may have changed it within the last two seconds.
    tenantsKnownTo(db).forget(tenantKey)
    const since = await suspendedSince(db, tenantKey)
    return ok(since ? { suspendedAt: since.toISOString() } : {})
  }
  return [
    endpoint({
      ...common,
      operationId: 'getSuspension',
      summary: 'Whether a tenant is suspended, and since when',
      description:
        'Tells whether the callers of a tenant are refused and its work waits, as suspendTenant says. An unknown tenant is 404.',
      method: 'get',
      permission: 'View:Tenant',
      handle: ({ params }) => present(params.tenantKey ?? ''),
    }),
    endpoint({
      ...common,
      operationId: 'suspendTenant',
      summary: 'Suspend a tenant: its callers are refused, and its work waits',
      description:
        'Within two seconds every call of its clients and people is refused with 403 `tenant-suspended`. Its jobs do the step that is under way, within seconds unless they write one large file, and then wait; so do its schedules, webhooks and deliveries. Nothing of it is lost or given up, and resumeTenant lets it go on. A tenant that is suspended stays so. The own tenant, and `platform`, is refused with 409.',
      method: 'put',
      permission: 'Edit:Tenant',
      problems: ['own-tenant'],
      async handle({ params: { tenantKey = '' }, caller }) {
        requireOther(caller, tenantKey, 'suspended')
        await setSuspended(db, tenantKey, true)
        return present(tenantKey)
      },
    }),
    endpoint({
      ...common,
      operationId: 'resumeTenant',
      summary: 'Let a suspended tenant go on',
      description:
        'Within two seconds its callers are served again. Work that waits goes on after a tenth of the time that the suspension took, and after five minutes at the latest. A tenant that is not suspended stays as it is.',
      method: 'delete',
      permission: 'Edit:Tenant',
      async handle({ params: { tenantKey = '' } }) {
        await setSuspended(db, tenantKey, false)
        return present(tenantKey)
      },
    }),
  ]
}
