import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { type Cell, upsertRows } from '../../db/rows.js'
import type { KnownInstance } from './extract-model.js'
import type { Subject } from './extract-place.js'

/** Another submission like one that there is. */
export interface Copy {
  subject: Subject
  /** When it was submitted, and when withdrawn, in ms since 1970. */
  at: number
  withdrawnAt?: number | undefined
}

/** Where extracts read. */
const tables = ['form_values', 'form_reports']

/**
 * Multiplies a submission straight in the tables that extracts read: thousands in a second or two. Of each there are the rows
 * that the product has written for the first one, with ids, times and subject of its own.
 * @param original submitted once, and nothing else.
 */
export async function addCopies(
  db: Knex,
  tenantKey: string,
  original: KnownInstance,
  copies: readonly Copy[],
): Promise<KnownInstance[]> {
  const tenant_id = await tenantIdOf(db, tenantKey)
  const ids = copies.map(() => ({ instance_id: randomUUID(), version_id: randomUUID() }))
  for (const table of tables) {
    const written: Record<string, Cell>[] = await db(table).where({ tenant_id, instance_id: original.guid })
    const columns = Object.keys(written[0] ?? {})
    const rows = copies.flatMap(({ subject, at, withdrawnAt }, n) => {
      const own: Record<string, Cell> = {
        ...ids[n],
        subject_id: subject.id,
        submitted_at: new Date(at),
        counts_from: new Date(at),
      }
      if (withdrawnAt !== undefined) own.counts_until = new Date(withdrawnAt)
      return written.map(row => columns.map(column => own[column] ?? row[column] ?? null))
    })
    await upsertRows(db, table, columns, rows, [])
  }
  return copies.map(({ subject, at, withdrawnAt }, n) => ({
    ...original,
    guid: ids[n]?.instance_id ?? '',
    subject,
    deeds: [
      ...original.deeds.map(deed => (deed.did === 'submit' ? { ...deed, at } : deed)),
      ...(withdrawnAt === undefined ? [] : [{ did: 'withdraw' as const, at: withdrawnAt }]),
    ],
  }))
}
