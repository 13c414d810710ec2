import type { Knex } from 'knex'
import { exports } from './2026-11-exports.js'
import { extracts } from './2026-11-extracts.js'
import { forms } from './2026-11-forms.js'
import { foundation } from './2026-11-foundation.js'
import { glue } from './2026-11-glue.js'
import { jobsAwaitingRun } from './2026-11-jobs-awaiting-run.js'
import { portal } from './2026-11-portal.js'
import { recordItems } from './2026-11-record-items.js'
import { subjectSearch } from './2026-11-subject-search.js'
import { subjects } from './2026-11-subjects.js'
import { transfers } from './2026-11-transfers.js'

/** One step of the schema: one DDL statement, because MySQL commits each by itself. */
export interface Step {
  name: string
  up: string
}

/** All steps in order. A step that has run anywhere is never edited; a change is a new step. */
const steps: Step[] = [
  ...foundation,
  ...subjects,
  ...subjectSearch,
  ...portal,
  ...transfers,
  ...recordItems,
  ...glue,
  ...jobsAwaitingRun,
  ...forms,
  ...extracts,
  ...exports,
]

/** The steps as knex wants them. */
export const migrationSource: Knex.MigrationSource<Step> = {
  getMigrations: async () => steps,
  getMigrationName: step => step.name,
  getMigration: async step => ({
    up: async db => {
      await db.raw(step.up)
    },
    down: async () => {
      throw new Error('The schema only goes forward: restore a backup to go back.')
    },
    config: { transaction: false },
  }),
}
