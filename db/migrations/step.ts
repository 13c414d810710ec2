// The type of a migration step.
import type { Knex } from 'knex'

/**
 * One step of the schema: a single statement, because MySQL commits each by itself; or a change of rows, in batches of
 * one transaction each.
 */
export type MigrationStep = { name: string } & ({ up: string } | { batch: Batch })

/**
 * Changes the next rows; one call takes a bounded number.
 * @param from end of the batch before; undefined for the first. @returns its own end; undefined when no rows are left.
 */
export type Batch = (trx: Knex.Transaction, from: string | undefined) => Promise<string | undefined>
