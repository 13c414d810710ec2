// Filters lists by the time of the last write.
import type { Knex } from 'knex'
import Type from 'typebox'
import { timeOf } from '../../db/clock.js'
import { visibleWithinMs } from '../../db/errors.js'
import { moment } from '../time-range.js'

export const updatedRange = {
  UpdatedFrom: moment(
    'Written at this time or later. To ask again for what was written since, send the CompleteTo of the first page. Deletions, and assignments of subjects by transfers, are not found in this way; the feeds of changes miss nothing.',
  ),
  UpdatedTo: moment('Written before this time.'),
}

/** The member of a page that tells until when it knows all writes. */
export const completeTo = {
  CompleteTo: Type.Optional(
    Type.String({
      format: 'date-time',
      description: `Only where UpdatedFrom or UpdatedTo was sent. The page knows all writes before this time, also those that were under way when it was read: it is ${visibleWithinMs / 60_000} minutes ago, because no write takes longer, or UpdatedTo if that is earlier.`,
    }),
  ),
}

interface Range {
  from: Date | undefined
  to: Date | undefined
}

/** Returns true if a list has to be read from the primary, because a replica does not know how recent its state is. */
export const isOfUpdates = (query: { UpdatedFrom?: string; UpdatedTo?: string }): boolean =>
  query.UpdatedFrom !== undefined || query.UpdatedTo !== undefined

/** Returns the time until which a page knows all writes, if it is filtered by a range. Must be called before the page is read. */
export async function completeToOf(db: Knex, { from, to }: Range): Promise<{ CompleteTo?: string }> {
  if (!from && !to) return {}
  const complete = new Date((await timeOf(db)).getTime() - visibleWithinMs)
  return { CompleteTo: (to && to < complete ? to : complete).toISOString() }
}
