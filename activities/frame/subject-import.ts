// The activity that imports the rows of an upload.
import { setImmediate as nextPass } from 'node:timers/promises'
import { type ImportFile, importFiles } from '../../db/frame/imports/import-files.js'
import {
  type ImportBatch,
  importBatch,
  importOf,
  importProgress,
  importRowsAtOnce,
  placeOf,
  readBatch,
  type SubjectImport,
} from '../../db/frame/imports/subject-import.js'
import { subjectSettings } from '../../db/frame/subjects/subject-settings.js'
import { isOpen, jobStore } from '../../db/jobs/jobs.js'
import type { Storages } from '../../db/storage/storage.js'
import { rowBatches } from '../../runtime/text-rows.js'
import type { JobProgress, StepsInput } from '../../workflows/jobs/contracts.js'
import type { Grants } from '../auth/grants.js'
import { doSteps, type StepDependencies } from '../jobs/do-steps.js'

interface ImportDependencies extends StepDependencies {
  grants: Grants
  storages: Storages
}

/** Activities that carry imports. */
export const subjectImportActivities = (dependencies: ImportDependencies) => ({
  /** Imports the job's next rows, and says how far it is. Safe to run again at any point. */
  async importSubjects(input: StepsInput): Promise<JobProgress> {
    const { db, grants } = dependencies
    const { tenantKey, jobId } = input
    let reading: Reading | undefined
    try {
      return await doSteps(dependencies, input, async tenant => ({
        async next() {
          reading ??= await beginReading(dependencies, tenant, jobId)
          const batch = await reading?.next()
          if (!reading || !batch) return importProgress(db, tenant, jobId)
          const { actor, file, format } = reading
          const grant = await grants.for(tenantKey, actor)
          const allows = (permission: string) => grant?.allows(permission) ?? false
          const progress = await importBatch(db, tenant, { jobId, fileId: file.id }, batch, format, allows)
          const isNext = progress.done === reading.done + batch.rows.length
          reading.done = progress.done
          if (!isNext || batch.next.byte >= format.bytes) {
            await reading.end()
            reading = undefined
          }
          return progress
        },
      }))
    } finally {
      await reading?.end()
    }
  },
})

/** An upload that is read from the place of its job. */
interface Reading {
  actor: string
  file: ImportFile
  format: SubjectImport
  /** Rows that the job has dealt with. */
  done: number
  next(): Promise<ImportBatch | undefined>
  end(): Promise<void>
}

/** Undefined where the job has ended, or its rows were refused. */
async function beginReading(
  { db, storages }: ImportDependencies,
  tenant: number,
  jobId: string,
): Promise<Reading | undefined> {
  const job = await jobStore(db, tenant).byId(jobId)
  if (!job || !isOpen(job)) return undefined
  const format = importOf(job)
  let from = placeOf(job)
  if (from.pass === 'refused') return undefined
  const files = importFiles(db, storages, tenant)
  const file = await files.ofJob(jobId)
  const settings = await subjectSettings(db, tenant)
  const content = await files.content(file, from.byte)
  const batches = rowBatches(content, { from, quotes: format.format === 'csv', most: importRowsAtOnce })
  const read = async (): Promise<ImportBatch | undefined> => {
    const { value: batch } = await batches.next()
    if (!batch) return undefined
    // The rows of the step before go to the database first; then this takes the processor.
    await nextPass()
    const made = readBatch(from, batch, format, settings)
    from = { ...from, ...batch.next }
    return made
  }
  let ahead = read()
  return {
    actor: job.actor,
    file,
    format,
    done: job.done,
    async next() {
      const batch = await ahead
      // Its failure counts when its turn comes.
      ahead = read()
      ahead.catch(() => undefined)
      return batch
    },
    async end() {
      await ahead.catch(() => undefined)
      await batches.return(undefined)
    },
  }
}
