// Concurrency limits for calls of glue endpoints.
import type { TenantId } from '../../db/connect.js'
import { Problem } from '../../runtime/problem.js'
import { createTurns } from '../../runtime/turns.js'

/** Runs of endpoints that the worker of an API process holds at once: each waits for a provider most of its time. */
export const runSlots = 256

/** How long a call waits for its turn, in ms. With the 25 s of its run that is as long as callers wait. */
const waitMs = 5_000

/** Runs one call of an endpoint of a tenant when it is its turn. @throws Problem 429 when too many are under way. */
type CallTurn = <T>(tenant: TenantId, endpointKey: string, work: () => Promise<T>) => Promise<T>

/**
 * Limits the concurrent calls of endpoints in this process, so that a slow endpoint blocks neither the tenant's other
 * endpoints nor other tenants. The limit is per process, because each process has its own slots: two processes run
 * twice as many.
 */
export function createCallTurns(): CallTurn {
  const limits = { waitMs, mostWaiting: 100, late: tooManyCalls, tooMany: tooManyCalls }
  const endpoints = createTurns<string>({ ...limits, atOnce: 40, ofAll: Number.POSITIVE_INFINITY })
  const tenants = createTurns<TenantId>({ ...limits, atOnce: 60, ofAll: runSlots })
  return (tenant, endpointKey, work) => endpoints.run(`${tenant}/${endpointKey}`, () => tenants.run(tenant, work))
}

const tooManyCalls = (): Problem =>
  new Problem(
    'too-many-calls',
    'Too many calls of the endpoint, or of endpoints of the tenant, are under way. Nothing was done. Send fewer at once.',
    [],
    { 'Retry-After': '5' },
  )
