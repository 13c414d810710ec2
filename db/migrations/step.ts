// The type of a migration step.
import type { Knex } from 'knex'

/**
 * One step of the schema: either a single statement, because MySQL commits each statement that changes the schema by
 * itself, or a change of rows in batches, each in a transaction.
 */
export type MigrationStep = {
  name: string
  /** The last version that used what the step removes. Steps that only add leave it out. */
  lastUsedBy?: string
} & ({ up: string } | BatchStep)

interface BatchStep {
  batch: Batch
  /** The new table or column that the batches fill. */
  fills?: string
}

/**
 * Changes the next rows, a bounded number of them.
 * @param from where the previous batch ended; undefined for the first.
 * @returns where this batch ended; undefined when no rows are left.
 */
export type Batch = (trx: Knex.Transaction, from: string | undefined) => Promise<string | undefined>
