// The tenants and clients that a cell has, for the router.
import type { Knex } from 'knex'
import type { MoveState } from './move-states.js'

/** How a cell has a tenant: it serves it, waits for it, or has sent it to another cell. */
export type Presence = 'served' | 'arriving' | 'moved'

/** A tenant with one of its clients; `clientId` is null for a tenant without clients. */
export interface DirectoryEntry {
  tenantKey: string
  clientId: string | null
  presence: Presence
}

const notServed: MoveState[] = ['arriving', 'moved']

/** Reads all tenants of a cell with their clients, in one snapshot: a tenant that moves is never in neither list. */
export const readDirectory = (db: Knex): Promise<DirectoryEntry[]> =>
  db('tenants as t')
    .leftJoin('clients as c', 'c.tenant_id', 't.id')
    .select('t.tenant_key as tenantKey', 'c.client_id as clientId', db.raw("'served' as presence"))
    .unionAll(
      db('tenant_moves as m')
        .leftJoin('clients as c', 'c.tenant_id', 'm.tenant_id')
        .whereIn('m.state', notServed)
        .select('m.tenant_key as tenantKey', 'c.client_id as clientId', 'm.state as presence'),
    )
