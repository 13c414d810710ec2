import type { Knex } from 'knex'
import { Problem } from '../../runtime/problem.js'
import { chunkItems, type JobKind, type JobProgress, type Queue } from '../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../connect.js'
import { transaction } from '../errors.js'
import { type Cell, upsertRows } from '../rows.js'

/** An item of a bulk job as it will be written; what follows the first four belongs to its kind. */
export type PlannedItem = [
  index: number,
  key: string,
  layer: number,
  outcome: 'created' | 'updated',
  ...payload: unknown[],
]

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
    for (let first = 0; first < job.planned.length; first += chunkItems) {
      const items = job.planned.slice(first, first + chunkItems)
      const row: Cell[] = [tenant, job.id, first, items.length, JSON.stringify(items)]
      await upsertRows(trx, 'job_chunks', ['tenant_id', 'job_id', 'first', 'size', 'items'], [row], [])
    }
  })
}

/**
 * Writes the next chunk of a job in one transaction with the job's progress, which is also the place of the chunk after it:
 * however often this is called, and after whatever kill, each chunk is written once.
 * @returns the progress; `done` equals `total` when nothing is left.
 * @throws Problem 410 when the job was withdrawn or cancelled, and what the writer throws.
 */
export async function applyNextChunk(
  db: Db,
  tenant: TenantId,
  jobId: string,
  write: ChunkWriter,
  allowsOf: (actor: string) => Promise<(permission: string) => boolean>,
): Promise<JobProgress> {
  return transaction(db, async trx => {
    const job = await trx('jobs as j')
      .leftJoin('job_chunks as c', join =>
        join.on('c.tenant_id', 'j.tenant_id').on('c.job_id', 'j.id').on('c.first', 'j.done'),
      )
      .where({ 'j.tenant_id': tenant, 'j.id': jobId })
      .forUpdate()
      .first('j.status', 'j.done', 'j.total', 'j.counts', 'j.plan_version', 'j.actor', 'j.started_at', 'c.items')
    if (job?.status === 'Completed') return { done: job.total, total: job.total }
    if (!job || job.status === 'Cancelled' || job.status === 'Failed') {
      throw new Problem(
        410,
        'job-ended',
        'The job has ended',
        `The job ${jobId} is ${job ? job.status.toLowerCase() : 'withdrawn'}.`,
      )
    }
    const planned: PlannedItem[] = JSON.parse(job.items)
    const allows = await allowsOf(job.actor)
    const written = await write(trx, tenant, { items: planned, planVersion: Number(job.plan_version), allows })

    if (written.items !== planned) {
      const chunk = { tenant_id: tenant, job_id: jobId, first: job.done }
      await trx('job_chunks')
        .where(chunk)
        .update({ items: JSON.stringify(written.items) })
    }
    const done = job.done + planned.length
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

/** Items of a job from a place in its order, with the outcome of those that are written, the first `done`. */
export async function jobItems(
  db: Db,
  tenant: TenantId,
  jobId: string,
  from: number,
  limit: number,
  done: number,
): Promise<{ position: number; index: number; key: string; layer: number; outcome: string }[]> {
  const chunks = await db('job_chunks')
    .where({ tenant_id: tenant, job_id: jobId })
    .where('first', '<', from + limit)
    .whereRaw('first + size > ?', [from])
    .orderBy('first')
    .select('first', 'items')
  return chunks
    .flatMap(chunk =>
      (JSON.parse(chunk.items) as PlannedItem[]).map(([index, key, layer, outcome], n) => ({
        position: Number(chunk.first) + n,
        index,
        key,
        layer,
        outcome: Number(chunk.first) + n < done ? outcome : 'pending',
      })),
    )
    .filter(item => item.position >= from && item.position < from + limit)
}
