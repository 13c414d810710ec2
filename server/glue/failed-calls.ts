// Counts the calls of endpoints that are refused or fail, and lists them for operators and for the tenant itself.
import type { Knex } from 'knex'
import Type from 'typebox'
import { tenantIdOf } from '../../db/admin/tenants.js'
import type { TenantId } from '../../db/connect.js'
import { addFailedCalls, type FailedCalls, latestFailedCalls, maxListed } from '../../db/glue/endpoints/failed-calls.js'
import type { Log } from '../../runtime/observe/log.js'
import { problemKinds } from '../../runtime/problems/problem-codes.js'
import { type Endpoint, endpoint, ok } from '../endpoint.js'

/** How long calls are counted in this process before they are written, in ms, so that a flood of them costs one statement. */
const saveEveryMs = 2_000

export type CountFailedCall = (call: Omit<FailedCalls, 'calls'>) => void

/** Creates the function that counts failed calls. Callers never wait for it. */
export function createFailedCallCounter({ db, log }: { db: Knex; log: Pick<Log, 'warn'> }): CountFailedCall {
  let counted = new Map<string, FailedCalls>()

  async function save(): Promise<void> {
    const rows = [...counted.values()]
    counted = new Map()
    await addFailedCalls(db, rows).catch(err => log.warn({ err, rows }, 'failed calls of endpoints could not be saved'))
  }

  return call => {
    if (counted.size === 0) setTimeout(save, saveEveryMs).unref()
    const key = `${call.tenantId}/${call.endpointKey}/${call.code}`
    counted.set(key, { ...call, calls: (counted.get(key)?.calls ?? 0) + 1 })
  }
}

const FailedCall = Type.Object(
  {
    endpointKey: Type.String(),
    status: Type.Integer(),
    code: Type.String({ description: 'The code of the problem that callers got.' }),
    hour: Type.String({ format: 'date-time', description: 'The beginning of the hour.' }),
    calls: Type.Integer({ description: 'How many calls of this hour were answered so.' }),
    lastAt: Type.String({ format: 'date-time' }),
    traceId: Type.String({ description: 'The trace of the last one. The log has its cause under this id.' }),
  },
  { $id: 'FailedCall' },
)

/** Shows which endpoints refuse callers or fail. */
export const failedCallRoutes = ({ db }: { db: Knex }): Endpoint[] => {
  const list = async (tenant: TenantId) => {
    const rows = await latestFailedCalls(db, tenant)
    return ok(
      rows.map(({ endpoint_key, code, hour, calls, last_at, trace_id }) => ({
        endpointKey: endpoint_key,
        status: problemKinds[code].status,
        code,
        hour: hour.toISOString(),
        calls,
        lastAt: last_at.toISOString(),
        traceId: trace_id,
      })),
    )
  }
  const answers = { 200: Type.Array(FailedCall) }
  const what = `Calls that were answered with a problem are counted by endpoint, code and hour, and shown some seconds later, for seven days. The latest hours come first, ${maxListed.toLocaleString('en')} rows at most; the list is not paged. Nothing of the calls themselves is kept.`
  return [
    endpoint({
      operationId: 'listFailedCalls',
      summary: 'Calls of endpoints that were refused or failed',
      description: `Lists which endpoints of the tenant refused their callers or failed, directly or in a run. ${what}`,
      tag: 'Endpoints',
      scopes: ['FrameApi'],
      method: 'get',
      path: '/api/v1/failedCalls',
      permission: 'View:FailedCall',
      answers,
      handle: ({ caller }) => list(caller.tenantId),
    }),
    endpoint({
      operationId: 'listFailedCallsOfTenant',
      summary: 'Calls of endpoints of a tenant that were refused or failed',
      description: `Shows an operator which endpoints of a tenant refused their callers or failed, as listFailedCalls shows the tenant. ${what}`,
      tag: 'Administration',
      guide: 'glue',
      scopes: ['PlatformAdmin'],
      permission: 'List:FailedCall',
      method: 'get',
      path: '/admin/v1/tenants/:tenantKey/failedCalls',
      answers,
      handle: async ({ params }) => list(await tenantIdOf(db, params.tenantKey ?? '')),
    }),
  ]
}
