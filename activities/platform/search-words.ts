// The activity that maintains the subject search's word index.
import type { Knex } from 'knex'
import { settleWords } from '../../db/frame/search/word-settling.js'
import type { Log } from '../../runtime/observe/log.js'
import { pollActivity } from './poll-activity.js'

/** Also about how long it takes until a new name can be found despite a typo. */
const pauseMs = 2_000

/** Creates the activity that maintains the word index. */
export const searchWordActivities = ({ db, log }: { db: Knex; log: Log }) => ({
  /** Adds new words to the index and removes unused ones, for some minutes. */
  settleSearchWords: (): Promise<void> =>
    pollActivity(log, pauseMs, async () => {
      while ((await settleWords(db)) > 0) {
        // Each call processes a limited number of words.
      }
    }),
})
