// States of circuit breakers, which processes report for operators.
import type { Knex } from 'knex'
import type { Db, TenantId } from '../../connect.js'
import { upsertRows } from '../../rows.js'

/** Whether a process calls a provider at the moment: `half-open` while a single call tries it. */
export type CircuitState = 'closed' | 'open' | 'half-open'

export interface Circuit {
  provider_key: string
  process: string
  state: CircuitState
  /** Reason of the last failure, without anything the provider said. */
  last_failure: string | null
  changed_at: Date
}

/** A process that has not been heard of for so long is gone: five times the interval of the heartbeat. */
const silenceMs = 10_000
const dayMs = 86_400_000

/** How processes find the providers of a tenant. */
export const circuitStore = (db: Db, tenant: TenantId) => ({
  /** Notes a change of state; forgets what processes noted that nobody has heard of for a day. */
  async save({ provider_key, process, state, last_failure, changed_at }: Circuit): Promise<void> {
    const columns = ['tenant_id', 'provider_key', 'process', 'state', 'last_failure', 'changed_at']
    const row = [tenant, provider_key, process, state, last_failure?.slice(0, 255) ?? null, changed_at]
    await upsertRows(db, 'glue_circuits', columns, [row], ['state', 'last_failure', 'changed_at'])
    await db('glue_circuits')
      .where({ tenant_id: tenant })
      .where('changed_at', '<', new Date(Date.now() - dayMs))
      .whereNotIn('process', db('worker_heartbeats').select('worker'))
      .delete()
  },

  /** The circuits of living processes that have had a failure, by provider and process. */
  living: (): Promise<Circuit[]> =>
    living(db)
      .where({ tenant_id: tenant })
      .orderBy(['provider_key', 'process'])
      .select('provider_key', 'process', 'state', 'last_failure', 'changed_at'),
})

/** How many circuits of living processes there are in each state, over all tenants. */
export async function countCircuits(db: Knex): Promise<{ state: CircuitState; circuits: number }[]> {
  const rows: { state: CircuitState; circuits: number }[] = await living(db)
    .whereIn('tenant_id', db('tenants').select('id'))
    .groupBy('state')
    .select('state', db.raw('COUNT(*) AS circuits'))
  return rows.map(({ state, circuits }) => ({ state, circuits: Number(circuits) }))
}

const living = (db: Db) =>
  db('glue_circuits').whereIn(
    'process',
    db('worker_heartbeats')
      .where('seen_at', '>=', new Date(Date.now() - silenceMs))
      .select('worker'),
  )
