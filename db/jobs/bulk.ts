import type { Knex } from 'knex'
import { Problem } from '../../runtime/problem.js'
import type { JobKind, JobProgress, Queue } from '../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../connect.js'
import { transaction } from '../errors.js'
import { type Chunk, type PlannedItem, rewriteChunk, writeChunks } from './chunks.js'

export interface NewBulkJob {
  id: string
  kind: JobKind
  queue: Queue
  actor: string
  workflowId: string
  traceId: string
  planned: readonly PlannedItem[]
  planVersion: number
  idempotency?: { key: string; hash: string } | undefined
}

/** Writes one chunk inside the transaction that moves the job on; returns the items as written and the version they left. */
export type ChunkWriter = (
  trx: Knex.Transaction,
  tenant: TenantId,
  chunk: { items: PlannedItem[]; planVersion: number; allows: (permission: string) => boolean },
) => Promise<{ items: PlannedItem[]; version: number }>

/** Accepts a job: its row and its chunks in one transaction. From here on it is never lost. */
export async function createBulkJob(db: Db, tenant: TenantId, job: NewBulkJob): Promise<void> {
  await transaction(db, async trx => {
    await trx('jobs').insert({
      tenant_id: tenant,
      id: job.id,
      kind: job.kind,
      status: 'Accepted',
      queue: job.queue,
      actor: job.actor,
      workflow_id: job.workflowId,
      trace_id: job.traceId,
      total: job.planned.length,
      plan_version: job.planVersion,
      counts: '{}',
      idempotency_key: job.idempotency?.key ?? null,
      request_hash: job.idempotency?.hash ?? null,
      accepted_at: new Date(),
    })
    await writeChunks(trx, tenant, job.id, job.planned)
  })
}

/**
 * Writes a chunk of a job in one transaction with the job's progress, which is also the place of the next chunk: however
 * often this is called, and after whatever kill, each chunk is written once. A chunk that is not the job's next is left alone.
 * @returns the progress; `done` equals `total` when nothing is left.
 * @throws Problem 410 when the job was withdrawn or cancelled, and what the writer throws.
 */
export async function applyChunk(
  db: Db,
  tenant: TenantId,
  jobId: string,
  { first, items }: Chunk,
  write: ChunkWriter,
  allows: (permission: string) => boolean,
): Promise<JobProgress> {
  return transaction(db, async trx => {
    const job = await trx('jobs')
      .where({ tenant_id: tenant, id: jobId })
      .forUpdate()
      .first('status', 'done', 'total', 'counts', 'plan_version', 'started_at')
    if (job?.status === 'Completed') return { done: job.total, total: job.total }
    if (!job || job.status === 'Cancelled' || job.status === 'Failed') {
      throw new Problem(
        410,
        'job-ended',
        'The job has ended',
        `The job ${jobId} is ${job ? job.status.toLowerCase() : 'withdrawn'}.`,
      )
    }
    if (job.done !== first) return { done: job.done, total: job.total }
    const written = await write(trx, tenant, { items, planVersion: Number(job.plan_version), allows })
    if (written.items !== items) await rewriteChunk(trx, tenant, jobId, { first, items: written.items })
    const done = first + items.length
    const ended = done === job.total
    await trx('jobs')
      .where({ tenant_id: tenant, id: jobId })
      .update({
        status: ended ? 'Completed' : 'Running',
        done,
        counts: JSON.stringify(addOutcomes(JSON.parse(job.counts), written.items)),
        plan_version: written.version,
        started_at: job.started_at ?? new Date(),
        ...(ended ? { finished_at: new Date() } : {}),
      })
    return { done, total: job.total }
  })
}

function addOutcomes(counts: Record<string, number>, items: readonly PlannedItem[]): Record<string, number> {
  for (const [, , , outcome] of items) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}
