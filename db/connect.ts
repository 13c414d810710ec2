import knex, { type Knex } from 'knex'
import type { Log } from '../runtime/log.js'

/** A connection pool or a transaction: what every store is bound to. */
export type Db = Knex | Knex.Transaction

/** Internal number of a tenant; the first column of every key and index. */
export type TenantId = number

/**
 * Opens a pool on a MySQL 8.4+ or MariaDB 10.11+ server. Times are UTC with milliseconds, modes are strict.
 * Nothing is connected before the first query, so a process starts while the database is away.
 */
export function connect(databaseUrl: string, options: { poolSize?: number; log?: Log } = {}): Knex {
  const quiet = (message: unknown) => options.log?.debug({ knex: String(message) }, 'knex')
  return knex({
    client: 'mysql2',
    connection: {
      uri: databaseUrl,
      timezone: 'Z',
      charset: 'utf8mb4',
      supportBigNumbers: true,
      connectTimeout: 5_000,
      enableKeepAlive: true,
    } as Knex.MySql2ConnectionConfig,
    pool: {
      min: 0,
      max: options.poolSize ?? 20,
      // One statement a connection, once: what the server's own defaults may differ in.
      afterCreate: (
        connection: SessionConnection,
        done: (error: Error | null, connection: SessionConnection) => void,
      ) =>
        connection.query(
          "SET time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO', innodb_lock_wait_timeout = 30",
          error => done(error, connection),
        ),
    },
    acquireConnectionTimeout: 6_000,
    // knex would write to the console; what fails is thrown and logged where it is handled.
    log: { warn: quiet, error: quiet, deprecate: quiet, debug: quiet },
  })
}

interface SessionConnection {
  query(sql: string, done: (error: Error | null) => void): void
}
