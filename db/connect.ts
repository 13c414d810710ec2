// Connection pools to MySQL and MariaDB.
import type { Socket } from 'node:net'
import knex, { type Knex } from 'knex'
import { readDatabaseUrl } from '../runtime/database-url.js'
import type { Log } from '../runtime/log.js'
import { onSilence } from '../runtime/socket-silence.js'
import type { Turns } from '../runtime/turns.js'
import { traceStatements } from './query-spans.js'
import { writerTurns } from './turns.js'

/** A connection pool or a transaction: what every store is bound to. */
export type Db = Knex | Knex.Transaction

/** Internal number of a tenant; the first column of every key and index. */
export type TenantId = number

/**
 * How long a statement waits for rows or a table that others hold, in s. Tried twice, that is shorter than the 10 s in which
 * Temporal wants to hear of an activity: no second attempt waits beside the first.
 */
const lockWaitSeconds = 4

/** As long as a transaction waits for a lock. */
const turnMs = 2 * lockWaitSeconds * 1_000

/** How long a server may say nothing in the middle of a statement before it counts as gone, in ms. */
const silenceMs = 40_000

/**
 * Recursive statements go as deep as the hierarchy does, which may be older than its greatest depth. MySQL would fail at 1,000
 * levels, MariaDB would leave the others out; each server reads its own comment.
 */
const anyRecursion = '/*!80003 , cte_max_recursion_depth = 4294967295 *//*M! , max_recursive_iterations = 4294967295 */'

/** Stores read one snapshot a transaction, whatever the server's default. The variable has another name on each server. */
const isolation = "/*!80003 , transaction_isolation = 'REPEATABLE-READ' *//*M! , tx_isolation = 'REPEATABLE-READ' */"

/**
 * MariaDB makes a table of a list of 1,000 keys and more, and with old statistics reads all rows of the tenant beside it. As a
 * list it reads by the index whatever the statistics say.
 */
const keysStayList = '/*M! , in_predicate_conversion_threshold = 0 */'

/**
 * The server ends a statement shortly before nobody waits for it any more, or it would go on for as long as it takes. MySQL ends reads
 * alone.
 * @param ms the time for which somebody waits.
 */
const endedInTime = (ms: number): string =>
  `/*!80003 , max_execution_time = ${Math.ceil(ms * 0.9)} *//*M! , max_statement_time = ${(ms * 0.9) / 1_000} */`

/**
 * The server ends a transaction whose process has hung in the middle of it: until then its rows are locked, and the next attempt
 * at its step waits for them. MariaDB has a limit for just that. On MySQL a connection is closed that says nothing for as long as
 * we would wait for its server; connections that nobody uses are closed by the pool before.
 * @param ms the time for which somebody waits. Between two statements of a transaction it is never so long.
 */
const endedInSilence = (ms: number): string =>
  `/*!80003 , wait_timeout = ${Math.ceil(ms / 1_000)} *//*M! , idle_transaction_timeout = ${Math.max(8, Math.ceil(ms / 2_000))} */`

/** The sessions of a replica refuse to write. */
const noWrites = '/*!80003 , transaction_read_only = 1 *//*M! , tx_read_only = 1 */'

const turns = new WeakMap<Db, Turns<TenantId>>()

/** Turns of tenants' writers at a pool; undefined where it was opened elsewhere. */
export const turnsOf = (pool: Db): Turns<TenantId> | undefined => turns.get(pool)

export interface ConnectOptions {
  poolSize?: number
  silenceMs?: number
  lockWaitSeconds?: number
  turnMs?: number
  readOnly?: boolean
  setting?: string
  log?: Log
}

/**
 * Opens a pool on a MySQL 8.4+ or MariaDB 10.11+ server. Times are UTC with milliseconds, modes are strict. Nothing is
 * connected before the first query, so a process starts while the database is away.
 * @param databaseUrl see {@link readDatabaseUrl}.
 * @param options.silenceMs a connection on which the server is silent for longer is closed, and its statement fails as
 *   an outage. A server that hangs keeps its connections open; one that does not ends the statement before. Short where a
 *   caller waits, long (40 s) where a job does.
 * @param options.lockWaitSeconds how long a statement waits for locks of others, on rows or tables. A transaction waits
 *   twice as long.
 * @param options.turnMs how long a writer waits for its turn.
 * @param options.readOnly its connections refuse to write.
 * @param options.setting the setting that the address comes from.
 */
export function connect(databaseUrl: string, options: ConnectOptions = {}): Knex {
  const patienceMs = options.silenceMs ?? silenceMs
  // Waiting for a lock is silence too, and has an error of its own, which is tried again.
  const lockWait = options.lockWaitSeconds ?? Math.min(lockWaitSeconds, Math.ceil(patienceMs / 2_000))
  const quiet = (message: unknown) => options.log?.debug({ knex: String(message) }, 'knex')
  const poolSize = options.poolSize ?? 20
  const { uri, ssl, unprotected } = readDatabaseUrl(databaseUrl, options.setting)
  if (unprotected) {
    const advice = `add ?ssl-mode=VERIFY_IDENTITY to ${options.setting ?? 'DATABASE_URL'}, or ssl-mode=DISABLED where the network is private`
    options.log?.warn({ host: unprotected }, `the database on another host is reached without TLS: ${advice}`)
  }
  const pool = knex({
    client: 'mysql2',
    connection: {
      uri,
      ...(ssl ? { ssl } : {}),
      timezone: 'Z',
      charset: 'utf8mb4',
      supportBigNumbers: true,
      connectTimeout: 5_000,
      enableKeepAlive: true,
      // knex knows these of mysql2's options, but not `uri` among them.
    } as Knex.MySql2ConnectionConfig,
    pool: {
      min: 0,
      max: poolSize,
      // Sooner than the silence, so that a connection nobody uses is closed in an orderly way.
      idleTimeoutMillis: Math.min(30_000, patienceMs / 2),
      // One statement a connection, once: what the server's own defaults may differ in.
      afterCreate: (
        connection: SessionConnection,
        done: (error: Error | null, connection: SessionConnection) => void,
      ) => {
        const { stream } = connection
        // A connection that is being closed has no listener: knex has removed its own, and an error would end the
        // process.
        const silent = () => (connection.listenerCount('error') > 0 ? new ServerSilent() : undefined)
        stream.setTimeout(patienceMs, () => onSilence(stream, () => stream.destroy(silent())))
        connection.query(
          `SET time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO', innodb_lock_wait_timeout = ${lockWait}, lock_wait_timeout = ${lockWait}${anyRecursion}${isolation}${keysStayList}${endedInTime(patienceMs)}${endedInSilence(patienceMs)}${options.readOnly ? noWrites : ''}`,
          error => {
            traceStatements(connection, databaseUrl)
            done(error, connection)
          },
        )
      },
    },
    acquireConnectionTimeout: 6_000,
    // knex would write to the console; what fails is thrown and logged where it is handled.
    log: { warn: quiet, error: quiet, deprecate: quiet, debug: quiet },
  })
  const third = Math.max(1, Math.floor(poolSize / 3))
  // The last third is for reads, health and the platform's own work, which wait for no turn.
  turns.set(
    pool,
    writerTurns({ atOnce: third, ofAll: Math.max(1, poolSize - third), waitMs: options.turnMs ?? turnMs }),
  )
  return pool
}

/** The error of a statement that the server does not answer; see `isOutage`. */
class ServerSilent extends Error {
  readonly code = 'ETIMEDOUT'
  constructor() {
    super('The database server did not answer in time')
  }
}

interface SessionConnection {
  stream: Socket
  listenerCount(event: 'error'): number
  query(sql: string, done: (error: Error | null) => void): void
}
