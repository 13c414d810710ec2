// Tenants whose rows the platform's own work leaves alone.
import type { Knex } from 'knex'
import type { MoveState } from './move-states.js'

const away: MoveState[] = ['frozen', 'moved', 'arriving', 'gone']

/** Query for tenants that this cell does not serve now, although it may have rows of them: those that move. A few at most. */
export const tenantsAway = (db: Knex): Knex.QueryBuilder =>
  db('tenant_moves').whereIn('state', away).select('tenant_id')
