// Inserts the row of a new job.
import type { Knex } from 'knex'
import { traceParent } from '../../runtime/tracing.js'
import type { JobKind, Queue } from '../../workflows/jobs/contracts.js'
import type { TenantId } from '../connect.js'
import { noteEvents } from '../events.js'
import type { Counts } from './advance.js'

export interface NewJob {
  id: string
  kind: JobKind
  queue: Queue
  actor: string
  workflowId: string
  traceId: string
  /** Items that it will work through, for its progress. */
  total: number
  /** The input, where the job has no planned batch. */
  input?: object | undefined
  planVersion?: number | undefined
  idempotency?: { key: string; hash: string } | undefined
  /** Items by outcome, where all of it is done in the transaction that accepts it: then it is completed at once. */
  done?: Counts | undefined
  /** False where Temporal was away, and the job is done without a run. */
  hasRun?: boolean | undefined
}

/** Writes a job down inside the transaction that also writes its input: once that commits, the job is never lost. */
export async function createJob(trx: Knex.Transaction, tenant: TenantId, job: NewJob): Promise<void> {
  // By the database's clock, which also dates assignments: a transfer takes those that were there before.
  const now = trx.fn.now(3)
  const doneNow = { status: 'Completed', done: job.total, started_at: now, finished_at: now }
  await trx('jobs').insert({
    tenant_id: tenant,
    id: job.id,
    kind: job.kind,
    ...(job.done ? doneNow : { status: 'Accepted' }),
    queue: job.queue,
    actor: job.actor,
    workflow_id: job.workflowId,
    has_run: job.hasRun ?? true,
    trace_id: job.traceId,
    trace_parent: traceParent() ?? null,
    total: job.total,
    plan_version: job.planVersion ?? 0,
    counts: JSON.stringify(job.done ?? {}),
    input: job.input === undefined ? null : JSON.stringify(job.input),
    idempotency_key: job.idempotency?.key ?? null,
    request_hash: job.idempotency?.hash ?? null,
    accepted_at: now,
  })
  if (job.done) await noteEvents(trx, tenant, 'job', [{ id: job.id, kind: 'completed' }])
}
