// All migration steps, in order.
import type { Knex } from 'knex'
import { transaction } from '../errors.js'
import { compressedRemnants } from './2026-11-compressed-remnants.js'
import { dataSetCursors } from './2026-11-data-set-cursors.js'
import { deactivatedSubjects } from './2026-11-deactivated-subjects.js'
import { entityImports } from './2026-11-entity-imports.js'
import { events } from './2026-11-events.js'
import { exports } from './2026-11-exports.js'
import { extracts } from './2026-11-extracts.js'
import { fieldOrders } from './2026-11-field-orders.js'
import { forms } from './2026-11-forms.js'
import { foundation } from './2026-11-foundation.js'
import { glue } from './2026-11-glue.js'
import { idempotentAnswers } from './2026-11-idempotent-answers.js'
import { imports } from './2026-11-imports.js'
import { jobsAwaitingRun } from './2026-11-jobs-awaiting-run.js'
import { jobsCrashes } from './2026-11-jobs-crashes.js'
import { jobsOfAll } from './2026-11-jobs-of-all.js'
import { jobsRunId } from './2026-11-jobs-run-id.js'
import { jobsTraceParent } from './2026-11-jobs-trace-parent.js'
import { jobsWithoutRun } from './2026-11-jobs-without-run.js'
import { matching } from './2026-11-matching.js'
import { mergedSubjects } from './2026-11-merged-subjects.js'
import { portal } from './2026-11-portal.js'
import { providerQueues } from './2026-11-provider-queues.js'
import { rateCounts } from './2026-11-rate-counts.js'
import { recordItemKeys } from './2026-11-record-item-keys.js'
import { recordItems } from './2026-11-record-items.js'
import { refreshRequests } from './2026-11-refresh-requests.js'
import { replicaHeartbeats } from './2026-11-replica-heartbeats.js'
import { subjectChanges } from './2026-11-subject-changes.js'
import { subjectErasures } from './2026-11-subject-erasures.js'
import { subjectSearch } from './2026-11-subject-search.js'
import { subjectWordMarks } from './2026-11-subject-word-marks.js'
import { subjects } from './2026-11-subjects.js'
import { tenantMoves, workerBuckets } from './2026-11-tenant-moves.js'
import { times } from './2026-11-times.js'
import { transfers } from './2026-11-transfers.js'
import { updatedAt } from './2026-11-updated-at.js'
import { userAccess } from './2026-11-user-access.js'
import { webhooks } from './2026-11-webhooks.js'
import { wordsOfSubjects } from './2026-11-words-of-subjects.js'
import { workerBuilds } from './2026-11-worker-builds.js'
import type { Batch, MigrationStep } from './step.js'

/** All steps in order. A step that has run anywhere is never edited; a change is a new step. */
const steps: MigrationStep[] = [
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
  ...matching,
  ...dataSetCursors,
  ...refreshRequests,
  ...times,
  ...jobsOfAll,
  ...subjectWordMarks,
  ...jobsWithoutRun,
  ...jobsCrashes,
  ...recordItemKeys,
  ...imports,
  ...userAccess,
  ...updatedAt,
  ...subjectChanges,
  ...deactivatedSubjects,
  ...subjectErasures,
  ...rateCounts,
  ...providerQueues,
  ...webhooks,
  ...jobsRunId,
  ...events,
  ...fieldOrders,
  ...entityImports,
  ...jobsTraceParent,
  ...mergedSubjects,
  ...workerBuilds,
  ...compressedRemnants,
  ...replicaHeartbeats,
  ...tenantMoves,
  ...workerBuckets,
  ...wordsOfSubjects,
  ...idempotentAnswers,
]

const alreadyThere = new Set([
  'ER_TABLE_EXISTS_ERROR',
  'ER_DUP_FIELDNAME',
  'ER_DUP_KEYNAME',
  'ER_DUP_ENTRY',
  // Dropped tables do not come back.
  'ER_CANT_DROP_FIELD_OR_KEY',
])

const isThere = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && alreadyThere.has(String(error.code))

/**
 * Runs a step. Where its table or column exists, an earlier process must have begun the step: it ended before knex
 * noted it.
 */
async function run(step: MigrationStep, db: Knex): Promise<void> {
  const { name } = step
  await db.raw('CREATE TABLE IF NOT EXISTS schema_steps_begun (name VARCHAR(255) NOT NULL PRIMARY KEY)')
  const begun = () => db('schema_steps_begun').where({ name })
  const wasBegun = (await begun().first('name')) !== undefined
  if (!wasBegun) await db('schema_steps_begun').insert({ name })
  if ('batch' in step) return runBatches(name, step.batch, db)
  try {
    await db.raw(step.up)
  } catch (error) {
    if (isThere(error) && wasBegun) return
    if (isThere(error)) await begun().delete()
    throw error
  }
}

/** Runs a step's batches. Each notes its end in its own transaction, so a killed step continues after its last batch. */
async function runBatches(name: string, batch: Batch, db: Knex): Promise<void> {
  const next = async (trx: Knex.Transaction): Promise<string | undefined> => {
    const begun = trx('schema_steps_begun').where({ name })
    const { position: from } = await begun.clone().first('position')
    const position = await batch(trx, from ?? undefined)
    if (position !== undefined) await begun.update({ position })
    return position
  }
  let position: string | undefined
  do position = await transaction(db, 'platform', next)
  while (position !== undefined)
}

/** The steps as knex wants them. */
export const migrationSource: Knex.MigrationSource<MigrationStep> = {
  getMigrations: async () => steps,
  getMigrationName: step => step.name,
  getMigration: async step => ({
    up: db => run(step, db),
    down: async () => {
      throw new Error('The schema only goes forward: restore a backup to go back.')
    },
    config: { transaction: false },
  }),
}
