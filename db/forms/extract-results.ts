import type { Knex } from 'knex'
import type { TenantId } from '../connect.js'
import { type Entry, entriesOfChunk } from './extract-entries.js'
import { chunkOf } from './extract-lists.js'
import { blockResults, formResults, type ResultWriter, type Submission, type SubmissionHead } from './extract-writer.js'
import type { Extract, ExtractDefinition } from './extracts.js'
import type { PublishedForms } from './published-forms.js'
import { formTemplates } from './templates.js'

/** What extracts are read from. */
export interface ExtractStores {
  db: Knex
  forms: PublishedForms
}

/** One statement reads the documents of at most so many results, or of fewer that are larger: all are in memory at once. */
const [batchEntries, batchBytes] = [500, 4 * 1024 * 1024]

/** The results of one definition, the most recent first, each as JSON text (spec forms "Extract result records"). */
export function resultsOf(
  stores: ExtractStores,
  tenant: TenantId,
  extract: Extract,
  n: number,
): AsyncGenerator<string> {
  const definition = extract.request.definitions[n]
  if (!definition) throw new RangeError(`The extract ${extract.jobId} has no definition ${n}`)
  return resultsOfEntries(stores, tenant, definition, extract.instant, listed(stores.db, tenant, extract, n))
}

async function* resultsOfEntries(
  stores: ExtractStores,
  tenant: TenantId,
  definition: ExtractDefinition,
  instant: Date,
  pages: AsyncIterable<readonly Entry[]>,
): AsyncGenerator<string> {
  const write = await writerOf(stores, tenant, definition)
  const read = (batch: readonly Entry[]) => submissions(stores.db, tenant, instant, definition, batch)
  let next: Promise<Submission[]> | undefined
  for await (const batch of batches(pages)) {
    const ready = await next
    // It is read while the one before is written and sent. Its failure counts when its turn comes.
    next = read(batch)
    next.catch(() => undefined)
    if (ready) for (const submission of ready) yield write(submission)
  }
  for (const submission of (await next) ?? []) yield write(submission)
}

/** All results, a line each, definition after definition. */
export async function* ndjsonOf(stores: ExtractStores, tenant: TenantId, extract: Extract): AsyncGenerator<string> {
  for (const [n, definition] of extract.request.definitions.entries())
    yield* ndjsonOfEntries(stores, tenant, definition, extract.instant, listed(stores.db, tenant, extract, n))
}

/** The results of one definition, a line each, as they are listed. All of them counted at the instant. */
export async function* ndjsonOfEntries(
  stores: ExtractStores,
  tenant: TenantId,
  definition: ExtractDefinition,
  instant: Date,
  pages: AsyncIterable<readonly Entry[]>,
): AsyncGenerator<string> {
  const { identifier, type } = definition
  const head = JSON.stringify({ identifier, type }).slice(0, -1)
  for await (const result of resultsOfEntries(stores, tenant, definition, instant, pages))
    yield `${head},${result.slice(1)}\n`
}

/** The list of a definition as it was written and cut, chunk by chunk. */
async function* listed(db: Knex, tenant: TenantId, { jobId, taken }: Extract, n: number): AsyncGenerator<Entry[]> {
  let left = taken?.[n] ?? 0
  for (let chunk = 0; left > 0; chunk++, left -= entriesOfChunk) {
    const entries = await chunkOf(db, tenant, jobId, n, chunk)
    // Its job may be forgotten while somebody reads: then this is no end, but the answer breaks off.
    if (entries.length < Math.min(left, entriesOfChunk)) throw new Error(`The results of the extract ${jobId} are gone`)
    yield entries.slice(0, left)
  }
}

async function* batches(pages: AsyncIterable<readonly Entry[]>): AsyncGenerator<Entry[]> {
  let batch: Entry[] = []
  let bytes = 0
  for await (const entries of pages) {
    for (const entry of entries) {
      if (batch.length > 0 && (batch.length === batchEntries || bytes + entry.bytes > batchBytes)) {
        yield batch
        batch = []
        bytes = 0
      }
      batch.push(entry)
      bytes += entry.bytes
    }
  }
  if (batch.length > 0) yield batch
}

interface SubmissionRow extends SubmissionHead {
  block_key: string
  document: string
}

/** The submissions of a list, in its order, with the documents that are asked for. */
async function submissions(
  db: Knex,
  tenant: TenantId,
  instant: Date,
  definition: ExtractDefinition,
  batch: readonly Entry[],
): Promise<Submission[]> {
  const blocks = blockKeysOf(definition)
  // By their times, which takes half as long as by whole keys spelled out; MariaDB scans the table for `(a, b) IN (…)`. CONCAT
  // keeps the optimizer from making a key of every time with every id.
  const sql = `SELECT r.instance_id, r.subject_id, r.submitted_by, r.submitted_at, r.correlation_id, v.block_key, v.document
    FROM form_reports r FORCE INDEX (PRIMARY) JOIN form_values v FORCE INDEX (PRIMARY)
      ON v.tenant_id = r.tenant_id AND v.instance_id = r.instance_id AND v.version_id = r.version_id
    WHERE r.tenant_id = ? AND r.is_block = ? AND r.definition_key = ? AND r.definition_version = ?
      AND r.counts_from < ? AND r.counts_until >= ? AND r.submitted_at IN (?) AND CONCAT(r.instance_id) IN (?)
      ${blocks ? 'AND v.block_key IN (?)' : ''}
    ORDER BY r.submitted_at DESC, r.instance_id`
  const [rows = []]: SubmissionRow[][] = await db.raw(sql, [
    tenant,
    definition.type === 'form' ? 0 : 1,
    definition.key,
    definition.version,
    instant,
    instant,
    batch.map(({ submittedAt }) => submittedAt),
    batch.map(({ instanceId }) => instanceId),
    ...(blocks ? [blocks] : []),
  ])
  const found: { head: SubmissionRow; documents: Map<string, string> }[] = []
  for (const row of rows) {
    const last = found.at(-1)
    if (last?.head.instance_id === row.instance_id) last.documents.set(row.block_key, row.document)
    else found.push({ head: row, documents: new Map([[row.block_key, row.document]]) })
  }
  if (found.length !== batch.length) throw new Error(`Of ${batch.length} results ${found.length} are there`)
  return found
}

/** Undefined: all. */
function blockKeysOf(definition: ExtractDefinition): string[] | undefined {
  return definition.type === 'form' ? definition.buildingBlocks?.map(({ key }) => key) : [definition.key]
}

async function writerOf(
  { db, forms }: ExtractStores,
  tenant: TenantId,
  definition: ExtractDefinition,
): Promise<ResultWriter> {
  const { type, key, version } = definition
  if (type === 'building-block') {
    const block = await formTemplates(db, tenant).block(key, version)
    if (!block) throw new Error(`The building block ${key} is gone`)
    return blockResults(block, definition.controlIds)
  }
  const template = await forms.template(tenant, key, version)
  if (!template) throw new Error(`The form ${key} is gone`)
  return formResults(template, definition.buildingBlocks)
}
