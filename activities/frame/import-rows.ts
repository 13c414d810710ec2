// The loop of every import: reads its upload from the place of its job, one batch ahead of the database.
import type { Knex } from 'knex'
import type { TenantId } from '../../db/connect.js'
import { importFiles } from '../../db/frame/imports/import-files.js'
import { type Import, type ImportIds, importOf, importProgress, isRefused } from '../../db/frame/imports/imports.js'
import type { Allows } from '../../db/frame/users/upsert-permission.js'
import { isOpen, type JobRow, jobStore } from '../../db/jobs/jobs.js'
import type { Storages } from '../../db/storage/storage.js'
import { separators } from '../../runtime/csv-rows.js'
import { type RowBatch, type RowPlace, rowBatches } from '../../runtime/text-rows.js'
import type { JobProgress, StepsInput } from '../../workflows/jobs/contracts.js'
import type { Grants } from '../auth/grants.js'
import { doSteps, type StepDependencies } from '../jobs/do-steps.js'

export interface ImportDependencies extends StepDependencies {
  grants: Grants
  storages: Storages
}

/** An import that is under way. */
export interface OpenImport {
  db: Knex
  tenant: TenantId
  job: JobRow
  ids: ImportIds
  format: Import
}

/** The work of a kind of import on its rows. */
export interface ImportWork<Batch extends RowBatch> {
  /** Where the upload is read on; undefined where no step from here on reads it. */
  from: RowPlace | undefined
  /** Rows and bytes of one step. */
  most: { rows: number; bytes: number }
  /** Reads the rows of a batch, while the step before is written. */
  read(batch: RowBatch): Promise<Batch>
  /** Does the step of a batch. @param readOn begins to read the next one: called while the database is busy with this. */
  write(batch: Batch, allows: Allows, readOn: () => void): Promise<JobProgress>
  /** Does a step that reads nothing of the upload. */
  afterwards(allows: Allows): Promise<JobProgress>
}

/** Does the next steps of an import. Safe to run again at any point. */
export async function importRows<Batch extends RowBatch>(
  dependencies: ImportDependencies,
  input: StepsInput,
  open: (opened: OpenImport) => Promise<ImportWork<Batch>>,
): Promise<JobProgress> {
  const { db, grants } = dependencies
  const { tenantKey, jobId } = input
  let reading: Reading<Batch> | undefined
  try {
    return await doSteps(dependencies, input, async tenant => ({
      async next(isLast) {
        reading ??= await beginReading(dependencies, tenant, jobId, open)
        if (!reading) return importProgress(db, tenant, jobId)
        const { actor, format, work } = reading
        const grant = await grants.for(tenantKey, actor)
        const allows = (permission: string) => grant?.allows(permission) ?? false
        const batch = await reading.next()
        if (!batch) return work.afterwards(allows)
        const progress = await work.write(batch, allows, isLast ? () => undefined : reading.readOn)
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
}

/** An upload that is read from the place of its job; no batch is next where all of it is read. */
interface Reading<Batch extends RowBatch> {
  actor: string
  format: Import
  work: ImportWork<Batch>
  /** Rows that the job has dealt with. */
  done: number
  next(): Promise<Batch | undefined>
  /** Begins to read the batch that {@link next} will give. */
  readOn(): void
  end(): Promise<void>
}

/** Undefined where the job has ended, or its rows were refused. */
async function beginReading<Batch extends RowBatch>(
  { db, storages }: ImportDependencies,
  tenant: TenantId,
  jobId: string,
  open: (opened: OpenImport) => Promise<ImportWork<Batch>>,
): Promise<Reading<Batch> | undefined> {
  const job = await jobStore(db, tenant).byId(jobId)
  if (!job || !isOpen(job) || isRefused(job)) return undefined
  const format = importOf(job)
  const files = importFiles(db, storages, tenant)
  const file = await files.ofJob(jobId)
  const work = await open({ db, tenant, job, ids: { jobId, fileId: file.id }, format })
  const found = { actor: job.actor, format, work, done: job.done }
  const { from } = work
  if (!from) return { ...found, next: async () => undefined, readOn: () => undefined, end: async () => undefined }
  const content = await files.content(file, from.byte)
  const separator = format.format === 'csv' ? separators[format.separator ?? 'comma'] : undefined
  const batches = rowBatches(content, { from, separator, most: work.most })
  const read = async (): Promise<Batch> => {
    const { value: batch } = await batches.next()
    if (!batch) throw new Error(`The upload of the job ${jobId} has fewer bytes than it had`)
    return work.read(batch)
  }
  let ahead: Promise<Batch> | undefined
  const readOn = () => {
    ahead ??= read()
    // Its failure counts when its turn comes.
    ahead.catch(() => undefined)
  }
  return {
    ...found,
    readOn,
    async next() {
      readOn()
      const batch = await ahead
      ahead = undefined
      return batch
    },
    async end() {
      await ahead?.catch(() => undefined)
      await batches.return(undefined)
    },
  }
}
