// Inserts the row of a new job.
import type { Knex } from 'knex'
import { traceParent } from '../../runtime/observe/tracing.js'
import type { JobKind, Queue } from '../../workflows/jobs/contracts.js'
import { tellIds } from '../audit/action.js'
import type { TenantId } from '../connect.js'

export interface NewJob {
  id: string
  kind: JobKind
  queue: Queue
  actor: string
  workflowId: string
  traceId: string
  /** Units of work, for the progress. An estimate for kinds whose total grows. */
  total: number
  /**
   * What the job is asked to do, stored as JSON in its row, where each step finds it as `job.input`. Large or personal
   * data belongs into a table of the kind instead. The items of a bulk, for example, are its chunks.
   */
  input?: object | undefined
  planVersion?: number | undefined
  /** The data set that the job refreshes, by which jobs can be listed. */
  dataSet?: string | undefined
  idempotency?: { key: string; hash: string } | undefined
}

/**
 * Inserts a job, in the transaction that also writes the rest of its input. Once that commits, the job cannot be lost:
 * the outbox starts it if nobody else does.
 */
export async function createJob(trx: Knex.Transaction, tenant: TenantId, job: NewJob): Promise<void> {
  // A transfer moves the assignments made before it was accepted. The database's clock dates those, so it dates the job
  // too.
  const now = trx.fn.now(3)
  tellIds([job.id])
  await trx('jobs').insert({
    tenant_id: tenant,
    id: job.id,
    kind: job.kind,
    status: 'Accepted',
    queue: job.queue,
    actor: job.actor,
    workflow_id: job.workflowId,
    trace_id: job.traceId,
    trace_parent: traceParent() ?? null,
    total: job.total,
    plan_version: job.planVersion ?? 0,
    data_set: job.dataSet ?? null,
    counts: JSON.stringify({}),
    input: job.input === undefined ? null : JSON.stringify(job.input),
    idempotency_key: job.idempotency?.key ?? null,
    request_hash: job.idempotency?.hash ?? null,
    accepted_at: now,
  })
}
