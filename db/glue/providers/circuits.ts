// Stores the states of circuit breakers, as worker processes report them, for operators to see.
import type { Knex } from 'knex'
import { ago, presentTime } from '../../clock.js'
import type { Db, TenantId } from '../../connect.js'
import { silenceTimeoutMs } from '../../jobs/workers.js'
import { upsertRows } from '../../rows.js'

/** The state of a process's circuit breaker for a provider. `half-open`: one trial call is under way. */
export type CircuitState = 'closed' | 'open' | 'half-open'

export interface Circuit {
  provider_key: string
  process: string
  state: CircuitState
  /** Reason of the last failure, in our words: nothing of the provider's answer is stored. */
  last_failure: string | null
  changed_at: Date
}

const dayMs = 86_400_000

/** Stores and lists the circuit breakers of one tenant's providers. */
export const circuitStore = (db: Db, tenant: TenantId) => ({
  /** Saves a state, and deletes the states of processes that have not sent a heartbeat for a day. */
  async save({ provider_key, process, state, last_failure }: Omit<Circuit, 'changed_at'>): Promise<void> {
    const columns = ['tenant_id', 'provider_key', 'process', 'state', 'last_failure', 'changed_at']
    const row = [tenant, provider_key, process, state, last_failure?.slice(0, 255) ?? null, presentTime]
    await upsertRows(db, 'glue_circuits', columns, [row], ['state', 'last_failure', 'changed_at'])
    // Read apart: on Vitess the two tables are on different servers, and a statement that writes can read from one only.
    const workers: string[] = await db('worker_heartbeats').pluck('worker')
    await db('glue_circuits')
      .where({ tenant_id: tenant, provider_key, process })
      .update({ failing_since: db.raw("IF(state = 'closed', NULL, COALESCE(failing_since, changed_at))") })
    await db('glue_circuits')
      .where({ tenant_id: tenant })
      .where('changed_at', '<', ago(db, dayMs))
      .whereNotIn('process', workers)
      .delete()
  },

  /**
   * Lists the circuits that running processes have reported, by provider and process. A circuit is reported from its
   * first failure on.
   */
  living: (): Promise<Circuit[]> =>
    livingCircuits(db)
      .where({ tenant_id: tenant })
      .orderBy(['provider_key', 'process'])
      .select('provider_key', 'process', 'state', 'last_failure', 'changed_at'),
})

/** Counts the circuits of running processes in each state, over all tenants. */
export async function countCircuits(db: Knex): Promise<{ state: CircuitState; circuits: number }[]> {
  const rows: { state: CircuitState; circuits: number }[] = await livingCircuits(db)
    .whereIn('tenant_id', db('tenants').select('id'))
    .groupBy('state')
    .select('state', db.raw('COUNT(*) AS circuits'))
  return rows.map(({ state, circuits }) => ({ state, circuits: Number(circuits) }))
}

/** Selects the circuits that running processes have reported. */
export const livingCircuits = (db: Db): Knex.QueryBuilder =>
  db('glue_circuits').whereIn(
    'process',
    db('worker_heartbeats').where('seen_at', '>=', ago(db, silenceTimeoutMs)).select('worker'),
  )
