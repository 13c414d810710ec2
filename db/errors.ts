import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import { Problem, unavailable } from '../runtime/problem.js'
import type { Db } from './connect.js'

const deadlock = new Set(['ER_LOCK_DEADLOCK', 'ER_LOCK_WAIT_TIMEOUT', 'ER_CHECKREAD'])
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
])

/** True for an error that means: the database is not there at the moment. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('code' in error && typeof error.code === 'string' && away.has(error.code)) return true
  return error.name === 'KnexTimeoutError' || /closed state|Connection lost|server has gone away/.test(error.message)
}

/** True for a unique key that is taken: somebody else wrote the same first. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ER_DUP_ENTRY'

/** The database's error as an answer: an outage becomes 503, everything else stays what it is. */
export const asProblem = (error: unknown): unknown =>
  !(error instanceof Problem) && isOutage(error) ? unavailable('The database', error) : error

/**
 * Runs `work` in one transaction, again when it was the victim of a deadlock or a lock wait (at most 5 times).
 * The work must be repeatable: it sees only what it reads inside.
 * @throws Problem 503 when the database is away.
 */
export async function transaction<T>(db: Db, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction(work)
    } catch (error) {
      const locked = error instanceof Error && 'code' in error && deadlock.has(String(error.code))
      if (!locked || attempt === 5) throw asProblem(error)
      await sleep(Math.random() * 20 * 2 ** attempt)
    }
  }
}
