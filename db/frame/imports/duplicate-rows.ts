// Remembers, for all matching values in an upload, which row had them first.
import type { Db, TenantId } from '../../connect.js'
import { Hex, insertMissing } from '../../rows.js'
import { toBytes, type ValueHash } from '../fields/matching.js'
import type { FindDuplicates } from '../subjects/subject-plan.js'

/**
 * Finds rows that mean the same subject as an earlier row of the upload. The rows are remembered in the database, so that it gives
 * the same answers when a batch is read again, after a crash or in a second pass.
 */
export const duplicatesInUpload =
  (db: Db, tenant: TenantId, fileId: string, numbers: readonly number[]): FindDuplicates =>
  async hashes => {
    const first = new Map<ValueHash, number>()
    for (const [n, hash] of hashes.entries())
      if (hash !== undefined && !first.has(hash)) first.set(hash, numbers[n] ?? 0)
    const rows = [...first].sort(([a], [b]) => (a < b ? -1 : 1))
    const values = rows.map(([hash, row]) => [tenant, fileId, new Hex(hash), row])
    const added = await insertMissing(db, 'import_keys', ['tenant_id', 'file_id', 'matching_hash', 'row_no'], values)
    if (added < rows.length)
      for (const [hash, row] of await firstRows(db, tenant, fileId, [...first.keys()])) first.set(hash, row)
    return hashes.map((hash, n) => {
      const before = hash === undefined ? undefined : first.get(hash)
      return before === undefined || before >= (numbers[n] ?? 0)
        ? undefined
        : `The same subject is given twice, first in row ${before}.`
    })
  }

/** Looks up the first row with each of these matching values. Leaves out values that the upload does not have. */
export async function firstRows(
  db: Db,
  tenant: TenantId,
  fileId: string,
  hashes: readonly ValueHash[],
): Promise<[ValueHash, number][]> {
  const rows: { matching_hash: Buffer; row_no: number }[] = await db('import_keys')
    .where({ tenant_id: tenant, file_id: fileId })
    .whereIn('matching_hash', hashes.map(toBytes))
    .select('matching_hash', 'row_no')
  return rows.map(({ matching_hash, row_no }) => [matching_hash.toString('hex'), row_no])
}
