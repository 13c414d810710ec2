// Accepts jobs exactly once for each `Idempotency-Key`.
import type { Knex } from 'knex'
import type { Run } from '../../activities/jobs/start-run.js'
import { createJob, type NewJob } from '../../db/jobs/create.js'
import { type JobRow, jobStore } from '../../db/jobs/jobs.js'
import { newId } from '../../runtime/ids.js'
import { traceParent } from '../../runtime/tracing.js'
import { type JobKind, workflowIdOf } from '../../workflows/jobs/contracts.js'
import type { Caller } from '../caller.js'
import type { Request } from '../endpoint.js'
import { keyReused } from '../idempotency.js'

export type AnyRequest = Request<unknown, unknown>

/** The parts of a request that its job keeps. */
export type JobRequest = Pick<AnyRequest, 'idempotency' | 'traceId' | 'log'> & {
  caller: Pick<Caller, 'tenantKey' | 'tenantId' | 'clientId'>
}

/** The work of a new job, pending or already done. */
export interface Work extends Pick<NewJob, 'total' | 'queue' | 'input' | 'planVersion' | 'done' | 'hasRun'> {
  /** While Temporal is away it stays accepted, and the outbox starts it; otherwise it is taken back. */
  stays?: boolean
  /**
   * Adds the request to a job under way that does what is asked for, in the transaction that would accept a new one.
   * @returns the job; undefined where there is none.
   */
  join?(trx: Knex.Transaction): Promise<string | undefined>
  /** Writes further rows in the transaction that creates the job. */
  write?(trx: Knex.Transaction, jobId: string): Promise<void>
}

/** A job that is about to be accepted. */
export function newRun(
  { caller }: JobRequest,
  kind: JobKind,
  { queue, total, input }: Pick<Work, 'queue' | 'total' | 'input'>,
): Run {
  const id = newId()
  const workflowId = workflowIdOf(kind, { tenantKey: caller.tenantKey, jobId: id })
  const stored = input === undefined ? null : JSON.stringify(input)
  return {
    id,
    kind,
    queue,
    actor: caller.clientId,
    workflow_id: workflowId,
    total,
    input: stored,
    attempt: 1,
    trace_parent: traceParent() ?? null,
  }
}

/** Writes a job down with all that belongs to it. Once the transaction commits, it is not lost. */
export async function acceptJob(
  trx: Knex.Transaction,
  request: JobRequest,
  kind: JobKind,
  { write, stays: _, join: __, ...work }: Work,
  run = newRun(request, kind, work),
): Promise<Run> {
  const { caller, traceId, idempotency } = request
  const { id, actor, workflow_id: workflowId } = run
  await createJob(trx, caller.tenantId, { ...work, id, kind, actor, workflowId, traceId, idempotency })
  await write?.(trx, id)
  return run
}

/**
 * Runs `make` once for an `Idempotency-Key`, even for repeated or concurrent requests. Every later request gets the
 * job of the first.
 * @throws the errors of `make`; Problem 422 when the key belongs to another request.
 */
export async function oncePerKey<Made>(
  db: Knex,
  request: JobRequest,
  make: () => Promise<Made>,
): Promise<{ made: Made; earlier?: undefined } | { made?: undefined; earlier: JobRow }> {
  const before = await earlierJob(db, request)
  if (before) return { earlier: before }
  try {
    return { made: await make() }
  } catch (error) {
    // The same request may just have taken the key, or done what makes this one impossible.
    const first = await earlierJob(db, request)
    if (!first) throw error
    return { earlier: first }
  }
}

async function earlierJob(db: Knex, request: JobRequest): Promise<JobRow | undefined> {
  const { idempotency: own } = request
  if (own === undefined) return undefined
  const job = await jobStore(db, request.caller.tenantId).byIdempotencyKey(request.caller.clientId, own.key)
  if (!job || job.request_hash === own.hash) return job
  throw keyReused()
}
