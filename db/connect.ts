// Opens connection pools to MySQL and MariaDB.
import type { Socket } from 'node:net'
import knex, { type Knex } from 'knex'
import type { KeyedQueue } from '../runtime/load/keyed-queue.js'
import type { Log } from '../runtime/observe/log.js'
import { onSilence } from '../runtime/outbound/socket-silence.js'
import { readDatabaseUrl } from '../runtime/settings/database-url.js'
import { traceStatements } from './query-spans.js'
import { createWriterQueue } from './writer-queue.js'

/** A connection pool or a transaction. Every store works with either. */
export type Db = Knex | Knex.Transaction

/** The internal number of a tenant. It is the first column of every key and index. */
export type TenantId = number

/**
 * How long a statement waits for rows or tables that others have locked, in s. A transaction waits twice, which must be shorter than the
 * 10 s within which Temporal expects a heartbeat. Otherwise a second attempt at an activity would queue up behind the first.
 */
const lockWaitSeconds = 4

/** How long a writer waits for its turn, in ms: as long as a transaction waits for locks. */
const turnMs = 2 * lockWaitSeconds * 1_000

/** How long a server may be silent in the middle of a statement before it counts as gone, in ms. */
const silenceTimeoutMs = 40_000

/** Connections of a pool that stay open when nobody uses them, so that the first call after a pause does not pay for opening one. */
const keptConnections = 2

/** How long a connection beyond {@link keptConnections} may be unused before the pool closes it, in ms. */
const unusedMs = 300_000

/** After how many ms without traffic TCP probes a connection. Firewalls silently drop connections on which nothing is ever sent. */
const probeAfterMs = 30_000

/**
 * Allows recursive statements of any depth. MariaDB would silently leave out the rows below 1,000 levels. MySQL has the same setting in
 * each such statement (`anyDepth` in `rows.ts`). Each server executes only its own comment.
 */
const anyRecursion = '/*M! , max_recursive_iterations = 4294967295 */'

/** Lets each transaction read from one snapshot, whatever the server's default is. The variable has a different name on each server. */
const isolation = "/*!80003 , transaction_isolation = 'REPEATABLE-READ' *//*M! , tx_isolation = 'REPEATABLE-READ' */"

/**
 * Stops MariaDB from converting lists of 1,000 keys or more into a temporary table. With outdated statistics it would then read all rows
 * of the tenant. With a plain list it always uses the index.
 */
const keysStayList = '/*M! , in_predicate_conversion_threshold = 0 */'

/**
 * Makes the server end a statement shortly before this process stops waiting for it. Otherwise the statement would go on for nobody.
 * MySQL can only end reads.
 * @param ms how long this process waits for a statement.
 */
const endedInTime = (ms: number): string =>
  `/*!80003 , max_execution_time = ${Math.ceil(ms * 0.9)} *//*M! , max_statement_time = ${(ms * 0.9) / 1_000} */`

/**
 * Makes the server end a transaction whose process hangs in the middle of it. Until then its rows stay locked, and the next attempt at
 * the same step waits for them. MariaDB has a time limit for idle transactions. MySQL can only close connections that are idle for too
 * long, unused ones among them; the pool replaces these when they are needed.
 * @param ms how long this process waits for a statement. The pause between two statements of a transaction is always much shorter.
 */
const endedInSilence = (ms: number): string =>
  `/*!80003 , wait_timeout = ${Math.ceil(ms / 1_000)} *//*M! , idle_transaction_timeout = ${Math.max(8, Math.ceil(ms / 2_000))} */`

/** Makes the sessions of a replica refuse to write. */
const noWrites = '/*!80003 , transaction_read_only = 1 *//*M! , tx_read_only = 1 */'

const turns = new WeakMap<Db, KeyedQueue<TenantId>>()

/** Returns the queue in which writers wait for their turn at a pool. Undefined for a pool that was not opened by {@link connect}. */
export const turnsOf = (pool: Db): KeyedQueue<TenantId> | undefined => turns.get(pool)

export interface ConnectOptions {
  poolSize?: number
  silenceTimeoutMs?: number
  lockWaitSeconds?: number
  turnMs?: number
  readOnly?: boolean
  setting?: string
  log?: Log
}

/**
 * Opens a pool on a MySQL 8.4+ or MariaDB 10.11+ server. Times are in UTC with milliseconds, and SQL modes are strict. Connects only for
 * the first query, so that a process can start while the database is away.
 * @param databaseUrl see {@link readDatabaseUrl}.
 * @param options.silenceTimeoutMs how long the server may be silent during a statement. After that the connection is closed and the statement
 *   fails as an outage. This only happens if the server hangs, because a working one ends the statement before. Use a short time if a
 *   caller waits, a long one (40 s, the default) for jobs.
 * @param options.lockWaitSeconds how long a statement waits for locks on rows or tables. A transaction waits twice as long.
 * @param options.turnMs how long a writer waits for its turn.
 * @param options.readOnly makes all connections refuse to write.
 * @param options.setting name of the setting with the address, for messages.
 */
export function connect(databaseUrl: string, options: ConnectOptions = {}): Knex {
  const timeoutMs = options.silenceTimeoutMs ?? silenceTimeoutMs
  // The wait for a lock must end before the silence does: it has an error of its own, after which the transaction is retried.
  const lockWait = options.lockWaitSeconds ?? Math.min(lockWaitSeconds, Math.ceil(timeoutMs / 2_000))
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
      keepAliveInitialDelay: probeAfterMs,
      // The type of knex lacks `uri`, an option of mysql2.
    } as Knex.MySql2ConnectionConfig,
    pool: {
      min: Math.min(keptConnections, poolSize),
      max: poolSize,
      idleTimeoutMillis: unusedMs,
      // One statement for each new connection sets everything that must not depend on the defaults of the server.
      afterCreate: (
        connection: SessionConnection,
        done: (error: Error | null, connection: SessionConnection) => void,
      ) => {
        const { stream } = connection
        // While a connection is being closed, knex has already removed its error listener. An error would then end the process.
        const silent = () => (connection.listenerCount('error') > 0 ? new ServerSilent() : undefined)
        stream.on('timeout', () => onSilence(stream, () => stream.destroy(silent())))
        stream.setTimeout(timeoutMs)
        connection.query(
          `SET time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO', innodb_lock_wait_timeout = ${lockWait}, lock_wait_timeout = ${lockWait}${anyRecursion}${isolation}${keysStayList}${endedInTime(timeoutMs)}${endedInSilence(timeoutMs)}${options.readOnly ? noWrites : ''}`,
          error => {
            traceStatements(connection, databaseUrl)
            done(error, connection)
          },
        )
      },
    },
    acquireConnectionTimeout: 6_000,
    // By default knex writes to the console. Failures are thrown anyway, and logged where they are handled.
    log: { warn: quiet, error: quiet, deprecate: quiet, debug: quiet },
  })
  // Silence of the server matters only while somebody uses the connection.
  const connections: ConnectionEvents = pool.client.pool
  connections.on('acquireSuccess', (_, { stream }) => stream.setTimeout(timeoutMs))
  connections.on('release', ({ stream }) => stream.setTimeout(0))
  const third = Math.max(1, Math.floor(poolSize / 3))
  // Writers take at most two thirds of the pool. The rest is left for reads, health checks and the platform's own work.
  turns.set(
    pool,
    createWriterQueue({ atOnce: third, ofAll: Math.max(1, poolSize - third), waitTimeoutMs: options.turnMs ?? turnMs }),
  )
  return pool
}

/** The error of a statement that the server does not answer. `isOutage` recognizes it by its code. */
class ServerSilent extends Error {
  readonly code = 'ETIMEDOUT'
  constructor() {
    super('The database server did not answer in time')
  }
}

/** The events of knex's pool of connections (tarn). */
interface ConnectionEvents {
  on(event: 'acquireSuccess', listener: (eventId: number, connection: SessionConnection) => void): void
  on(event: 'release', listener: (connection: SessionConnection) => void): void
}

interface SessionConnection {
  stream: Socket
  listenerCount(event: 'error'): number
  query(sql: string, done: (error: Error | null) => void): void
}
