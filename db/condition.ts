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

/** Returns the names that are no steps of this program's schema. */
export function unknownSteps(names: readonly string[]): string[] {
  const known = new Set(steps.map(({ name }) => name))
  return names.filter(name => !known.has(name))
}

/** What a backup or restore needs to know of a database. */
export interface DatabaseCondition {
  isMariaDb: boolean
  /** The version of the server. */
  server: string
  tables: number
  /** How large the tables are, in bytes, as the server estimates. */
  bytes: number
  /** The steps of the schema that are done. */
  steps: string[]
}

export async function databaseCondition(db: Knex): Promise<DatabaseCondition> {
  const [found] = await rowsOf<{ server: string; tables: number; bytes: string | null }>(
    db,
    `SELECT VERSION() AS server, COUNT(*) AS tables, SUM(data_length) AS bytes FROM information_schema.tables
     WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE'`,
    [],
  )
  const { server = '', tables = 0, bytes } = found ?? {}
  const steps = (await db.schema.hasTable('schema_steps')) ? await db('schema_steps').orderBy('id').pluck('name') : []
  return { isMariaDb: server.includes('MariaDB'), server, tables: Number(tables), bytes: Number(bytes ?? 0), steps }
}

/** Deletes all tables of the database. */
export async function dropTables(db: Knex): Promise<void> {
  const tables = await rowsOf<{ name: string }>(
    db,
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE'`,
    [],
  )
  for (const { name } of tables) await db.schema.dropTable(name)
}
