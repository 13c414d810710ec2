// Tells operators in which condition a database is.
import type { Knex } from 'knex'
import { steps } from './migrations/index.js'
import { rowsOf } from './rows.js'

/** Counts the steps of the schema that this program knows and the database lacks. */
export async function missingSteps(db: Knex): Promise<number> {
  if (!(await db.schema.hasTable('schema_steps'))) return steps.length
  const done = new Set<string>(await db('schema_steps').pluck('name'))
  return steps.filter(({ name }) => !done.has(name)).length
}

/**
 * Returns the settings of the server with which a loss of power loses transactions that were committed, each with the value
 * that it should have. MariaDB's default for its binary log is one of them.
 */
export async function unsafeSettings(db: Knex): Promise<string[]> {
  const [found] = await rowsOf<{ redo: number; log: number; sync: number }>(
    db,
    'SELECT @@innodb_flush_log_at_trx_commit AS redo, @@log_bin AS log, @@sync_binlog AS sync',
    [],
  )
  return [
    ...(found?.redo === 1 ? [] : ['innodb_flush_log_at_trx_commit=1']),
    ...(found?.log === 1 && found.sync !== 1 ? ['sync_binlog=1'] : []),
  ]
}
