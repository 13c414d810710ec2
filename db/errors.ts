// Transactions with retries, and the problems that database errors become.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import { Problem, unavailable } from '../runtime/problem.js'
import { type Db, type TenantId, turnsOf } from './connect.js'

const deadlock = new Set([
  'ER_LOCK_DEADLOCK',
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_CHECKREAD',
  // MariaDB, of a deadlock or a wait for the lock by which a table numbers its rows (innodb_autoinc_lock_mode of 1).
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
  // A certificate that has expired, or that is not the server's.
  'HANDSHAKE_SSL_ERROR',
  'HANDSHAKE_NO_SSL_SUPPORT',
])

/** Numbers of MySQL and of MariaDB. */
const tooSlow = new Set([3024, 1969])

/** True for an error that means: the database is not there at the moment, or has no time for a statement. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (isTooSlow(error)) return true
  // Only where there is no code does the text tell: with one, the text may quote somebody's data.
  if ('code' in error && typeof error.code === 'string') return away.has(error.code)
  return error.name === 'KnexTimeoutError' || /closed state|Connection lost|server has gone away/.test(error.message)
}

/** True for a unique key that is taken: somebody else wrote the same first. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ER_DUP_ENTRY'

/** The database's error as an answer: an outage and a lock that others hold become 503, everything else stays what it is. */
export function asProblem(error: unknown): unknown {
  if (error instanceof Problem) return error
  if (isTooSlow(error)) return unanswered(error)
  if (isOutage(error)) return unavailable('The database', error)
  return isLocked(error) ? busy(error) : error
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')
/** True for a statement that the server has ended, because it took longer than `connect` allows. */
export const isTooSlow = (error: unknown): boolean =>
  error instanceof Error && 'errno' in error && tooSlow.has(Number(error.errno))
const isLocked = (error: unknown): boolean => deadlock.has(codeOf(error))

const unanswered = (cause: unknown): Problem =>
  new Problem(
    'unavailable',
    'The database took too long, and has ended the work. Ask for less, or try again later.',
    [],
    { 'Retry-After': '5' },
    { cause },
  )

/** How often a transaction is tried: a deadlock is known at once, a lock has been waited for. */
const triesAfter = (error: unknown): number => (codeOf(error) === 'ER_LOCK_WAIT_TIMEOUT' ? 2 : 5)

/**
 * Runs `work` in one transaction, again when it was the victim of a deadlock (5 times at most) or of a lock wait
 * (twice). The work must be repeatable: it sees only what it reads inside.
 * @param writer the tenant, whose writers wait for their turn before they take a connection; 'platform' takes no turn.
 * @throws Problem 503 when the database is away. 503 when others hold its locks for longer than that, or its turn does
 *   not come in time.
 */
export async function transaction<T>(
  db: Db,
  writer: TenantId | 'platform',
  work: (trx: Knex.Transaction) => Promise<T>,
): Promise<T> {
  return writer === 'platform' ? attempted(db, work) : inTurn(db, writer, () => attempted(db, work))
}

/** Does a work in a turn of the tenant's writers. Inside it, transactions of the tenant wait for no other. */
export function inTurn<T>(db: Db, writer: TenantId, work: () => Promise<T>): Promise<T> {
  // A transaction has its turn already.
  const turns = db.isTransaction ? undefined : turnsOf(db)
  return turns ? turns.run(writer, work) : work()
}

async function attempted<T>(db: Db, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction(work)
    } catch (error) {
      if (!isLocked(error) || attempt >= triesAfter(error)) throw asProblem(error)
      await sleep(Math.random() * 20 * 2 ** attempt)
    }
  }
}

/** Others write the same data, again and again. */
export const busy = (cause?: unknown): Problem =>
  new Problem(
    'busy',
    'Others are writing the same data at the moment. Nothing was changed. Please try again.',
    [],
    { 'Retry-After': '1' },
    { cause },
  )
