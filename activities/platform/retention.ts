// The activity that deletes jobs, data and uploads when their retention ends.
import type { Knex } from 'knex'
import { forgetEvents, sealAll } from '../../db/audit/chain.js'
import { forgetChanges } from '../../db/feeds.js'
import { forgetReports } from '../../db/forms/exports/ended-reports.js'
import { importFiles, unneededUploads } from '../../db/frame/imports/import-files.js'
import { forgetUnidentified } from '../../db/frame/imports/rejects.js'
import { brokenUploads, recordItemStore } from '../../db/frame/subjects/record-items.js'
import { forgetData } from '../../db/glue/data/forgotten-data.js'
import { forgetFailedCalls } from '../../db/glue/endpoints/failed-calls.js'
import { forgetOidcRecords } from '../../db/identity/oidc-records.js'
import { forgetAnswers } from '../../db/jobs/idempotent-answers.js'
import { forgetJobs } from '../../db/jobs/jobs-across-tenants.js'
import { forgetWorkers } from '../../db/jobs/workers.js'
import type { Storages } from '../../db/storage/storage.js'
import { runAll } from '../../runtime/load/run-all.js'
import type { Log } from '../../runtime/observe/log.js'
import type { Forgotten } from '../../workflows/platform/contracts.js'
import { withHeartbeat } from '../heartbeat.js'
import { once } from './poll-activity.js'

/** An upload older than this is certainly broken, since an upload takes at most five minutes. */
const brokenMs = 3_600_000

/**
 * How long reports of forms are kept after their end, in ms. Until an extract's acceptance has committed, it may still
 * need them.
 */
const endedReportsMs = 86_400_000

export interface RetentionDependencies {
  db: Knex
  log: Log
  storages: Storages
  /** How long ended jobs are kept, in ms. */
  jobRetentionMs: number
}

/** Creates the activity that deletes what is no longer kept. */
export const retentionActivities = (dependencies: RetentionDependencies) => ({
  /** Deletes everything that is due. Safe to repeat at any point. */
  forget: (): Promise<Forgotten> =>
    withHeartbeat(() =>
      once(dependencies.log, async () => {
        const { db, log, jobRetentionMs } = dependencies
        const forgotten: Forgotten = { jobs: 0, reports: 0, dataSets: 0, uploads: 0 }
        await runAll([
          async () => {
            forgotten.dataSets = await forgetData(db)
          },
          () => forgetChanges(db),
          () => sealAll(db),
          () => forgetEvents(db),
          () => forgetAnswers(db),
          () => forgetFailedCalls(db),
          () => forgetUnidentified(db),
          () => forgetWorkers(db),
          () => forgetOidcRecords(db),
          async () => {
            forgotten.jobs = await forgetJobs(db, jobRetentionMs)
            // Deleted after the jobs, which may show these reports.
            forgotten.reports = await forgetReports(db, endedReportsMs)
          },
          async () => {
            forgotten.uploads = (await discardBrokenUploads(dependencies)) + (await forgetImportFiles(dependencies))
          },
        ])
        log.info(forgotten, 'forgotten')
        return forgotten
      }),
    ),
})

/**
 * Discards uploads whose process was killed, or that could not be discarded when they failed.
 * @returns how many.
 */
const discardBrokenUploads = ({ db, log, storages }: RetentionDependencies): Promise<number> =>
  forgetEach(
    log,
    () => brokenUploads(db, brokenMs),
    ({ tenant_id, id, storage }) => recordItemStore(db, storages, tenant_id).discard(id, storage),
  )

/**
 * Deletes uploaded import files that no job needs.
 * @returns how many.
 */
const forgetImportFiles = ({ db, log, storages }: RetentionDependencies): Promise<number> =>
  forgetEach(
    log,
    () => unneededUploads(db, brokenMs),
    upload => importFiles(db, storages, upload.tenant_id).forget(upload),
  )

/**
 * Deletes what is found, batch by batch, until nothing is found or a whole batch fails, as it does when the storage is
 * unavailable.
 * @returns how many.
 */
async function forgetEach<Found extends { id: string; storage: string }>(
  log: Log,
  find: () => Promise<Found[]>,
  forget: (found: Found) => Promise<void>,
): Promise<number> {
  let forgotten = 0
  for (let before = -1; forgotten > before; ) {
    before = forgotten
    for (const found of await find()) {
      try {
        await forget(found)
        forgotten++
      } catch (err) {
        const { id, storage } = found
        log.warn({ err, id, storage }, 'an upload that is no longer needed could not be deleted')
      }
    }
  }
  return forgotten
}
