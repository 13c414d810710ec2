import type { Knex } from 'knex'
import { settleWords } from '../../db/frame/learnt-words.js'
import type { Log } from '../../runtime/log.js'

/** A new name is found with a typo after about as long. */
const everyMs = 1_000

/**
 * Learns the words of subjects that are new to a tenant, for searches with typos, and forgets those that nobody has any more:
 * in every API process, which may do so at once.
 */
export function sweepWords({ db, log }: { db: Knex; log: Log }): { stop(): void } {
  let timer: NodeJS.Timeout
  const next = () => {
    timer = setTimeout(async () => {
      try {
        while ((await settleWords(db)) > 0) {
          // Some hundred more.
        }
      } catch (err) {
        log.warn({ err }, 'sweeping of words stopped for now')
      }
      next()
    }, everyMs).unref()
  }
  next()
  return { stop: () => clearTimeout(timer) }
}
