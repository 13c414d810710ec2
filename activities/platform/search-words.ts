// The activity that maintains the word index of the subject search.
import type { Knex } from 'knex'
import { settleWords } from '../../db/frame/search/learnt-words.js'
import type { Log } from '../../runtime/log.js'
import { repeatedly } from './repeatedly.js'

/** A new name is found with a typo after about as long. */
const pauseMs = 1_000

/** Activities of the run that keeps the words by which subjects are found. */
export const searchWordActivities = ({ db, log }: { db: Knex; log: Log }) => ({
  /** Learns words that are new to a tenant, and forgets those that nobody has any more. Goes on for minutes. */
  settleSearchWords: (): Promise<void> =>
    repeatedly(log, pauseMs, async () => {
      while ((await settleWords(db)) > 0) {
        // Some hundred more.
      }
    }),
})
