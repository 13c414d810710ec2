// Writes the files of an export: results and removals as gzipped NDJSON, checksums, and the manifest.
import { createHash, hash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { TenantId } from '../../db/connect.js'
import { endedIn, type Interval, startedIn } from '../../db/forms/exports/export-entries.js'
import type { ExportFile, ExportPlan } from '../../db/forms/exports/exports.js'
import { entriesOf } from '../../db/forms/extracts/extract-lists.js'
import { type ExtractReader, ndjsonOfEntries } from '../../db/forms/extracts/extract-results.js'
import type { ExtractDefinition } from '../../db/forms/extracts/extracts.js'
import type { Read } from '../../db/replicas.js'
import type { ExportTarget } from '../../db/storage/export-target.js'
import { bufferLines } from '../../runtime/rows/buffered-lines.js'

/** A gzipped data file of an export. */
export interface PlannedFile {
  name: string
  /** The count of the job to which its lines are added. */
  counted: 'results' | 'removed'
  lines(stores: ExtractReader, tenant: TenantId): AsyncIterable<string>
}

/**
 * Plans the data files of an export, in the order in which they are written. The results of an instant never change, so a file
 * can be written again at any time.
 */
export function filesOf(plan: ExportPlan): PlannedFile[] {
  const { definitions, from } = plan
  const instant = new Date(plan.instant)
  const interval = from === undefined ? undefined : { from: new Date(from), instant }
  const results = definitions.map(
    (definition): PlannedFile => ({
      name: `${definition.identifier}.ndjson.gz`,
      counted: 'results',
      lines(stores, tenant) {
        const all = { request: { definitions }, instant }
        const read = listReads(stores, instant)
        const entries = interval
          ? startedIn(read, tenant, interval, definition)
          : entriesOf(read, tenant, all, definition)
        return ndjsonOfEntries(stores, tenant, definition, instant, entries)
      },
    }),
  )
  if (!interval) return results
  const lines = (stores: ExtractReader, tenant: TenantId) =>
    removedLines(listReads(stores, instant), tenant, interval, definitions)
  return [...results, { name: 'removed.ndjson.gz', counted: 'removed', lines }]
}

/** Creates reads that are not older than an instant. */
const listReads = ({ reads }: ExtractReader, instant: Date): Read => reads.by('export-list', instant.getTime())

async function* removedLines(
  read: Read,
  tenant: TenantId,
  interval: Interval,
  definitions: readonly ExtractDefinition[],
): AsyncGenerator<string> {
  for (const definition of definitions) {
    const { identifier } = definition
    for await (const instanceGuid of endedIn(read, tenant, interval, definition))
      yield `${JSON.stringify({ identifier, instanceGuid })}\n`
  }
}

/**
 * Writes lines to a gzipped file, as a stream.
 * @param signal aborts the write, which then throws its reason.
 */
export async function writeLines(
  target: ExportTarget,
  folder: string,
  name: string,
  lines: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<ExportFile> {
  const sum = createHash('sha256')
  let [results, bytes] = [0, 0]
  const counted = async function* () {
    for await (const line of lines) {
      results++
      yield line
    }
  }
  const blocks = async function* () {
    for await (const block of bufferLines(counted())) {
      signal.throwIfAborted()
      yield block
    }
  }
  const measured = async function* (zipped: AsyncIterable<Buffer>) {
    for await (const block of zipped) {
      sum.update(block)
      bytes += block.length
      yield block
    }
  }
  await pipeline(blocks, createGzip(), zipped => target.write(folder, name, measured(zipped)))
  return { name, results, bytes, sha256: sum.digest('hex') }
}

/**
 * Writes the checksums, in the format of `sha256sum -c`, and then the manifest. Its presence shows that the export is
 * complete.
 */
export async function writeManifest(
  target: ExportTarget,
  plan: ExportPlan,
  files: readonly ExportFile[],
): Promise<void> {
  const { folder, mode, fullBecause, instant, from, definitions } = plan
  const [tenant] = folder.split('/')
  const described = { tenant, export: plan.export, mode, fullBecause, instant, from, definitions, files }
  const manifest = { name: 'manifest.json', text: `${JSON.stringify(described, undefined, 2)}\n` }
  const sums = [...files, { name: manifest.name, sha256: hash('sha256', manifest.text, 'hex') }]
  const checksums = { name: 'SHA256SUMS', text: sums.map(({ sha256, name }) => `${sha256}  ${name}\n`).join('') }
  for (const { name, text } of [checksums, manifest]) {
    await target.write(
      folder,
      name,
      (async function* () {
        yield Buffer.from(text)
      })(),
    )
  }
}
