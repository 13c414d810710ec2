// Rows of a tenant are found by the tenant first, in every table that has any.
import { expect, test } from 'vitest'
import { openDatabase } from '../support/factories.js'

/** Tables whose rows belong to the installation and to no tenant. */
const ofTheInstallation = [
  'oidc_records',
  'provider_queues',
  'rate_counts',
  'replica_heartbeats',
  'schema_steps',
  'schema_steps_begun',
  'schema_steps_lock',
  'signing_keys',
  // Its own key is the tenant.
  'tenants',
  'worker_heartbeats',
]

const db = openDatabase()

test('every primary key begins with the tenant, except in tables of the whole installation', async () => {
  const [tables]: { name: string; first: string | null }[][] = await db.raw(
    `SELECT t.table_name AS name, s.column_name AS first FROM information_schema.tables t
     LEFT JOIN information_schema.statistics s ON s.table_schema = t.table_schema AND s.table_name = t.table_name
       AND s.index_name = 'PRIMARY' AND s.seq_in_index = 1
     WHERE t.table_schema = DATABASE() AND t.table_type = 'BASE TABLE'`,
  )
  const others = tables?.flatMap(({ name, first }) => (first === 'tenant_id' ? [] : [name]))
  expect(others?.sort()).toEqual(ofTheInstallation)
})
