// Stores and reads the rows that imports refused.
import type { Knex } from 'knex'
import { ago, presentTime } from '../../clock.js'
import type { Db, TenantId } from '../../connect.js'
import { Hex, slices, upsertRows } from '../../rows.js'
import type { ValueHash } from '../fields/matching.js'
import type { RowFault } from './rows.js'

/** A row that an import refused, with its original bytes. */
export interface Reject {
  row: number
  faults: RowFault[]
  content: Buffer
  /** The matching values of the subject that the row means. */
  matching?: ValueHash | undefined
  /**
   * True for a row of a person that does not say which subject it means. No erasure of that subject would find it, so it is
   * kept for {@link unidentifiedMs} only.
   */
  isUnidentified?: boolean
}

/** How long a refused row is kept if nothing says whose it is, in ms. One day, which is time to correct it. */
const unidentifiedMs = 86_400_000

/** The most rows that one statement deletes. Most rows have some hundred bytes, a few have up to 1 MB. */
const perForgetting = 1_000

/** Deletes the refused rows of all tenants that nobody can identify, a day after they came. @returns how many. */
export async function forgetUnidentified(db: Knex): Promise<number> {
  let forgotten = 0
  for (const tenant of await db('import_rejects').distinct('tenant_id').pluck<TenantId[]>('tenant_id')) {
    const old = () =>
      db('import_rejects').where({ tenant_id: tenant }).where('unidentified_since', '<', ago(db, unidentifiedMs))
    for (let more = 1; more > 0; forgotten += more) more = await old().limit(perForgetting).delete()
  }
  return forgotten
}

/** Stores refused rows, inside the transaction of their step. */
export async function saveRejects(
  trx: Knex.Transaction,
  tenant: TenantId,
  jobId: string,
  rejects: readonly Reject[],
): Promise<void> {
  const rows = rejects.map(({ row, faults, content, matching, isUnidentified }) => [
    tenant,
    jobId,
    row,
    JSON.stringify(faults),
    content,
    matching === undefined ? null : new Hex(matching),
    isUnidentified ? presentTime : null,
  ])
  const said = ['faults', 'content', 'matching_hash', 'unidentified_since']
  await upsertRows(trx, 'import_rejects', ['tenant_id', 'job_id', 'row_no', ...said], rows, said)
}

/**
 * Removes accepted rows from the refused ones, inside the transaction of their step. An attempt that ended before its step may have
 * stored them.
 */
export async function dropRejects(
  trx: Knex.Transaction,
  tenant: TenantId,
  jobId: string,
  accepted: readonly number[],
): Promise<void> {
  const rejects = () => trx('import_rejects').where({ tenant_id: tenant, job_id: jobId })
  for (const some of slices(accepted)) {
    // Looks first, because a deletion also locks the places of rows that are not there, and other imports would wait for them.
    const stored: number[] = await rejects().whereIn('row_no', some).pluck('row_no')
    if (stored.length > 0) await rejects().whereIn('row_no', stored).delete()
  }
}

/** How many rows are asked for their sizes at once, and about how many bytes are then read at once: this bounds the memory needed. */
const rowsAtOnce = 500
const bytesAtOnce = 1024 * 1024

/** Reads the rows that an import has refused so far, in the order of the upload. */
export async function* rejectsOf(db: Db, tenant: TenantId, jobId: string): AsyncGenerator<Reject> {
  const all = () => db('import_rejects').where({ tenant_id: tenant, job_id: jobId }).orderBy('row_no')
  for (let after = 0; ; ) {
    const sizes: { row_no: number; size: number }[] = await all()
      .where('row_no', '>', after)
      .limit(rowsAtOnce)
      .select('row_no', db.raw('OCTET_LENGTH(content) AS size'))
    if (sizes.length === 0) return
    let size = 0
    for (const row of sizes) {
      size += Number(row.size)
      if (size < bytesAtOnce && row !== sizes.at(-1)) continue
      const rows: { row_no: number; faults: string; content: Buffer }[] = await all()
        .where('row_no', '>', after)
        .where('row_no', '<=', row.row_no)
        .select('row_no', 'faults', 'content')
      for (const { row_no, faults, content } of rows) yield { row: row_no, faults: JSON.parse(faults), content }
      after = row.row_no
      size = 0
    }
  }
}
