// Writes changes of subjects to their feed.
import type { Knex } from 'knex'
import type { TenantId } from '../../connect.js'
import { type Change, type ChangeKind as KindOf, unnumberedChanges, writeChanges } from '../../feeds.js'
import { insertFrom } from '../../rows.js'

export type ChangeKind = KindOf<'subject'>
export type SubjectChange = Change<'subject'>

/**
 * Writes changes to the feed of subjects, in the transaction that makes them. That transaction must have locked the subjects, so that
 * the changes of each come in the order in which they happened.
 */
export const noteChanges = (
  trx: Knex.Transaction,
  tenant: TenantId,
  changes: readonly SubjectChange[],
): Promise<void> => writeChanges(trx, tenant, 'subject', changes)

/** Writes a `moved` change for each subject in the rows of `subject_locations` that a query selects. */
export async function noteMoves(trx: Knex.Transaction, tenant: TenantId, rows: Knex.QueryBuilder): Promise<void> {
  const { table, columns } = unnumberedChanges
  const values = trx.raw("?, 'subject', subject_locations.subject_id, 'moved', NOW(3), NULL", [tenant])
  await insertFrom(trx, table, columns, rows.select(values))
}
