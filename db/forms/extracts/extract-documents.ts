// Reads the documents of extract results in batches of bounded size.
import type { Db, TenantId } from '../../connect.js'
import type { Read } from '../../replicas.js'
import { slices } from '../../rows.js'
import type { Entry } from './extract-entries.js'
import type { Submission, SubmissionHead } from './extract-writer.js'
import type { ExtractDefinition } from './extracts.js'

/** Limits of one statement, whose documents are all in memory at once: results, and bytes. */
const [batchEntries, batchBytes] = [500, 4 * 1024 * 1024]

interface SubmissionRow extends SubmissionHead {
  block_key: string
  document: string
}

/**
 * Reads the documents of a definition's results that counted at an instant, limited to the building blocks that it
 * selects.
 */
export function documentsOf(readAt: Read, tenant: TenantId, instant: Date, definition: ExtractDefinition) {
  const blocks = blockKeysOf(definition)

  async function rowsOf<Row>(db: Db, columns: string, entries: readonly Entry[]): Promise<Row[]> {
    // Searches by submission time, which takes half as long as a list of full keys; for `(a, b) IN (…)` MariaDB scans
    // the table.
    // CONCAT keeps the optimizer from combining every time with every id.
    const sql = `SELECT ${columns}
      FROM form_reports r FORCE INDEX (PRIMARY) JOIN form_values v FORCE INDEX (PRIMARY)
        ON v.tenant_id = r.tenant_id AND v.instance_id = r.instance_id AND v.version_id = r.version_id
      WHERE r.tenant_id = ? AND r.is_block = ? AND r.definition_key = ? AND r.definition_version = ?
        AND r.counts_from < ? AND r.counts_until >= ? AND r.submitted_at IN (?) AND CONCAT(r.instance_id) IN (?)
        ${blocks ? 'AND v.block_key IN (?)' : ''}
      ORDER BY r.submitted_at DESC, r.instance_id`
    const [rows = []]: Row[][] = await db.raw(sql, [
      tenant,
      definition.type === 'form' ? 0 : 1,
      definition.key,
      definition.version,
      instant,
      instant,
      entries.map(({ submittedAt }) => submittedAt),
      entries.map(({ instanceId }) => instanceId),
      ...(blocks ? [blocks] : []),
    ])
    return rows
  }

  /** Returns the size of each entry's selected documents, in bytes. */
  async function sizesOf(entries: readonly Entry[]): Promise<number[]> {
    const all = entries.map(({ bytes }) => bytes)
    // An entry has the size of all its documents. If only some are selected, the large ones may not be among them.
    if (definition.type !== 'form' || !blocks || sum(all) <= batchBytes) return all
    const columns = 'r.instance_id, LENGTH(v.document) AS bytes'
    const rows = await readAt(db => rowsOf<{ instance_id: string; bytes: number }>(db, columns, entries))
    const chosen = new Map<string, number>()
    for (const { instance_id, bytes } of rows) chosen.set(instance_id, (chosen.get(instance_id) ?? 0) + bytes)
    return entries.map(({ instanceId }) => chosen.get(instanceId) ?? 0)
  }

  /** Checks that missing results belong to erased subjects. @throws Error if another result is missing. */
  async function requireErased(
    db: Db,
    batch: readonly Entry[],
    found: readonly { head: SubmissionRow }[],
  ): Promise<void> {
    const there = new Set(found.map(({ head }) => head.instance_id))
    const missing = batch.filter(({ instanceId }) => !there.has(instanceId))
    const { type, key, version } = definition
    const erased: object[] = await db('form_reports as r')
      .join('subject_tombstones as t', join => join.on('t.tenant_id', 'r.tenant_id').on('t.subject_id', 'r.subject_id'))
      .where({
        'r.tenant_id': tenant,
        is_block: type === 'form' ? 0 : 1,
        definition_key: key,
        definition_version: version,
      })
      .whereIn(
        'r.submitted_at',
        missing.map(({ submittedAt }) => submittedAt),
      )
      .whereIn(
        'r.instance_id',
        missing.map(({ instanceId }) => instanceId),
      )
      .distinct('r.instance_id')
    if (erased.length < missing.length) throw new Error(`Only ${found.length} of ${batch.length} results were found`)
  }

  return {
    /** Splits entries into batches that one statement can read. */
    async *batches(pages: AsyncIterable<readonly Entry[]>): AsyncGenerator<Entry[]> {
      for await (const page of pages) {
        for (const entries of slices(page, batchEntries)) {
          const sizes = await sizesOf(entries)
          let [batch, bytes]: [Entry[], number] = [[], 0]
          for (const [n, entry] of entries.entries()) {
            const size = sizes[n] ?? 0
            if (batch.length > 0 && bytes + size > batchBytes) {
              yield batch
              ;[batch, bytes] = [[], 0]
            }
            batch.push(entry)
            bytes += size
          }
          yield batch
        }
      }
    },

    /**
     * Reads the submissions of a batch in its order, without those of erased subjects.
     * @throws Error if another one is missing.
     */
    read: (batch: readonly Entry[]): Promise<Submission[]> =>
      readAt(async db => {
        const columns =
          'r.instance_id, r.subject_id, r.submitted_by, r.submitted_at, r.correlation_id, v.block_key, v.document'
        const found: { head: SubmissionRow; documents: Map<string, string> }[] = []
        for (const row of await rowsOf<SubmissionRow>(db, columns, batch)) {
          const last = found.at(-1)
          if (last?.head.instance_id === row.instance_id) last.documents.set(row.block_key, row.document)
          else found.push({ head: row, documents: new Map([[row.block_key, row.document]]) })
        }
        if (found.length !== batch.length) await requireErased(db, batch, found)
        return found
      }),
  }
}

const sum = (all: readonly number[]): number => all.reduce((whole, each) => whole + each, 0)

/** Returns the keys of the selected building blocks; undefined if all are selected. */
function blockKeysOf(definition: ExtractDefinition): string[] | undefined {
  return definition.type === 'form' ? definition.buildingBlocks?.map(({ key }) => key) : [definition.key]
}
