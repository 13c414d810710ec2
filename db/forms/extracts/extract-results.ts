// Reads the results of an extract as JSON or NDJSON.
import type { Knex } from 'knex'
import type { TenantId } from '../../connect.js'
import type { Reads } from '../../replicas.js'
import type { PublishedForms } from '../templates/published-forms.js'
import { formTemplates } from '../templates/templates.js'
import { documentsOf } from './extract-documents.js'
import { type Entry, entriesOfChunk } from './extract-entries.js'
import { chunkOf } from './extract-lists.js'
import { blockResults, formResults, type ResultWriter, type Submission } from './extract-writer.js'
import type { Extract, ExtractDefinition } from './extracts.js'

/** The stores that validate extracts. */
export interface ExtractStores {
  db: Knex
  forms: PublishedForms
}

/** The stores that read the results of an extract. Documents never change, so each batch can come from another replica. */
export interface ExtractReader extends ExtractStores {
  reads: Reads
}

/** Reads the results of one definition, most recent first, each as JSON text (spec forms "Extract result records"). */
export function resultsOf(
  stores: ExtractReader,
  tenant: TenantId,
  extract: Extract,
  n: number,
): AsyncGenerator<string> {
  const definition = extract.request.definitions[n]
  if (!definition) throw new RangeError(`The extract ${extract.jobId} has no definition ${n}`)
  return resultsOfEntries(stores, tenant, definition, extract.instant, listed(stores.db, tenant, extract, n))
}

async function* resultsOfEntries(
  stores: ExtractReader,
  tenant: TenantId,
  definition: ExtractDefinition,
  instant: Date,
  pages: AsyncIterable<readonly Entry[]>,
): AsyncGenerator<string> {
  const write = await writerOf(stores, tenant, definition)
  const documents = documentsOf(stores.reads.by('extract-documents', instant.getTime()), tenant, instant, definition)
  let next: Promise<Submission[]> | undefined
  for await (const batch of documents.batches(pages)) {
    const ready = await next
    // The next batch is read while this one is written and sent. If reading fails, the await above throws.
    next = documents.read(batch)
    next.catch(() => undefined)
    if (ready) for (const submission of ready) yield write(submission)
  }
  for (const submission of (await next) ?? []) yield write(submission)
}

/** Reads all results as lines of JSON, one definition after the other. */
export async function* ndjsonOf(stores: ExtractReader, tenant: TenantId, extract: Extract): AsyncGenerator<string> {
  for (const [n, definition] of extract.request.definitions.entries())
    yield* ndjsonOfEntries(stores, tenant, definition, extract.instant, listed(stores.db, tenant, extract, n))
}

/** Reads listed results of one definition as lines of JSON. All of them must have counted at the instant. */
export async function* ndjsonOfEntries(
  stores: ExtractReader,
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

/** Reads the list of a definition chunk by chunk, up to the limit of the extract. */
async function* listed(db: Knex, tenant: TenantId, { jobId, taken }: Extract, n: number): AsyncGenerator<Entry[]> {
  let left = taken?.[n] ?? 0
  for (let chunk = 0; left > 0; chunk++, left -= entriesOfChunk) {
    const entries = await chunkOf(db, tenant, jobId, n, chunk)
    // The job may be deleted while its results are sent. The answer must then break off and not look complete.
    if (entries.length < Math.min(left, entriesOfChunk)) throw new Error(`The results of the extract ${jobId} are gone`)
    yield entries.slice(0, left)
  }
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
