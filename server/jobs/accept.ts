// Writes jobs down with their input, in the transaction that accepts them.
import type { Knex } from 'knex'
import { createJob, type NewJob } from '../../db/jobs/create.js'
import { newId } from '../../runtime/ids.js'
import { type JobKind, workflowIdOf } from '../../workflows/jobs/contracts.js'
import type { Caller } from '../caller.js'
import type { Request } from '../endpoint.js'

export type AnyRequest = Request<unknown, unknown>

/** The parts of a request that its job keeps. */
export type JobRequest = Pick<AnyRequest, 'idempotency' | 'traceId' | 'log'> & {
  caller: Pick<Caller, 'tenantKey' | 'tenantId' | 'clientId'>
}

/** The work of a new job. */
export interface Work extends Pick<NewJob, 'total' | 'queue' | 'input' | 'planVersion'> {
  /** While Temporal is away it stays accepted, and the outbox starts it; otherwise it is taken back. */
  keepWhenTemporalAway?: boolean
  /**
   * Adds the request to a job under way that does what is asked for, in the transaction that would accept a new one.
   * @returns the job; undefined where there is none.
   */
  join?(trx: Knex.Transaction): Promise<string | undefined>
  /** Writes further rows in the transaction that creates the job. */
  write?(trx: Knex.Transaction, jobId: string): Promise<void>
}

/** Writes a job down with all that belongs to it. Once the transaction commits, it is not lost. @returns its id. */
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
