// The planned items of a bulk job, in compressed chunks.
import { promisify } from 'node:util'
import { gunzip, gzip, gzipSync } from 'node:zlib'
import type { Knex } from 'knex'
import { prefetched } from '../../runtime/load/prefetched.js'
import type { Db, TenantId } from '../connect.js'
import { upsertRows } from '../rows.js'
import type { Counts } from './advance.js'

/** An item of a bulk job as it will be written. Each kind of job adds its own members. */
export interface PlannedItem {
  /** Place in the request, or number of the row in the file. */
  index: number
  key: string
  /** Of an entity; a root has 1. Items are written in the order of their depths. */
  depth: number
  outcome: 'created' | 'updated'
}

/** Consecutive items of a job, written in one transaction; `first` is the place of the first in the job's order. */
export interface Chunk<Item extends PlannedItem = PlannedItem> {
  first: number
  items: Item[]
}

/**
 * Items of one transaction: 0.1 to 0.2 s. The other writers of the tenant's hierarchy wait that long. With 1,000, round trips and commits
 * took as long as the rows.
 */
export const chunkItems = 5_000

const compress = promisify<Buffer, { level: number }, Buffer>(gzip)
const decompress = promisify<Buffer, Buffer>(gunzip)

/** Bytes that are compressed sooner than another thread is asked. */
const quickBytes = 16 * 1024

/** At level 1: a tenth of the bytes, which MySQL takes in a tenth of the time. */
async function packed(items: readonly PlannedItem[]): Promise<Buffer> {
  const document = Buffer.from(JSON.stringify(items))
  return document.length < quickBytes ? gzipSync(document, { level: 1 }) : compress(document, { level: 1 })
}
const unpacked = async <Item extends PlannedItem>(document: Buffer): Promise<Item[]> =>
  JSON.parse(String(await decompress(document)))

/**
 * Writes planned items of a job, inside the caller's transaction.
 * @param begin the place of the first one in the job's order.
 */
export async function writeChunks(
  trx: Knex.Transaction,
  tenant: TenantId,
  jobId: string,
  planned: readonly PlannedItem[],
  begin = 0,
): Promise<void> {
  const columns = ['tenant_id', 'job_id', 'first', 'size', 'items']
  const documents = prefetched((first: number) => packed(planned.slice(first, first + chunkItems)))
  let written = Promise.resolve()
  for (let first = 0; first < planned.length; first += chunkItems) {
    const size = Math.min(chunkItems, planned.length - first)
    const packing = documents.at(first)
    // Made into text while this one is compressed, and compressed while this one is written.
    if (first + size < planned.length) documents.begin(first + size)
    const [document] = await Promise.all([packing, written])
    written = upsertRows(trx, 'job_chunks', columns, [[tenant, jobId, begin + first, size, document]], [])
  }
  await written
}

/** The chunk that begins at this place; without items where there is none. */
export async function readChunk<Item extends PlannedItem>(
  db: Db,
  tenant: TenantId,
  jobId: string,
  first: number,
): Promise<Chunk<Item>> {
  const row = await db('job_chunks').where({ tenant_id: tenant, job_id: jobId, first }).first('items')
  return { first, items: row ? await unpacked(row.items) : [] }
}

/** Reads the items of the chunks that begin before a place. */
export async function* itemsBefore<Item extends PlannedItem>(
  db: Db,
  tenant: TenantId,
  jobId: string,
  end: number,
): AsyncGenerator<Item[]> {
  const chunks = db('job_chunks').where({ tenant_id: tenant, job_id: jobId }).where('first', '<', end)
  const places: number[] = await chunks.orderBy('first').pluck('first')
  for (const first of places) yield (await readChunk<Item>(db, tenant, jobId, first)).items
}

/** Deletes the chunks that begin before a place, once nothing needs them any more. */
export async function dropChunks(trx: Knex.Transaction, tenant: TenantId, jobId: string, end: number): Promise<void> {
  await trx('job_chunks').where({ tenant_id: tenant, job_id: jobId }).where('first', '<', end).delete()
}

/** Notes the items as they were written, where they were planned otherwise. */
export async function rewriteChunk(
  trx: Knex.Transaction,
  tenant: TenantId,
  jobId: string,
  chunk: Chunk,
): Promise<void> {
  await trx('job_chunks')
    .where({ tenant_id: tenant, job_id: jobId, first: chunk.first })
    .update({ items: await packed(chunk.items) })
}

/** How many items became what. */
export function outcomesOf(items: readonly PlannedItem[]): Counts {
  const counts: Counts = {}
  for (const { outcome } of items) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}

/** Items of a job from a place in its order, with the outcome of those that are written, the first `done`. */
export async function jobItems(
  db: Db,
  tenant: TenantId,
  jobId: string,
  { from, limit, done }: { from: number; limit: number; done: number },
): Promise<{ position: number; index: number; key: string; layer: number; outcome: string }[]> {
  const rows: { first: number; items: Buffer }[] = await db('job_chunks')
    .where({ tenant_id: tenant, job_id: jobId })
    .where('first', '<', from + limit)
    .whereRaw('first + size > ?', [from])
    .orderBy('first')
    .select('first', 'items')
  const chunks = await Promise.all(rows.map(async ({ first, items }) => ({ first, items: await unpacked(items) })))
  return chunks
    .flatMap(({ first, items }) =>
      items.map(({ index, key, depth, outcome }, n) => ({
        position: first + n,
        index,
        key,
        layer: depth,
        outcome: first + n < done ? outcome : 'pending',
      })),
    )
    .filter(({ position }) => position >= from && position < from + limit)
}
