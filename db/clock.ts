// The clock by which times in the database are written and compared: the server's own. The clocks of processes may differ.
import type { Knex } from 'knex'
import type { Log } from '../runtime/observe/log.js'
import { repeat } from '../runtime/process/repeat.js'
import { tellSkewOfDatabase } from '../runtime/temporal/temporal-clock.js'
import type { Db } from './connect.js'
import { rowsOf, Sql } from './rows.js'

/** Returns the present time of the database's clock, as an expression in a statement. */
export const now = (db: Db): Knex.Raw => db.fn.now(3)

/** Returns the time `ms` before the present one of the database's clock, as an expression in a statement. */
export const ago = (db: Db, ms: number): Knex.Raw =>
  db.raw('TIMESTAMPADD(MICROSECOND, ?, CURRENT_TIMESTAMP(3))', [Math.round(-ms * 1_000)])

/** The present time of the database's clock, as a value in a row; see `insertRows`. */
export const presentTime = new Sql('CURRENT_TIMESTAMP(3)')

/** Reads the database's clock. */
export async function timeOf(db: Db): Promise<Date> {
  const [row] = await rowsOf<{ now: Date }>(db, 'SELECT CURRENT_TIMESTAMP(3) AS `now`', [])
  if (!row) throw new Error('The database does not tell its time')
  return row.now
}

/** How often the database's clock is compared with that of this process, in ms. */
const compareMs = 60_000

/** Compares the database's clock with that of this process, for the metrics, until the returned function is called. */
export const watchClock = (db: Knex, log: Log): (() => Promise<void>) =>
  repeat(async () => {
    try {
      const askedAt = Date.now()
      const time = await timeOf(db)
      tellSkewOfDatabase((askedAt + Date.now()) / 2 - time.getTime())
    } catch (err) {
      log.warn({ err }, 'the clock of the database could not be compared')
    }
    return compareMs
  })
