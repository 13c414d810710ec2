// The loop that all imports share. It reads the upload from where the job has stopped, one batch ahead of the one that is written.
import type { Knex } from 'knex'
import type { TenantId } from '../../db/connect.js'
import type { Allows } from '../../db/frame/fields/upsert-permission.js'
import { separators } from '../../db/frame/imports/csv-rows.js'
import { importFiles } from '../../db/frame/imports/import-files.js'
import { type Import, type ImportIds, importOf, importProgress, isRefused } from '../../db/frame/imports/imports.js'
import type { JobRun } from '../../db/jobs/advance.js'
import { isOpen, type JobRow } from '../../db/jobs/job-row.js'
import { jobStore } from '../../db/jobs/jobs.js'
import type { Storages } from '../../db/storage/storage.js'
import { type RowBatch, type RowPlace, rowBatches } from '../../runtime/rows/row-splitter.js'
import type { JobProgress, StepsInput } from '../../workflows/jobs/contracts.js'
import type { Grants } from '../auth/grants.js'
import { doSteps, type StepDependencies } from '../jobs/do-steps.js'

export interface ImportDependencies extends StepDependencies {
  grants: Grants
  storages: Storages
}

/** An import whose job is open. */
export interface OpenImport {
  db: Knex
  tenant: TenantId
  job: JobRow
  ids: ImportIds
  format: Import
  /** Reads the rows of the upload from a given place. */
  rowsFrom(from: RowPlace, max: { rows: number; bytes: number }): AsyncGenerator<RowBatch, undefined>
}

/** What a kind of import does with its rows. */
export interface ImportWork<Batch extends RowBatch> {
  /** Where to read the upload from. Undefined if no further step reads it. */
  from: RowPlace | undefined
  /** The most rows and bytes of one step. */
  max: { rows: number; bytes: number }
  /** Reads the rows of a batch, while the batch before is written. */
  read(batch: RowBatch, allows: Allows): Promise<Batch>
  /** Does the step of a batch. @param readNext begins to read the next batch. To be called while the database is busy with this one. */
  write(batch: Batch, allows: Allows, readNext: () => void): Promise<JobProgress>
  /** Does a step that does not read the upload. */
  afterwards(allows: Allows): Promise<JobProgress>
}

/** Does the next steps of an import, until its time is up or the import ends. Safe to retry at any point. */
export async function importRows<Batch extends RowBatch>(
  dependencies: ImportDependencies,
  input: StepsInput,
  open: (opened: OpenImport) => Promise<ImportWork<Batch>>,
): Promise<JobProgress> {
  let reading: Reading | undefined
  try {
    return await doSteps(dependencies, input, async (tenant, run) => ({
      async next(isLast) {
        reading ??= await beginReading(dependencies, input, tenant, run, open)
        const { progress, isOver } = await reading.next(isLast)
        if (isOver) {
          await reading.end()
          reading = undefined
        }
        return progress
      },
    }))
  } finally {
    await reading?.end()
  }
}

/** An upload that is being read from where its job has stopped. */
interface Reading {
  /** Does the next step. @returns `isOver` if the next step needs a new reading: it starts elsewhere in the upload, or does not read it. */
  next(isLast: boolean): Promise<{ progress: JobProgress; isOver: boolean }>
  end(): Promise<void>
}

async function beginReading<Batch extends RowBatch>(
  { db, storages, grants }: ImportDependencies,
  { tenantKey }: StepsInput,
  tenant: TenantId,
  run: JobRun,
  open: (opened: OpenImport) => Promise<ImportWork<Batch>>,
): Promise<Reading> {
  const { jobId } = run
  const job = await jobStore(db, tenant).byId(jobId)
  if (!job || !isOpen(job) || isRefused(job)) return withoutRows(() => importProgress(db, tenant, run))
  const format = importOf(job)
  const files = importFiles(db, storages, tenant)
  const file = await files.ofJob(jobId)
  const separator = format.format === 'csv' ? separators[format.separator ?? 'comma'] : undefined
  async function* rowsFrom(from: RowPlace, max: { rows: number; bytes: number }) {
    yield* rowBatches(await files.content(file, from.byte), { from, separator, max })
    return undefined
  }
  const work = await open({ db, tenant, job, ids: { ...run, fileId: file.id }, format, rowsFrom })
  const permissions = async (): Promise<Allows> => {
    const grant = await grants.for(tenantKey, job.actor)
    return permission => grant?.allows(permission) ?? false
  }
  const { from } = work
  if (!from) return withoutRows(async () => work.afterwards(await permissions()))
  const batches = rowsFrom(from, work.max)
  const readBatch = async (): Promise<Batch> => {
    const { value: batch } = await batches.next()
    if (!batch) throw new Error(`The upload of the job ${jobId} has fewer bytes than it had`)
    return work.read(batch, await permissions())
  }
  let { done } = job
  let ahead: Promise<Batch> | undefined
  return {
    async next(isLast) {
      const batch = await (ahead ?? readBatch())
      ahead = undefined
      const isEnd = batch.next.byte >= format.bytes
      const progress = await work.write(batch, await permissions(), () => {
        // A transaction that is retried calls this again.
        if (isLast || isEnd || ahead) return
        ahead = readBatch()
        // A failure is thrown when the batch is awaited in the next step. Until then it must not count as unhandled.
        ahead.catch(() => undefined)
      })
      const isNext = progress.done === done + batch.rows.length
      done = progress.done
      return { progress, isOver: isEnd || !isNext }
    },
    async end() {
      await ahead?.catch(() => undefined)
      await batches.return(undefined)
    },
  }
}

/** Wraps a step that does not read the upload. */
const withoutRows = (step: () => Promise<JobProgress>): Reading => ({
  next: async () => ({ progress: await step(), isOver: false }),
  end: async () => undefined,
})
