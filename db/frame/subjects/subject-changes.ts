// Notes changes of subjects in their feed.
import type { Knex } from 'knex'
import type { TenantId } from '../../connect.js'
import { type Change, type ChangeKind as KindOf, unnumberedChanges, writeChanges } from '../../feeds.js'
import { insertFrom } from '../../rows.js'

export type ChangeKind = KindOf<'subject'>
export type SubjectChange = Change<'subject'>

/** Notes changes in the transaction that makes them. The lock of a subject is held by then, so its changes follow one another. */
export const noteChanges = (
  trx: Knex.Transaction,
  tenant: TenantId,
  changes: readonly SubjectChange[],
): Promise<void> => writeChanges(trx, tenant, 'subject', changes)

/** Notes the move of each subject that a query of `subject_locations` selects. */
export async function noteMoves(trx: Knex.Transaction, tenant: TenantId, rows: Knex.QueryBuilder): Promise<void> {
  const { table, columns } = unnumberedChanges
  const values = trx.raw("?, 'subject', subject_locations.subject_id, 'moved', NOW(3), NULL", [tenant])
  await insertFrom(trx, table, columns, rows.select(values))
}
