// Stores which calls of endpoints were refused or failed, in one row for each endpoint, problem code and hour.
import type { Knex } from 'knex'
import type { ProblemCode } from '../../../runtime/problems/problem-codes.js'
import { ago } from '../../clock.js'
import type { Db, TenantId } from '../../connect.js'

/** Calls of one endpoint that got the same problem. Nothing in it is from the call itself. */
export interface FailedCalls {
  tenantId: TenantId
  endpointKey: string
  code: ProblemCode
  calls: number
  /** The trace of the last of them, by which the log has its cause. */
  traceId: string
}

export interface FailedCallsRow {
  endpoint_key: string
  code: ProblemCode
  /** The beginning of the hour in which they were answered. */
  hour: Date
  calls: number
  last_at: Date
  trace_id: string
}

/** How long a row is kept, in ms. */
const keptMs = 7 * 86_400_000
/** How many rows a list has at most. */
export const maxListed = 1_000

/** Adds calls to the rows of the present hour, by the database's clock. */
export async function addFailedCalls(db: Knex, added: readonly FailedCalls[]): Promise<void> {
  const hour = "DATE_FORMAT(CURRENT_TIMESTAMP, '%Y-%m-%d %H:00:00')"
  const rows = added.map(() => `(?, ${hour}, ?, ?, ?, CURRENT_TIMESTAMP(3), ?)`).join(', ')
  await db.raw(
    `INSERT INTO glue_failed_calls (tenant_id, hour, endpoint_key, code, calls, last_at, trace_id) VALUES ${rows}
     ON DUPLICATE KEY UPDATE calls = calls + VALUES(calls), last_at = VALUES(last_at), trace_id = VALUES(trace_id)`,
    added.flatMap(({ tenantId, endpointKey, code, calls, traceId }) => [tenantId, endpointKey, code, calls, traceId]),
  )
}

/** Lists the failed calls of a tenant's endpoints, the latest hours first. */
export const latestFailedCalls = (db: Db, tenant: TenantId): Promise<FailedCallsRow[]> =>
  db('glue_failed_calls')
    .where({ tenant_id: tenant })
    .orderBy(['hour', 'endpoint_key', 'code'].map(column => ({ column, order: 'desc' })))
    .limit(maxListed)
    .select('endpoint_key', 'code', 'hour', 'calls', 'last_at', 'trace_id')

/** Deletes the rows of all tenants that are no longer kept. */
export async function forgetFailedCalls(db: Knex): Promise<void> {
  for (const tenant of await db('glue_failed_calls').distinct('tenant_id').pluck<TenantId[]>('tenant_id'))
    await db('glue_failed_calls').where({ tenant_id: tenant }).where('hour', '<', ago(db, keptMs)).delete()
}
