// Inserts jobs with their input, in the transaction that accepts them.
import type { Knex } from 'knex'
import { createJob, type NewJob } from '../../db/jobs/create.js'
import { newId } from '../../runtime/ids.js'
import { type JobKind, workflowIdOf } from '../../workflows/jobs/contracts.js'
import type { Caller } from '../caller.js'
import type { Request } from '../endpoint.js'

export type AnyRequest = Request<unknown, unknown>

/** The parts of a request that its job needs: they are stored with it, logged, or identify the caller. */
export type JobRequest = Pick<AnyRequest, 'idempotency' | 'traceId' | 'log'> & {
  caller: Pick<Caller, 'tenantKey' | 'tenantId' | 'clientId'>
}

/** Describes the work of a new job. */
export interface Work extends Pick<NewJob, 'total' | 'queue' | 'input' | 'planVersion' | 'dataSet'> {
  /**
   * Keeps the job if Temporal is away, for the outbox to start later. Otherwise the job is withdrawn and its caller
   * gets 503.
   */
  keepWhenTemporalAway?: boolean
  /**
   * Adds the request to an open job that does the same work already. It is called in the transaction that would
   * otherwise create a new job.
   * @returns the id of that job, or undefined if there is none.
   */
  join?(trx: Knex.Transaction): Promise<string | undefined>
  /** Writes further rows in the transaction that creates the job. */
  write?(trx: Knex.Transaction, jobId: string): Promise<void>
}

/** Inserts a job with its input. Once the transaction commits, the job cannot be lost. @returns its id. */
export async function acceptJob(
  trx: Knex.Transaction,
  { caller, traceId, idempotency }: JobRequest,
  kind: JobKind,
  { write, keepWhenTemporalAway: _, join: __, ...work }: Work,
): Promise<string> {
  const id = newId()
  const workflowId = workflowIdOf(kind, { tenantKey: caller.tenantKey, jobId: id })
  const job = { ...work, id, kind, actor: caller.clientId, workflowId, traceId, idempotency }
  await createJob(trx, caller.tenantId, job)
  await write?.(trx, id)
  return id
}
