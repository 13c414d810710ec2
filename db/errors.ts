// Runs transactions with retries, and turns database errors into problems.
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import { Problem, unavailable } from '../runtime/problems/problem.js'
import { clearToldIds, recordAction } from './audit/action.js'
import { type Db, type TenantId, turnsOf } from './connect.js'

const deadlock = new Set([
  'ER_LOCK_DEADLOCK',
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_CHECKREAD',
  // MariaDB reports a deadlock on, or a wait for, the lock of an AUTO_INCREMENT column this way (innodb_autoinc_lock_mode = 1).
  'ER_AUTOINC_READ_FAILED',
])
const away = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'ENOENT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'PROTOCOL_CONNECTION_LOST',
  'ER_CON_COUNT_ERROR',
  'ER_SERVER_SHUTDOWN',
  'ER_NORMAL_SHUTDOWN',
  'ER_QUERY_INTERRUPTED',
  'ER_CONNECTION_KILLED',
  'POOL_CLOSED',
  // The certificate has expired, or belongs to another server.
  'HANDSHAKE_SSL_ERROR',
  'HANDSHAKE_NO_SSL_SUPPORT',
])

/** Error numbers with which VTGate passes on that the MySQL of a shard is gone, and how it says that a shard has none to ask. */
const shardLost = new Set([2006, 2013])
const noShard =
  /^target: \S+ (?:no healthy tablet available|primary is not serving|vttablet: rpc error: code = \S+ desc = operation not allowed in state)/

/** Error numbers of a statement that the server ended because of its time limit, on MySQL and MariaDB. */
const tooSlow = new Set([3024, 1969])

/** Returns true for an error which means that the database is not available at the moment, or too slow to answer. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (isTooSlow(error) || isShardAway(error)) return true
  // The text decides only if there is no code. A text with a code comes from the server, and may quote data that looks like this.
  if ('code' in error && typeof error.code === 'string') return away.has(error.code)
  return error.name === 'KnexTimeoutError' || /closed state|Connection lost|server has gone away/.test(error.message)
}

const isShardAway = (error: Error): boolean =>
  ('errno' in error && shardLost.has(Number(error.errno))) ||
  ('sqlMessage' in error && noShard.test(String(error.sqlMessage)))

/** Returns true if a unique key is taken, because somebody else wrote the same first. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ER_DUP_ENTRY'

/** Turns an error of the database into a problem 503 if it is an outage or a lock of others. Returns any other error unchanged. */
export function asProblem(error: unknown): unknown {
  if (error instanceof Problem) return error
  if (isTooSlow(error)) return unanswered(error)
  if (isOutage(error)) return unavailable('The database', error)
  return isLocked(error) ? busy(error) : error
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

/** Returns true for a statement that the server has ended because it took longer than `connect` allows. */
export const isTooSlow = (error: unknown): boolean =>
  error instanceof Error && 'errno' in error && tooSlow.has(Number(error.errno))
const isLocked = (error: unknown): boolean => deadlock.has(codeOf(error))

const unanswered = (cause: unknown): Problem =>
  new Problem(
    'unavailable',
    'The database stopped the work because it took too long. Ask for less, or try again later.',
    [],
    { 'Retry-After': '5' },
    { cause },
  )

/**
 * How long a transaction may take until its commit, in ms. One that takes longer is rolled back. So every write is visible soon after the
 * time that it carries; see {@link visibleWithinMs}.
 */
const longestMs = 240_000

/**
 * A time that a transaction wrote by the database's clock is this many ms old at most when it becomes visible. To {@link longestMs}
 * comes a minute for a process that hangs before it commits; the server ends its transaction earlier than that (see `connect`).
 */
export const visibleWithinMs = longestMs + 60_000

/** Returns how often a transaction is tried in total. A deadlock is detected at once, but a lock has been waited for each time. */
const triesAfter = (error: unknown): number => (codeOf(error) === 'ER_LOCK_WAIT_TIMEOUT' ? 2 : 5)

/**
 * Runs `work` in a transaction. If a tenant is named and a caller does it, the transaction appends that to the tenant's audit as well. Retries it after a
 * deadlock (at most 5 tries) or after waiting in vain for a lock (2 tries), so it must be repeatable and depend only on what it reads inside.
 * @param writer the tenant that writes. Before taking a connection, it waits for its turn among the tenant's writers. With 'unqueued'
 *   there is no waiting, and nothing is told to the audit: `work` calls `recordAction` if it should be.
 * @throws Problem 503 if the database is away, if others hold a lock for too long, if the turn does not come in time, or if `work`
 *   takes longer than {@link longestMs}.
 */
export async function transaction<T>(
  db: Db,
  writer: TenantId | 'unqueued',
  work: (trx: Knex.Transaction) => Promise<T>,
): Promise<T> {
  // A transaction within another is a part of the same action, and has the turn already.
  if (writer === 'unqueued' || db.isTransaction) return runWithRetries(db, work)
  const recorded = async (trx: Knex.Transaction): Promise<T> => {
    clearToldIds()
    const result = await work(trx)
    await recordAction(trx, writer)
    return result
  }
  return inTurn(db, writer, () => runWithRetries(db, recorded))
}

/** Runs `work` after waiting for a turn among the tenant's writers. Inside a transaction, runs it at once: that has its turn already. */
export function inTurn<T>(db: Db, writer: TenantId, work: () => Promise<T>): Promise<T> {
  const turns = db.isTransaction ? undefined : turnsOf(db)
  return turns ? turns.run(writer, work) : work()
}

async function runWithRetries<T>(db: Db, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction(inTime(work))
    } catch (error) {
      if (!isLocked(error) || attempt >= triesAfter(error)) throw asProblem(error)
      await sleep(Math.random() * 20 * 2 ** attempt)
    }
  }
}

/** Undoes work that took too long, by throwing before it is committed. The time counts from before the transaction begins. */
function inTime<T>(work: (trx: Knex.Transaction) => Promise<T>): (trx: Knex.Transaction) => Promise<T> {
  const began = performance.now()
  return async trx => {
    const result = await work(trx)
    if (performance.now() - began > longestMs) throw unanswered(new Error('The transaction took too long'))
    return result
  }
}

/** Creates the problem of a write that others, writing the same data, have kept from succeeding. */
export const busy = (cause?: unknown): Problem =>
  new Problem(
    'busy',
    'Others are writing the same data at the moment. Nothing was changed. Please try again.',
    [],
    { 'Retry-After': '1' },
    { cause },
  )
