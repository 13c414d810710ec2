// The activity that deletes jobs, data and uploads at the end of their retention.
import type { Knex } from 'knex'
import { forgetChanges } from '../../db/feeds.js'
import { forgetReports } from '../../db/forms/extracts/ended-reports.js'
import { importFiles, unneededUploads } from '../../db/frame/imports/import-files.js'
import { brokenUploads, recordItemStore } from '../../db/frame/subjects/record-items.js'
import { forgetData } from '../../db/glue/data/forgotten-data.js'
import { forgetAnswers } from '../../db/jobs/idempotent-answers.js'
import { forgetJobs } from '../../db/jobs/jobs-across-tenants.js'
import type { Storages } from '../../db/storage/storage.js'
import type { Log } from '../../runtime/log.js'
import type { Forgotten } from '../../workflows/platform/contracts.js'
import { withHeartbeat } from '../heartbeat.js'
import { once } from './repeatedly.js'

/** Far longer than an upload may take (five minutes). */
const brokenMs = 3_600_000

/** How long reports of forms stay after their end, in ms: an extract whose acceptance has not committed yet may show them. */
const endedReportsMs = 86_400_000

export interface RetentionDependencies {
  db: Knex
  log: Log
  storages: Storages
  /** How long a job that has ended is kept, in ms. */
  jobRetentionMs: number
}

/** Activities of the run that deletes what is kept no longer. */
export const retentionActivities = (dependencies: RetentionDependencies) => ({
  /** Deletes all that is due. Safe to run again at any point. */
  forget: (): Promise<Forgotten> =>
    withHeartbeat(() =>
      once(dependencies.log, async () => {
        const { db, log, jobRetentionMs } = dependencies
        const dataSets = await forgetData(db)
        await forgetChanges(db)
        await forgetAnswers(db)
        const jobs = await forgetJobs(db, jobRetentionMs)
        // After the jobs: those that are kept no longer show nothing.
        const reports = await forgetReports(db, endedReportsMs)
        const uploads = (await discardBrokenUploads(dependencies)) + (await forgetImportFiles(dependencies))
        log.info({ jobs, reports, dataSets, uploads }, 'forgotten')
        return { jobs, reports, dataSets, uploads }
      }),
    ),
})

/** Discards uploads whose process was killed, or whose database or storage was away when they failed. @returns how many. */
const discardBrokenUploads = ({ db, log, storages }: RetentionDependencies): Promise<number> =>
  forgetEach(
    log,
    () => brokenUploads(db, brokenMs),
    ({ tenant_id, id, storage }) => recordItemStore(db, storages, tenant_id).discard(id, storage),
  )

/** Removes uploads of imports that no job needs. @returns how many. */
const forgetImportFiles = ({ db, log, storages }: RetentionDependencies): Promise<number> =>
  forgetEach(
    log,
    () => unneededUploads(db, brokenMs),
    upload => importFiles(db, storages, upload.tenant_id).forget(upload),
  )

/** Forgets what is found, until nothing more is found or a whole batch fails: then the storage is away. @returns how many. */
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
        log.warn({ err, id, storage }, 'an upload that nobody needs is still there')
      }
    }
  }
  return forgotten
}
