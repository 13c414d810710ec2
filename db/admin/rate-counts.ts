// Counts requests per minute across all API processes.
import type { Knex } from 'knex'
import { transaction } from '../errors.js'
import { rowsOf, slices } from '../rows.js'

/** The sum of all processes, and how long it counts before a new minute begins. */
export interface RateCount {
  points: number
  msLeft: number
}

/**
 * Adds points to names and returns the sums of all processes, with one transaction for up to 500 names. Zero points
 * only read. A name is a SHA-256 in base64url; a name that has no points is left out of the result.
 */
export type RateCounts = (points: ReadonlyMap<string, number>) => Promise<Map<string, RateCount>>

/** How many names one statement handles. */
const maxNames = 500
const cleanEveryMs = 60_000
const maxCleaned = 10_000

/** Creates the counter. Each count lasts for a minute from its first point, by the database's clock. */
export function createRateCounts(db: Knex): RateCounts {
  let cleanedAt = Date.now()

  return async points => {
    const sums = new Map<string, RateCount>()
    for (const slice of slices([...points], maxNames)) {
      for (const [name, sum] of await countSlice(slice)) sums.set(name, sum)
    }
    await clean()
    return sums
  }

  // The rows stay locked until their sums are read, so the sums contain no points that other processes add meanwhile.
  function countSlice(slice: [name: string, points: number][]): Promise<[string, RateCount][]> {
    return transaction(db, 'unqueued', async trx => {
      // All processes use the same order, so that two of them cannot deadlock.
      const all = slice
        .map(([name, points]) => ({ points, hash: Buffer.from(name, 'base64url') }))
        .sort((a, b) => a.hash.compare(b.hash))
      const added = all.filter(({ points }) => points > 0)
      if (added.length > 0) {
        const rows = added.map(() => '(?, ?, UTC_TIMESTAMP(3) + INTERVAL 1 MINUTE)').join(', ')
        await trx.raw(
          `INSERT INTO rate_counts (name, points, ends_at) VALUES ${rows} ON DUPLICATE KEY UPDATE
             points = IF(ends_at > UTC_TIMESTAMP(3), points, 0) + VALUES(points),
             ends_at = IF(ends_at > UTC_TIMESTAMP(3), ends_at, VALUES(ends_at))`,
          added.flatMap(({ hash, points }) => [hash, points]),
        )
      }
      const found = await rowsOf<{ name: Buffer; points: number; microseconds: number }>(
        trx,
        `SELECT name, points, TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(3), ends_at) AS microseconds
         FROM rate_counts WHERE name IN (${all.map(() => '?').join(', ')}) AND ends_at > UTC_TIMESTAMP(3)`,
        all.map(({ hash }) => hash),
      )
      return found.map(({ name, points, microseconds }): [string, RateCount] => [
        name.toString('base64url'),
        { points, msLeft: microseconds / 1_000 },
      ])
    })
  }

  /**
   * Deletes ended counts, at most once a minute. Each call deletes a limited number and leaves the rest to the next.
   */
  async function clean(): Promise<void> {
    if (Date.now() - cleanedAt < cleanEveryMs) return
    cleanedAt = Date.now()
    await db('rate_counts').whereRaw('ends_at < UTC_TIMESTAMP(3)').limit(maxCleaned).delete()
  }
}
