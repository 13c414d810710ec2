import type { EventEmitter } from 'node:events'
import type { Knex } from 'knex'
import type { Log } from '../runtime/log.js'
import { tokenActivities } from './auth/activities.js'
import type { Grants } from './auth/grants.js'
import type { TokenValidator } from './auth/validate-token.js'
import { bulkActivities } from './jobs/bulk.js'
import { jobActivities } from './jobs/carry.js'

export interface ActivityDependencies {
  db: Knex
  log: Log
  grants: Grants
  tokens: TokenValidator
  /** Emits the id of a job that this process has brought to its end: a caller who waits here is answered at once. */
  ends: EventEmitter
}

/** All activities. Workflows import only the type. */
export const createActivities = (dependencies: ActivityDependencies) => ({
  ...bulkActivities(dependencies),
  ...jobActivities(dependencies),
  ...tokenActivities(dependencies),
})

export type Activities = ReturnType<typeof createActivities>
