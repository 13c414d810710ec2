import type { Knex } from 'knex'
import type { JobProgress } from '../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../connect.js'
import { advance, type Counts } from './advance.js'
import { type Chunk, type PlannedItem, rewriteChunk } from './chunks.js'

/** Writes one chunk inside the transaction that moves the job on; returns the items as written and the version they left. */
export type ChunkWriter = (
  trx: Knex.Transaction,
  tenant: TenantId,
  chunk: { items: PlannedItem[]; planVersion: number; allows: (permission: string) => boolean },
) => Promise<{ items: PlannedItem[]; version: number }>

/**
 * Writes a chunk of a job as one step of it. A chunk that is not the job's next is left alone.
 * @throws Problem as {@link advance}, and what the writer throws.
 */
export const applyChunk = (
  db: Db,
  tenant: TenantId,
  jobId: string,
  { first, items }: Chunk,
  write: ChunkWriter,
  allows: (permission: string) => boolean,
): Promise<JobProgress> =>
  advance(db, tenant, jobId, async (trx, job) => {
    if (job.done !== first) return undefined
    const written = await write(trx, tenant, { items, planVersion: Number(job.plan_version), allows })
    if (written.items !== items) await rewriteChunk(trx, tenant, jobId, { first, items: written.items })
    const done = first + items.length
    return { done, ended: done === job.total, counts: outcomesOf(written.items), planVersion: written.version }
  })

/** How many items became what. */
export function outcomesOf(items: readonly PlannedItem[]): Counts {
  const counts: Counts = {}
  for (const [, , , outcome] of items) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}
