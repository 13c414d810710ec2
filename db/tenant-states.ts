// Selects tenants by their state, for work that goes through all tenants.
import type { Knex } from 'knex'
import type { Db } from './connect.js'

/**
 * Selects the ids of the tenants that are not suspended. Retention is for these alone: an export or an import of a suspended tenant goes
 * through its tables one after the other, and a row that is deleted meanwhile would leave others behind that belong to it. A tenant is
 * suspended too while it is being deleted or imported.
 */
export const activeTenants = (db: Db): Knex.QueryBuilder => db('tenants').whereNull('suspended_at').select('id')

/** Selects the ids of the tenants that nobody finds, because they are being deleted or imported. */
export const hiddenTenants = (db: Db): Knex.QueryBuilder => db('tenants').whereNotNull('deletion_job_id').select('id')
