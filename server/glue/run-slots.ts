// Limits how many calls of glue endpoints run at the same time.
import type { TenantId } from '../../db/connect.js'
import { createKeyedQueue } from '../../runtime/load/keyed-queue.js'
import { Problem } from '../../runtime/problems/problem.js'

/** How many endpoint runs an API process's worker executes at once. A run mostly waits for a provider. */
export const runSlots = 256

/**
 * How long a call waits, in ms: first for a free slot of its endpoint, and then as long again for one of its tenant. With the 25 s of the
 * run these are the 30 s for which callers wait.
 */
const waitTimeoutMs = 2_500

/**
 * Runs a call as soon as a slot is free.
 * @throws Problem 429 if too many calls are under way.
 */
type RunInSlot = <T>(tenant: TenantId, endpointKey: string, work: () => Promise<T>) => Promise<T>

/**
 * Limits the concurrent calls of endpoints, so that a slow endpoint blocks neither the tenant's other endpoints nor
 * other tenants. Each process has its own slots, so two processes run twice as many calls.
 */
export function createRunSlots(): RunInSlot {
  const limits = { waitTimeoutMs, maxWaiting: 100, late: tooManyCalls, tooMany: tooManyCalls }
  const endpoints = createKeyedQueue<string>({ ...limits, atOnce: 40, ofAll: Number.POSITIVE_INFINITY })
  const tenants = createKeyedQueue<TenantId>({ ...limits, atOnce: 60, ofAll: runSlots })
  return (tenant, endpointKey, work) => endpoints.run(`${tenant}/${endpointKey}`, () => tenants.run(tenant, work))
}

const tooManyCalls = (): Problem =>
  new Problem(
    'too-many-calls',
    'Too many calls of this endpoint, or of all endpoints of the tenant, are under way. Nothing was done. Send fewer at once.',
    [],
    { 'Retry-After': '5' },
  )
