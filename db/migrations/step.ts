// The type of a migration step.
import type { Knex } from 'knex'

/**
 * One step of the schema: a single statement, because MySQL commits each by itself; or a change of rows, in batches of
 * one transaction each.
 */
export type MigrationStep = {
  name: string
  /** Version that was the last to use what the step takes away. A step that only adds has none. */
  lastUsedBy?: string
} & ({ up: string } | BatchStep)

interface BatchStep {
  batch: Batch
  /** The new table or column that the change is for. */
  fills?: string
}

/**
 * Changes the next rows; one call takes a bounded number.
 * @param from end of the batch before; undefined for the first. @returns its own end; undefined when no rows are left.
 */
export type Batch = (trx: Knex.Transaction, from: string | undefined) => Promise<string | undefined>
