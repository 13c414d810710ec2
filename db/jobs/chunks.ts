// Stores the planned items of a bulk job in compressed chunks.
import { promisify } from 'node:util'
import { gunzip, gzip, gzipSync } from 'node:zlib'
import type { Knex } from 'knex'
import { prefetched } from '../../runtime/load/prefetched.js'
import type { Db, TenantId } from '../connect.js'
import { upsertRows } from '../rows.js'
import type { Counts } from './advance.js'

/** The members that all items of a bulk job have. Each kind of job adds its own, such as the values to write. */
export interface PlannedItem {
  /** Place in the request, or number of the row in the file. */
  index: number
  key: string
  /**
   * Depth in the hierarchy; a root has 1. Items are written in this order, so that parents come before their children.
   */
  depth: number
  outcome: 'created' | 'updated'
}

/**
 * Consecutive items of a job, which are written in one transaction. `first` is the first item's position in the job,
 * from 0.
 */
export interface Chunk<Item extends PlannedItem = PlannedItem> {
  first: number
  items: Item[]
}

/**
 * How many items one transaction writes. It takes 0.1 to 0.2 s, and the tenant's other writers of the hierarchy wait
 * that long. With 1,000 items, round trips and commits took as long as the rows themselves.
 */
export const chunkItems = 5_000

const compress = promisify<Buffer, { level: number }, Buffer>(gzip)
const decompress = promisify<Buffer, Buffer>(gunzip)

/** Up to this many bytes are compressed at once, which is quicker than handing them to another thread. */
const quickBytes = 16 * 1024

/** Compresses items, at level 1, which leaves a tenth of the bytes. MySQL stores them in a tenth of the time. */
async function packed(items: readonly PlannedItem[]): Promise<Buffer> {
  const document = Buffer.from(JSON.stringify(items))
  return document.length < quickBytes ? gzipSync(document, { level: 1 }) : compress(document, { level: 1 })
}
const unpacked = async <Item extends PlannedItem>(document: Buffer): Promise<Item[]> =>
  JSON.parse(String(await decompress(document)))

/**
 * Cuts planned items into chunks and stores them, inside the caller's transaction.
 * @param begin the position in the job of the first of these items, for a job whose items are written in several calls.
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
    // The next chunk is serialised while this one is compressed, and compressed while this one is written.
    if (first + size < planned.length) documents.begin(first + size)
    const [document] = await Promise.all([packing, written])
    written = upsertRows(trx, 'job_chunks', columns, [[tenant, jobId, begin + first, size, document]], [])
  }
  await written
}

/** Reads the chunk that begins at a position. The result has no items if there is no such chunk. */
export async function readChunk<Item extends PlannedItem>(
  db: Db,
  tenant: TenantId,
  jobId: string,
  first: number,
): Promise<Chunk<Item>> {
  const row = await db('job_chunks').where({ tenant_id: tenant, job_id: jobId, first }).first('items')
  return { first, items: row ? await unpacked(row.items) : [] }
}

/** Reads the chunks that begin before a position, one after the other, in order. */
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

/** Deletes the chunks that begin before a position, once they are no longer needed. */
export async function dropChunks(trx: Knex.Transaction, tenant: TenantId, jobId: string, end: number): Promise<void> {
  await trx('job_chunks').where({ tenant_id: tenant, job_id: jobId }).where('first', '<', end).delete()
}

/** Replaces a stored chunk by the items as they were actually written, after they had to be planned again. */
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

/** Counts items by their outcome. */
export function outcomesOf(items: readonly PlannedItem[]): Counts {
  const counts: Counts = {}
  for (const { outcome } of items) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}

/**
 * Reads a page of a job's items.
 * @param from position of the first item. @param done how many items are written; the outcome of later ones is
 *   `pending`.
 */
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
